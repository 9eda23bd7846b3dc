"""Brings an application's state back between tests: strategies behind one protocol.

State is restored, not rebuilt: rebuilding an application costs 12 to 700 ms, restoring it
in place less than a millisecond, and most applications are singletons that cannot be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any
from typing import Protocol

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from pytest_evosearch.sut.fixture_texts.state_text import settings_fixture
from pytest_evosearch.sut.fixture_texts.state_text import state_fixture
from pytest_evosearch.sut.state.caches import CachesKeeper
from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.state.held_transactions import HeldTransactionsKeeper
from pytest_evosearch.sut.state.in_memory_servers import played_servers
from pytest_evosearch.sut.state.shared_randomness import RandomnessKeeper
from pytest_evosearch.sut.state.sqlite_state import FileDatabase
from pytest_evosearch.sut.state.sqlite_state import MemoryDatabase
from pytest_evosearch.sut.state.sqlite_state import SqliteKeeper
from pytest_evosearch.sut.state.sqlite_state import find_databases
from pytest_evosearch.sut.state.sqlite_state import find_sessions
from pytest_evosearch.sut.state.sqlite_values import values_of_rows
from pytest_evosearch.sut.watching.sqlite_connections import active_connections


class StateKeeper(Protocol):
    """Remembers one kind of state, and brings it back as often as asked."""

    @property
    def description(self) -> str:
        """A phrase for the discovery block; empty for what goes without saying."""
        ...

    def snapshot(self) -> None:
        """Remember the present state."""
        ...

    def restore(self) -> None:
        """Bring the remembered state back, cheaply when nothing changed."""
        ...

    def close(self) -> None:
        """Let go of connections and memory."""
        ...


class SettingsKeeper:
    """Brings back `app.config`, which applications change when somebody saves their settings.

    What is inside of a setting is the affair of `GlobalsKeeper`.
    """

    description = ""

    def __init__(self, app: Any) -> None:
        self._settings: dict[str, Any] = app.config
        self._kept: dict[str, Any] = {}
        self.changed = False
        """Whether anything ever had to be brought back."""

    def snapshot(self) -> None:
        """Remember which setting has which value; what is inside of a value is not looked at."""
        self._kept = dict(self._settings)

    def restore(self) -> None:
        """Set each setting to the value of the snapshot, and remove those that are new."""
        settings, kept = self._settings, self._kept
        if len(settings) == len(kept) and all(
            name in kept and value is kept[name] for name, value in settings.items()
        ):
            return
        self.changed = True
        dict.clear(settings)
        dict.update(settings, kept)

    def holding(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the settings called `names`, as they were at the snapshot."""
        return {name: self._kept[name] for name in names}

    def close(self) -> None:
        """Nothing to let go of."""


class CombinedKeeper:
    """Several keepers as one."""

    def __init__(
        self,
        keepers: Sequence[StateKeeper],
        memory: GlobalsKeeper,
        settings: SettingsKeeper,
        caches: CachesKeeper,
        servers: ServersKeeper,
        databases: Sequence[FileDatabase | MemoryDatabase] = (),
    ) -> None:
        self._keepers = list(keepers)
        self._memory = memory
        self._settings = settings
        self._caches = caches
        self._servers = servers
        self._databases = databases
        self._milliseconds = 0.0

    @property
    def description(self) -> str:
        """What is restored and how long it takes, as in ``1 SQLite file, restored from memory``."""
        phrases = [keeper.description for keeper in self._keepers if keeper.description]
        if not phrases:
            return "none found"
        if not self._memory.complete:
            phrases.append("in part (too many objects)")
        return f"{', '.join(phrases)}, restored from memory ({self._milliseconds:.1f} ms)"

    @property
    def uses_databases(self) -> bool:
        """Say whether there is any SQLite database."""
        return bool(self._databases)

    @property
    def uses_servers(self) -> bool:
        """Say whether there is any database on a server."""
        return self._servers.count > 0

    @property
    def uses_memory_databases(self) -> bool:
        """Say whether there is a database that lives in memory."""
        return any(isinstance(database, MemoryDatabase) for database in self._databases)

    @property
    def database_files(self) -> tuple[Path, ...]:
        """The SQLite files, wherever they lie."""
        return tuple(one.path for one in self._databases if isinstance(one, FileDatabase))

    @property
    def database_count(self) -> int:
        """How many databases are known by now; more may come up during the search."""
        return len(self._databases) + self._servers.count

    def database_values(self, skip: int = 0) -> list[tuple[str, object]]:
        """Return (column, value) pairs of every database but the first `skip`.

        Those on servers count as the first ones.
        """
        on_servers = self._servers.rows(skip)
        files = self._databases[max(0, skip - self._servers.count) :]
        of_files = [pair for database in files for pair in database.values()]
        return [*values_of_rows(on_servers), *of_files]

    def snapshot(self) -> None:
        """Remember the present state of everything, and measure one way back."""
        for keeper in self._keepers:
            keeper.snapshot()
        started = time.perf_counter()
        self.restore()
        self._milliseconds = (time.perf_counter() - started) * 1000

    def restore(self) -> None:
        """Bring everything back."""
        for keeper in self._keepers:
            keeper.restore()

    def close(self) -> None:
        """Let go of connections and memory."""
        for keeper in self._keepers:
            keeper.close()

    def leave_servers(self) -> None:
        """Leave databases on servers as they were found: fixtures may be about to remove them."""
        self._servers.close()

    def state_source(self, depends_on: str = "") -> str | None:
        """Return a fixture that restores module globals between written tests.

        Only what the search saw changing is in it: None when nothing did.  `depends_on` names
        a fixture that has to come first, such as the one that builds the application.  The
        text needs ``import pytest`` above it, nothing else.
        """
        self._memory.restore()  # counters are written down as they stand
        return state_fixture(self._memory.modules, self._memory.changed_places(), depends_on)

    def settings_source(self, client_fixture: str) -> str | None:
        """Return a fixture that restores the application's configuration between written tests.

        None when the search saw no request change it.
        """
        self._memory.restore()  # the settings are looked at as they stand
        refilled = self._settings.holding(self._memory.changed_settings())
        if not refilled and not self._settings.changed:
            return None
        return settings_fixture(client_fixture, refilled)

    def caches_sources(self, client_fixture: str) -> list[str]:
        """Return fixtures that empty caches and rate limiters around each written test.

        Only what requests filled during the search is in them.
        """
        return self._caches.sources(client_fixture)


def choose_keeper(app: Any, modules: Iterable[ModuleType]) -> CombinedKeeper:
    """Find the state of `app` and return what keeps it.

    `modules` are the application's own.
    A SQLite file that is opened for the first time later is kept from then on, when
    `sqlite_connections.watched_connections` is active.
    """
    own = [module for module in modules if isinstance(module, ModuleType)]
    gc.collect()  # engines and sessions of applications that are gone are not this one's
    connections = active_connections()
    databases = find_databases(app, own, connections)
    memory = GlobalsKeeper(own, app.view_functions.values(), app.config, played_servers())
    sqlite = SqliteKeeper(databases, find_sessions())
    keepers: list[StateKeeper] = [sqlite]
    if connections is not None:
        sqlite.follow(connections)
    settings, caches = SettingsKeeper(app), CachesKeeper(app)
    servers = ServersKeeper(active_server_connections())
    keepers += [servers, HeldTransactionsKeeper(), memory, settings, caches, RandomnessKeeper()]
    return CombinedKeeper(keepers, memory, settings, caches, servers, databases)
