"""A run that only prints a plan: what was found, who can log in, how the time is divided.

It finds users as a search does, with its first steps: it visits every endpoint, and varies refused
calls.  This happens in a fork that ends afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.loop_parts import Ending
from pytest_evosearch.engine.preparing.planned_run import ListingRun
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.execution.forked.attempt import tried_apart

LOOKING_SECONDS = 10.0
"""Seconds in which a plan finds out which users the application lets in."""

PATIENCE = 30.0
"""Seconds after which a fork is ended, because one of its requests hangs; machines may be busy."""

EVALUATIONS = "2000x"
"""Budget of these steps: so large that usually their end or the time comes first."""


class PlanRun(ListingRun):
    """A run up to the discovery block, which also tells of users and of walks."""

    def _foreseen(self, ready: Prepared) -> Mapping[str, str]:
        """Return which users the application lets in, and how the time will be divided."""
        return {**self._admitted(ready), **super()._foreseen(ready)}

    def _admitted(self, ready: Prepared) -> Mapping[str, str]:
        """Return rows of these users and of walks; none where nothing can be sent."""
        if ready.handle.outside or ready.handle.unrestored:
            return {}
        look = partial(self._looked, ready)
        if ready.state.keeper.uses_servers:  # a fork would share their connections
            return look()
        found = tried_apart(look, ready.admitted.undo, PATIENCE)
        failed = {"users": "not known: the first requests of a search end the process, or hang"}
        return found if isinstance(found, dict) else failed

    def _looked(self, ready: Prepared) -> dict[str, str]:
        """Take the first steps of a search, and return the rows of users and of walks.

        They are brief where nothing is refused, so that the plan takes no longer then.
        """
        search = replace(self.settings.search, islands=1)
        settings = replace(self.settings, budget=Budget.parse(EVALUATIONS), search=search)
        loop = make_loop(settings, self.host, ready, ())
        loop.ending = Ending(_until(self.host.stop_requested), once_covered=False)
        with ready.offspring.watched():
            loop.open(briefly=True)
        shut_out = ready.problem.shut_out()
        if loop.ending.interruption:
            shut_out = f"no one in {LOOKING_SECONDS:.0f} s; a search takes its time"
        users = ready.admitted.findings or ({"users": shut_out} if shut_out else {})
        walking = loop.occasions.walking
        return {**users, **(walking.foreseen() if walking else {})}


def _until(stop_requested: Callable[[], str | None]) -> Callable[[], str | None]:
    """Return a function that asks to stop when the time is over, or when the host says so."""
    end = monotonic() + LOOKING_SECONDS

    def reason() -> str | None:
        return "the looks of a plan take no longer" if monotonic() > end else stop_requested()

    return reason
