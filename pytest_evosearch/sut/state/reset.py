"""Brings an application's state back between tests: strategies behind one protocol.

State is restored, not rebuilt: rebuilding an application costs 12 to 700 ms, restoring it
in place less than a millisecond, and most applications are singletons that cannot be rebuilt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from types import ModuleType
from typing import Any
from typing import NamedTuple
from typing import Protocol
from typing import TypeVar
from typing import runtime_checkable

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import time
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from pytest_evosearch.sut.fixture_texts.state_text import application_fixture
from pytest_evosearch.sut.fixture_texts.state_text import settings_fixture
from pytest_evosearch.sut.fixture_texts.state_text import state_fixture
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
from pytest_evosearch.sut.state.sqlite_state import find_sessions
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

_Kind = TypeVar("_Kind")


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


@runtime_checkable
class DatabasesKeeper(StateKeeper, Protocol):
    """Keeps the databases of one kind; more may come up during the search."""

    @property
    def count(self) -> int:
        """How many databases are known by now."""
        ...

    def values(self, skip: int = 0) -> Iterable[tuple[str, object]]:
        """Return (column, value) pairs of every database but the first `skip`."""
        ...


class Application(NamedTuple):
    """The application whose state is looked for."""

    app: Any
    modules: list[ModuleType]
    """The application's own."""


CONFIGURATION = "app.config"
"""What the settings are called among places that changed; a module may have that name, too."""


class SettingsKeeper:
    """Brings back `app.config`, which applications change when a user saves settings.

    `GlobalsKeeper` restores what is inside of a setting.
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
        if self._is_unchanged():
            return
        self.changed = True
        dict.clear(settings)
        dict.update(settings, kept)

    def _is_unchanged(self) -> bool:
        settings, kept = self._settings, self._kept
        return len(settings) == len(kept) and all(
            name in kept and value is kept[name] for name, value in settings.items()
        )

    def restored_places(self) -> list[str]:
        """Bring the settings back, and say whether any had changed."""
        changed = not self._is_unchanged()
        self.restore()
        return [CONFIGURATION] if changed else []

    def holding(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the settings called `names`, as they were at the snapshot."""
        return {name: self._kept[name] for name in names}

    def close(self) -> None:
        """Nothing to let go of."""


class CombinedKeeper:
    """Several keepers as one."""

    def __init__(self, keepers: Sequence[StateKeeper]) -> None:
        self._keepers = list(keepers)
        self._memory = self._the(GlobalsKeeper)
        self._settings = self._the(SettingsKeeper)
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
        """What is restored and how long it takes, as in ``1 SQLite file, restored from memory``."""
        phrases = [keeper.description for keeper in self._keepers if keeper.description]
        if not phrases:
            return "none found"
        if not self._memory.complete:
            phrases.append("in part (too many objects)")
        return f"{', '.join(phrases)}, restored from memory ({self._milliseconds:.1f} ms)"

    @property
    def sqlite(self) -> SqliteKeeper:
        """What keeps the SQLite databases, wherever they lie."""
        return self._sqlite

    @property
    def uses_servers(self) -> bool:
        """Say whether there is any database with tables on a server."""
        return self._servers.has_tables

    def new_database_values(self) -> list[tuple[str, object]]:
        """Return (column, value) pairs of the databases that came up since the last time."""
        found: list[tuple[str, object]] = []
        for keeper, shown in self._shown.items():
            found += keeper.values(shown)
            self._shown[keeper] = keeper.count
        return found

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

    def application_source(self, client_fixture: str) -> str | None:
        """Return a fixture that restores what hangs at the application between written tests.

        None when the search saw no request change it.
        """
        self._memory.restore()
        return application_fixture(client_fixture, self._memory.changed_at_application())

    def caches_sources(self, client_fixture: str) -> list[str]:
        """Return fixtures that empty caches and rate limiters around each written test.

        Only what requests filled during the search is in them.
        """
        return self._caches.sources(client_fixture)


def places_in_memory(keeper: CombinedKeeper) -> list[str]:
    """Bring the application's memory and settings back, and name what had changed."""
    return [*keeper._memory.restored_places(), *keeper._settings.restored_places()]


def note_changed_places(keeper: CombinedKeeper, places: Iterable[str]) -> None:
    """Take places in memory and settings for changed that a forked process had to bring back."""
    noted = dict.fromkeys(places)
    keeper._settings.changed |= CONFIGURATION in noted
    noted.pop(CONFIGURATION, None)
    keeper._memory.note_changed(noted)


def _sqlite_of(application: Application) -> SqliteKeeper:
    """Keep SQLite databases, and files that are opened later while connections are watched."""
    connections = active_connections()
    databases = find_databases(application.app, application.modules, connections)
    keeper = SqliteKeeper(databases, find_sessions())
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
    lambda application: SettingsKeeper(application.app),
    lambda application: CachesKeeper(application.app),
    lambda _application: RandomnessKeeper(),
)
"""What makes the keeper of each kind of state, in the order in which state is brought back."""


def choose_keeper(
    app: Any,
    modules: Iterable[ModuleType],
    kinds: Sequence[Callable[[Application], StateKeeper]] = KEEPERS,
) -> CombinedKeeper:
    """Find the state of `app`, whose own modules are `modules`, and return what keeps it."""
    own = [module for module in modules if isinstance(module, ModuleType)]
    if "sqlalchemy" in sys.modules or stores_are_loaded():  # looked for among all objects
        gc.collect()  # engines and sessions of applications that are gone are not this one's
    application = Application(app, own)
    return CombinedKeeper([make(application) for make in kinds])
