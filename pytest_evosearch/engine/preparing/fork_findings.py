"""Says whether each test runs in a forked process, and why it cannot."""

from __future__ import annotations

from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.forked.forks import reason_not_to_fork
from pytest_evosearch.settings.checked import Settings

ASKED = "state.fork=always"
"""The reason where the user asks for it."""

CRASHING = "calls end the process"
"""The reason where many endpoints end the process, or where it is not known which one does."""

ELSEWHERE = "the server is a process of its own"
"""Why a fork does not restore the state of a server."""


def hindrance_to_forks(ready: Prepared) -> str:
    """Return why no test can run in a forked process; empty where it can."""
    return ELSEWHERE if ready.handle.outside else reason_not_to_fork()


def asked_findings(settings: Settings, ready: Prepared) -> dict[str, str]:
    """Return corrected rows of the discovery block, where the user asks for forks."""
    asked = settings.tunable("state.fork") == "always" and not hindrance_to_forks(ready)
    return fork_findings(ASKED, ready) if asked else {}


def fork_findings(reason: str, ready: Prepared) -> dict[str, str]:
    """Return corrected rows of the discovery block, where tests run in forks."""
    below = ready.state.keeper.description
    return {"state": f"fork ({reason}), each test in a process of its own, over {below}"}
