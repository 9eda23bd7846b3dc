"""Sees every connection to a database server, and may redirect it to another server.

    application -> driver's connect -> a door of `drivers.DRIVERS`, replaced here -> server

The seen parameters, with passwords, are enough to open sessions of our own. So users need not
configure anything.
"""

from __future__ import annotations

import errno
import functools
import inspect
import sys
import threading
import weakref
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from functools import partial
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.driver import Arguments
from pytest_evosearch.sut.database_servers.driver import Driver
from pytest_evosearch.sut.database_servers.drivers import DRIVERS
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.places import REDIS
from pytest_evosearch.sut.database_servers.places import TABLES
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.places import place_of
from pytest_evosearch.sut.database_servers.seen_statements import SeenStatements
from pytest_evosearch.sut.late_imports import LateImports
from pytest_evosearch.sut.late_imports import changed_modules
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.queries.watch import QueryWatch

Parameters = Mapping[str, Any]
Leading = Callable[[Place, Callable[[Parameters], OwnSession]], Parameters]
"""Returns parameters to replace, so that a connection goes to another server.

It may open a session of our own there.
"""


@dataclass(frozen=True)
class SeenDatabase:
    """A database that the application connects to."""

    place: Place
    open_session: Callable[[], OwnSession] = field(compare=False)
    """Opens a session of our own to this database."""
    driver: str = ""
    """The package by which the application connects."""
    led: bool = False
    """Whether the connection was redirected to a throw-away server."""


@dataclass
class ServerConnections:
    """The databases, in the order of their first connection."""

    databases: dict[Place, SeenDatabase] = field(default_factory=dict)
    lead: Leading | None = None
    """Returns where connections go instead; None to leave them alone."""
    listeners: list[Callable[[SeenDatabase], None]] = field(default_factory=list)
    """Called for a database before the application gets its first connection."""
    queries: QueryWatch | None = None
    """Asked about every statement before it runs."""
    refused: list[Callable[[], object]] | None = None
    """Callbacks for databases whose connections are refused; None while none is refused."""
    live: dict[int, tuple[weakref.ref[Any], Driver]] = field(default_factory=dict)
    """Connections that are not yet garbage."""
    _listening: threading.RLock = field(default_factory=threading.RLock, repr=False)

    def see(self, database: SeenDatabase) -> None:
        """Note a database, and notify the listeners when it is new."""
        with self._listening:  # threads of a pool connect at once, and all wait for the listeners
            if database.place not in self.databases:
                self.databases[database.place] = database
                try:
                    for listener in list(self.listeners):
                        listener(database)
                except BaseException:  # refused; the next connection tries again
                    del self.databases[database.place]
                    raise

    def note(self, connection: Any, driver: Driver) -> None:
        """Note an open connection for as long as it is used."""
        number = id(connection)
        reference = weakref.ref(connection, lambda _gone: self.live.pop(number, None))
        self.live[number] = reference, driver

    def led_driver(self) -> str:
        """Return the package by which the application connects to throw-away tables."""
        found = (one for one in self.databases.values() if one.led)
        return next((one.driver for one in found if one.place.dialect in TABLES), "")

    def leads_to(self, database: str) -> bool:
        """Say whether a database is on a throw-away server."""
        return any(one.led and one.place.database == database for one in self.databases.values())

    def leads_redis(self) -> bool:
        """Say whether connections to Redis go to a throw-away server."""
        return any(one.led and one.place.dialect == REDIS for one in self.databases.values())

    def in_transaction(self) -> list[Any]:
        """Return the connections that are in a transaction now."""
        found = []
        for reference, driver in list(self.live.values()):
            connection = reference()
            with suppress(Exception):
                if connection is not None and driver.in_transaction(connection):
                    found.append(connection)
        return found

    def roll_back(self, connection: Any) -> None:
        """Roll back the transaction of a connection."""
        known = self.live.get(id(connection))
        if known is not None:
            with suppress(Exception):
                known[1].roll_back(connection)


class ServerHook:
    """Replaces entry functions of drivers, and notifies everything on its list."""

    def __init__(self) -> None:
        self.watching: list[ServerConnections] = []
        """The innermost is last, and decides where a connection goes."""
        self.statements = SeenStatements(self.watching_queries, self.own_session)

    def watching_queries(self) -> QueryWatch | None:
        """Return the watch that examines statements now."""
        return self.watching[-1].queries if self.watching else None

    def own_session(self, driver: Driver, name: str) -> OwnSession | None:
        """Open a session of ours to a seen database; return None for an unknown one."""
        for connections in reversed(self.watching):
            for database in connections.databases.values():
                if (database.place.dialect, database.place.database) == (driver.dialect, name):
                    return database.open_session()
        return None

    def replace_doors(self, driver: Driver, patches: Patches) -> None:
        """Replace the entry functions of an imported driver."""
        module = sys.modules[driver.module]
        for owner, name, replacement in driver.below(module):
            patches.setattr(owner, name, replacement)
        doors = driver.doors(module)
        for owner, name in doors:
            patches.setattr(owner, name, _stand_in(vars(owner)[name], driver, self))
        if driver.alias:
            patches.setattr(module, driver.alias, getattr(*doors[0]))

    def led(self, driver: Driver, real: Callable[..., Any], arguments: Arguments) -> Arguments:
        """Return the arguments to connect with, and notify the listeners."""
        is_named = driver.knows_place or not driver.initializes or arguments[0][1:] or arguments[1]
        if not self.watching or not is_named:
            return arguments
        watching = self.watching[-1]
        if watching.refused is not None:
            watching.refused.append(partial(self.led, driver, real, arguments))
            raise ConnectionRefusedError(errno.ECONNREFUSED, "the search has not begun")
        place = place_of(driver.dialect, driver.read(arguments))
        led = watching.lead is not None
        if watching.lead is not None:
            given = arguments
            arguments = driver.lead(
                given,
                watching.lead(
                    place, lambda changes: driver.open_own(real, driver.lead(given, changes))
                ),
            )
            place = place_of(driver.dialect, driver.read(arguments))
        package = driver.module.partition(".")[0]
        open_session = partial(driver.open_own, real, arguments)
        database = SeenDatabase(place, open_session, package, led)
        for connections in self.watching:
            connections.see(database)
        return arguments

    def opened(self, driver: Driver, connection: Any) -> Any:
        """Notify the listeners of an open connection, and return it."""
        for connections in self.watching:
            with suppress(TypeError):  # a class without weak references
                connections.note(connection, driver)
        if self.watching_queries() is not None:
            self.statements.watch(driver, connection)
        return connection


def _stand_in(real: Any, driver: Driver, hook: ServerHook) -> Any:
    """Return the replacement of an entry: a function, or a class method where it was one."""
    if isinstance(real, classmethod):
        return classmethod(_stand_in(real.__func__, driver, hook))
    if inspect.iscoroutinefunction(real):

        @functools.wraps(real)
        async def connect_soon(*positional: Any, **named: Any) -> Any:
            positional, named = hook.led(driver, real, (positional, named))
            return hook.opened(driver, await real(*positional, **named))

        return connect_soon

    @functools.wraps(real)
    def connect(*positional: Any, **named: Any) -> Any:
        positional, named = hook.led(driver, real, (positional, named))
        connection = real(*positional, **named)
        hook.opened(driver, positional[0] if driver.initializes else connection)
        return connection

    return connect


@contextmanager
def installed_server_hook() -> Iterator[ServerHook]:
    """Install the replacements, unless they are installed; no listener is called yet."""
    active = active_hook()
    if active is not None:
        yield active
        return
    hook, patches = ServerHook(), Patches()

    def changing(driver: Driver) -> Callable[[ModuleType], None]:
        return lambda _module: hook.replace_doors(driver, patches)

    with changed_modules({one.module: changing(one) for one in DRIVERS}) as finder:
        finder.owner = hook
        try:
            yield hook
        finally:
            hook.statements.undo()
            patches.undo()


@contextmanager
def watched_server_connections(lead: Leading | None = None) -> Iterator[ServerConnections]:
    """Record connections to databases on servers; `lead` may redirect them.

    Inside the block of another call, a call without `lead` changes nothing.
    """
    active = active_server_connections()
    if active is not None and lead is None:
        yield active
        return
    connections = ServerConnections(lead=lead, queries=active.queries if active else None)
    with installed_server_hook() as hook:
        hook.watching.append(connections)
        try:
            yield connections
        finally:
            hook.watching.remove(connections)


def active_server_connections() -> ServerConnections | None:
    """Return the record of the innermost block, None outside all blocks."""
    hook = active_hook()
    return hook.watching[-1] if hook is not None and hook.watching else None


def active_hook() -> ServerHook | None:
    """Return the hook that is installed now."""
    for finder in sys.meta_path:
        if isinstance(finder, LateImports) and isinstance(finder.owner, ServerHook):
            return finder.owner
    return None
