"""Restores an application's state between tests, with one keeper for each kind of state.

State is restored, not rebuilt. Rebuilding an application takes 12 to 700 ms, restoring it in place
less than one. Most applications are singletons that cannot be rebuilt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar
from typing import runtime_checkable

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from pytest_evosearch.sut.fixture_texts.state_text import application_fixture
from pytest_evosearch.sut.fixture_texts.state_text import settings_fixture
from pytest_evosearch.sut.fixture_texts.state_text import state_fixture
from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.living import loaded_classes
from pytest_evosearch.sut.state.application_state import functions_of
from pytest_evosearch.sut.state.application_state import holders_of
from pytest_evosearch.sut.state.caches import CachesKeeper
from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.state.held_transactions import HeldTransactionsKeeper
from pytest_evosearch.sut.state.in_memory_servers import played_servers
from pytest_evosearch.sut.state.in_memory_servers import stores_are_loaded
from pytest_evosearch.sut.state.shared_randomness import RandomnessKeeper
from pytest_evosearch.sut.state.sqlite_places import find_databases
from pytest_evosearch.sut.state.sqlite_state import SqliteKeeper
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

_Kind = TypeVar("_Kind")


class StateKeeper(Protocol):
    """Remembers one kind of state, and restores it as often as needed."""

    @property
    def description(self) -> str:
        """A phrase for the discovery block; empty for state that is always restored."""
        ...

    def snapshot(self) -> None:
        """Remember the present state."""
        ...

    def restore(self) -> None:
        """Restore the remembered state, cheaply when nothing changed."""
        ...

    def close(self) -> None:
        """Release connections and memory."""
        ...


@runtime_checkable
class DatabasesKeeper(StateKeeper, Protocol):
    """Keeps the databases of one kind; more may appear during the search."""

    @property
    def count(self) -> int:
        """How many databases are known now."""
        ...

    def values(self, skip: int = 0) -> Iterable[tuple[str, object]]:
        """Return (column, value) pairs of every database except the first `skip`."""
        ...


class Application(NamedTuple):
    """The application whose state is searched."""

    app: Any
    modules: list[ModuleType]
    """The application's own modules."""


class CombinedKeeper:
    """Several keepers as one."""

    def __init__(self, keepers: Sequence[StateKeeper], fence: Fence | None = None) -> None:
        self._keepers = list(keepers)
        self._fence = fence or Fence()
        self.memory = self._the(GlobalsKeeper)
        """Keeps what the application holds in memory, and its settings."""
        self._caches = self._the(CachesKeeper)
        self._sqlite = self._the(SqliteKeeper)
        self._servers = self._the(ServersKeeper)
        databases = (one for one in self._keepers if isinstance(one, DatabasesKeeper))
        self._shown: dict[DatabasesKeeper, int] = dict.fromkeys(databases, 0)
        self._milliseconds = 0.0

    def _the(self, kind: type[_Kind]) -> _Kind:
        return next(keeper for keeper in self._keepers if isinstance(keeper, kind))

    @property
    def description(self) -> str:
        """Describe what is restored and how fast: ``1 SQLite file, restored from memory``."""
        phrases = [keeper.description for keeper in self._keepers if keeper.description]
        if not phrases:
            return "none found"
        if not self.memory.complete:
            phrases.append("in part (too many objects)")
        return f"{', '.join(phrases)}, restored from memory ({self._milliseconds:.1f} ms)"

    @property
    def sqlite(self) -> SqliteKeeper:
        """The keeper of the SQLite databases."""
        return self._sqlite

    @property
    def uses_servers(self) -> bool:
        """Say whether any database with tables is on a server."""
        return self._servers.has_tables

    def new_database_values(self) -> list[tuple[str, object]]:
        """Return (column, value) pairs of databases that appeared since the last call."""
        found: list[tuple[str, object]] = []
        for keeper, shown in self._shown.items():
            found += keeper.values(shown)
            self._shown[keeper] = keeper.count
        return found

    def snapshot(self) -> None:
        """Remember the present state, and measure the time of one restore."""
        self._keepers = [keeper for keeper in self._keepers if self._remembers(keeper)]
        started = time.perf_counter()
        self.restore()
        self._milliseconds = (time.perf_counter() - started) * 1000

    def _remembers(self, keeper: StateKeeper) -> bool:
        """Let a keeper remember the state; say whether it could."""

        def remember() -> bool:
            keeper.snapshot()
            return True

        return self._fence.run(_part(keeper), remember, otherwise=False)

    def restore(self) -> None:
        """Restore all state: where a keeper fails, the others go on before that is raised."""
        try:
            for keeper in self._keepers:
                keeper.restore()
        except Exception:
            for keeper in self._keepers:
                with suppress(Exception):
                    keeper.restore()
            raise

    def close(self) -> None:
        """Release connections and memory."""
        for keeper in self._keepers:
            self._fence.run(_part(keeper), keeper.close, otherwise=None)

    def leave_servers(self) -> None:
        """Leave databases on servers as they were found: fixtures may be about to remove them."""
        self._servers.close()

    def state_source(self, depends_on: str = "") -> str | None:
        """Return a fixture that restores module globals between written tests.

        It only contains places that changed in the search; the result is None without any.
        `depends_on` names a fixture that must come first, such as the one that builds the
        application. The text needs only ``import pytest`` above it.
        """
        self.memory.restore()  # counters are written with their present position
        return state_fixture(self.memory.modules, self.memory.changed_places(), depends_on)

    def settings_source(self, client_fixture: str) -> str | None:
        """Return a fixture that restores the application's configuration between written tests.

        The result is None when no request changed it in the search.
        """
        self.memory.restore()  # the settings are written with their present values
        refilled = self.memory.changed_settings()
        return None if refilled is None else settings_fixture(client_fixture, refilled)

    def application_source(self, client_fixture: str) -> str | None:
        """Return a fixture that restores values in the application object between written tests.

        The result is None when no request changed them in the search.
        """
        self.memory.restore()
        return application_fixture(client_fixture, self.memory.changed_at_application())

    def caches_sources(self, client_fixture: str) -> list[str]:
        """Return fixtures that empty caches and rate limiters around each written test.

        They only contain caches that requests filled during the search.
        """
        return self._caches.sources(client_fixture)


def _part(keeper: StateKeeper) -> str:
    return f"one of the keepers of state, {type(keeper).__name__}"


def _sqlite_of(application: Application) -> SqliteKeeper:
    """Keep SQLite databases, and files that are opened later while connections are watched."""
    connections = active_connections()
    databases = find_databases(application.app, application.modules, connections)
    keeper = SqliteKeeper(databases, living(*loaded_classes(("sqlalchemy.orm", "scoped_session"))))
    if connections is not None:
        keeper.follow(connections)
    return keeper


def _globals_of(application: Application) -> GlobalsKeeper:
    app = application.app
    return GlobalsKeeper(
        application.modules, functions_of(app), app.config, played_servers(), holders_of(app)
    )


KEEPERS: tuple[Callable[[Application], StateKeeper], ...] = (
    _sqlite_of,
    lambda _application: ServersKeeper(active_server_connections()),
    lambda _application: HeldTransactionsKeeper(),
    _globals_of,
    lambda application: CachesKeeper(application.app),
    lambda _application: RandomnessKeeper(),
)
"""Constructors of the keepers, in the order in which state is restored."""


def choose_keeper(
    app: Any,
    modules: Iterable[ModuleType],
    fence: Fence | None = None,
    kinds: Sequence[Callable[[Application], StateKeeper]] = KEEPERS,
) -> CombinedKeeper:
    """Find the state of `app`, with its own modules `modules`, and return its keeper.

    `fence` collects the failures of single keepers.
    """
    own = [module for module in modules if isinstance(module, ModuleType)]
    if "sqlalchemy" in sys.modules or stores_are_loaded():  # searched among all objects
        gc.collect()  # ignore engines and sessions of applications that no longer exist
    application = Application(app, own)
    return CombinedKeeper([make(application) for make in kinds], fence)
