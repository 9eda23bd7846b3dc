"""Says what the search must know of one database driver."""

from __future__ import annotations

import socket
from collections.abc import Callable
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.database_servers.own_session import OwnSession
from pytest_evosearch.sut.database_servers.redis_connections import Replacement

Arguments = tuple[tuple[Any, ...], dict[str, Any]]

_FOR_THE_APPLICATION = (
    "conv",
    "cursorclass",
    "cursor_factory",
    "row_factory",
    "connection_factory",
    "raw",
)
"""Parameters that say in which form the application wants its rows."""


@dataclass(frozen=True)
class Driver:
    """One database driver."""

    module: str
    """Module that must be imported before the driver can connect."""
    dialect: str
    doors: Callable[[ModuleType], list[tuple[Any, str]]]
    """Returns owner and name of each entry function."""
    read: Callable[[Arguments], Mapping[str, Any]]
    """Returns the parameters under libpq's names."""
    lead: Callable[[Arguments, Mapping[str, Any]], Arguments]
    """Returns the arguments with some parameters replaced; these have libpq's names."""
    in_transaction: Callable[[Any], bool]
    """Says whether a connection is in a transaction, without a request to the server."""
    open_own: Callable[[Callable[..., Any], Arguments], OwnSession]
    """Opens a session of ours with the arguments of the application's connection."""
    alias: str = ""
    """Another name of the first entry in the module, where it is a class method."""
    knows_place: bool = False
    """Whether the connection itself, not the arguments, says where it leads."""
    initializes: bool = False
    """Whether the entry is a method of an existing connection object."""
    cursors: tuple[str, ...] = ()
    """Cursor classes written in Python with their own `execute`."""
    cursor_factory: Callable[[], type[Any]] | None = None
    """Returns the cursor class of a connection whose attribute of this name is None."""
    below: Callable[[ModuleType], list[Replacement]] = lambda _module: []
    """Returns what else is replaced, below all entries."""
    roll_back: Callable[[Any], object] = lambda connection: connection.rollback()
    """Rolls back the transaction of a connection at once, without an event loop."""
    plain_cursor: Callable[[Any], Any] = lambda connection: connection.cursor()
    """Opens a cursor that returns rows as tuples, and reads them all at once."""
    connection_of: Callable[[Any], Any] = lambda cursor: cursor.connection
    """Returns the connection of a cursor."""


def without_forms(named: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters without those that say in which form rows are wanted."""
    return {name: value for name, value in named.items() if name not in _FOR_THE_APPLICATION}


def class_named(name: str) -> Any:
    """Import a class by the full name."""
    module, _, kind = name.rpartition(".")
    return getattr(import_module(module), kind)


def hang_up(transport: Any) -> None:
    """Close a connection at its socket: its event loop may be gone, and the server rolls back."""
    transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def may_be_in_transaction(_connection: Any) -> bool:
    """Return True for every connection: after an error, the driver's knowledge may be outdated."""
    return True
