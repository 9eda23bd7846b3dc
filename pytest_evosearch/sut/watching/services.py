"""Notices missing services: refused connections, and names that are not found.

A service is tried once. When a call has ended without reaching it, later connections to its address
are refused at once, with the system's first error. So nothing waits for it again.
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.patches import Patches

_REASONS = {
    errno.ECONNREFUSED: "connection refused",
    errno.ENETUNREACH: "no network",
    errno.EHOSTUNREACH: "host unreachable",
    errno.ETIMEDOUT: "no answer",
    errno.ENOENT: "there is no such socket",
}
_UNIX = getattr(socket, "AF_UNIX", None)
_INTERNET = (socket.AF_INET, socket.AF_INET6)

Address = tuple[str, int]
"""Host and port; for a Unix socket its path, and 0."""

_IS_MISSED = "_pytest_evosearch_missed_service"
"""Attribute of a failure that does not show in another way that a service is missing."""


@dataclass(frozen=True)
class MissedService:
    """A service that a call needed and that could not be reached."""

    host: str
    port: int
    """The port; 0 when unknown."""
    reason: str
    packages: tuple[str, ...]
    """The packages that needed it, innermost first."""

    @property
    def name(self) -> str:
        """``localhost:6379``."""
        return f"{self.host}:{self.port}" if self.port else self.host


class ServiceWatch:
    """Notes unreachable services in each call, while it is installed."""

    def __init__(self, when_known: Callable[[], object] = bool) -> None:
        self._when_known = when_known
        """Called when a service is needed that is known to be missing."""
        self._known: dict[Address, OSError] = {}
        self._refused: dict[Address, OSError] = {}
        self._missed: dict[tuple[str, int], MissedService] = {}
        self._names: dict[str, str] = {}
        """The name that an address was last found for."""

    def begin(self) -> None:
        """Forget the missing services of the last call."""
        if self._missed or self._refused:
            self._missed, self._refused = {}, {}

    def take(self) -> tuple[MissedService, ...]:
        """Return the services that the call missed; those are not tried again."""
        if not self._missed:
            return ()
        self._known.update(self._refused)
        return tuple(self._missed.values())

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch connections and look-ups inside the block."""
        klass: Any = socket.socket
        real = {name: getattr(klass, name) for name in ("connect", "connect_ex")}
        real_lookup = socket.getaddrinfo
        watch = self

        def connect(self: Any, address: Any) -> Any:
            return watch._connected(self, address, real["connect"])

        def connect_ex(self: Any, address: Any) -> Any:
            try:
                return watch._tried(self, address, real["connect_ex"])
            except OSError as failure:
                return failure.errno

        def getaddrinfo(host: Any, port: Any, *arguments: Any, **keywords: Any) -> Any:
            return watch._looked_up(real_lookup, host, port, *arguments, **keywords)

        with Patches() as patches:
            patches.setattr(klass, "connect", connect)
            patches.setattr(klass, "connect_ex", connect_ex)
            patches.setattr(socket, "getaddrinfo", getaddrinfo)
            yield

    def _connected(self, connection: Any, address: Any, real: Callable[..., Any]) -> Any:
        place = _address_of(connection, address)
        if place is None:
            return real(connection, address)
        self._refuse_known(place)
        try:
            result = real(connection, address)
        except OSError as failure:
            self._note(place, failure)
            raise
        self._reached(place)
        return result

    def _tried(self, connection: Any, address: Any, real: Callable[..., Any]) -> int:
        """Connect as `socket.connect_ex` does: return the number of an error."""
        place = _address_of(connection, address)
        if place is not None:
            self._refuse_known(place)
        number: int = real(connection, address)
        if place is not None and number in _REASONS:
            self._note(place, OSError(number, _REASONS[number]))
        elif place is not None and not number:
            self._reached(place)
        return number

    def _looked_up(
        self, real: Callable[..., Any], host: Any, port: Any, *arguments: Any, **keywords: Any
    ) -> Any:
        try:
            found = real(host, port, *arguments, **keywords)
        except socket.gaierror as failure:
            number = port if isinstance(port, int) else 0
            self._miss(str(host), number, _said(failure) or "its name is not found")
            raise
        if isinstance(host, str):
            self._names.update((str(entry[4][0]), host) for entry in found)
        return found

    def _refuse_known(self, place: Address) -> None:
        failure = self._known.get(place)
        if failure is not None:
            self._note(place, failure)
            self._when_known()
            again = type(failure)(*failure.args)
            vars(again)[_IS_MISSED] = True
            raise again

    def _note(self, place: Address, failure: OSError) -> None:
        """Note a connection that failed because nothing is there."""
        number = failure.errno
        if isinstance(failure, TimeoutError):
            number = errno.ETIMEDOUT
        if number in _REASONS:
            vars(failure)[_IS_MISSED] = True
            self._refused[place] = failure
            host = self._names.get(place[0], place[0])
            self._miss(host, place[1], _said(failure) or _REASONS[number])

    def _miss(self, host: str, port: int, reason: str) -> None:
        packages = tuple(_packages(sys._getframe(1)))
        self._missed.setdefault((host, port), MissedService(host, port, reason, packages))

    def _reached(self, place: Address) -> None:
        """Remove a service whose other address responds."""
        host = self._names.get(place[0], place[0])
        if self._missed.pop((host, place[1]), None) is not None:
            self._refused.pop(place, None)


def is_missed_service(error: BaseException) -> bool:
    """Say whether an error is a failed connection to a missing service."""
    return bool(getattr(error, _IS_MISSED, False))


def _address_of(connection: Any, address: Any) -> Address | None:
    if connection.family in _INTERNET and isinstance(address, tuple) and len(address) > 1:
        host, port = address[:2]
        if isinstance(host, str) and isinstance(port, int):
            return host, port
    if connection.family == _UNIX and isinstance(address, str):
        return address, 0
    return None


def _said(failure: OSError) -> str:
    """Return the sandbox's own message, empty for the system's."""
    said = str(failure.strerror or "")
    return said if "pytest-evosearch" in said else ""


def _packages(frame: FrameType | None) -> Iterator[str]:
    """Yield the installed packages on the stack, innermost first, each once."""
    seen: dict[str, None] = {}
    while frame is not None:
        if "-packages" in frame.f_code.co_filename:
            seen.setdefault(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        frame = frame.f_back
    yield from (name for name in seen if name)
