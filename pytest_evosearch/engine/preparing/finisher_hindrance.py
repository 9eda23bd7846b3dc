"""Why no second process can finish tests during the search.

The second process has its own application, with what the project's fixtures give to another worker.
So anything that both would share prevents it: a database on a server, an SQLite file, or files of
the project that calls change.
"""

from __future__ import annotations

from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import BESIDE_SECONDS
from pytest_evosearch.settings.phase_shares import SLOWEST_START_SHARE
from pytest_evosearch.sut.watching.shared_files import is_shared
from pytest_evosearch.sut.watching.sqlite_connections import active_connections
from pytest_evosearch.write.verification.simultaneous import processors


def described(settings: Settings, ready: Prepared, starting_seconds: float = 0.0) -> str:
    """Return what a plan says about when tests are minimised and verified."""
    why = hindrance(settings, ready, starting_seconds)
    if why:
        return f"tests are minimised and verified after the search, in this process: {why}"
    return "a second process minimises and verifies tests while the search goes on"


def hindrance(settings: Settings, ready: Prepared, starting_seconds: float = 0.0) -> str:
    """Return why no process may finish tests during the search; empty where one may.

    `starting_seconds` were spent before the search.
    """
    if settings.tunable("plan.beside") == "never":
        return "plan.beside=never"
    if settings.budget.seconds is None:
        return "the budget is a number of evaluations"
    if settings.budget.seconds < BESIDE_SECONDS:
        return f"the budget is below {BESIDE_SECONDS:.0f}s"
    if starting_seconds > SLOWEST_START_SHARE * settings.budget.seconds:
        return f"the start takes {starting_seconds:.0f}s, too long to wait for a second one"
    if settings.search.islands > 1:
        return f"{settings.search.islands} processes search already"
    if settings.tunable("plan.circumstances") == "first":
        return "plan.circumstances=first"
    if processors() < 2:
        return "there is one processor"
    return _shared(settings, ready)


def _shared(settings: Settings, ready: Prepared) -> str:
    """Return what both processes would use; empty for nothing."""
    if ready.handle.outside:
        return "the server is one for all processes"
    if ready.handle.unrestored:
        return "nothing brings the state back"
    if ready.state.keeper.uses_servers:
        return "a database on a server is one for all processes"
    connections = None if ready.handle.sandboxed else active_connections()
    files = connections.files if connections is not None else ()
    if any(is_shared(path, settings.rootdir) for path in files):
        return "the SQLite file of the project is one for all processes"
    if ready.state.changes_files:
        return "calls change files that all processes would use"
    return ""
