"""Lets an application reach loopback, and nothing beyond."""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from typing import Any
from typing import Protocol

_MAIL_PORTS = frozenset((25, 465, 587))
"""Ports of mail servers: a local one would deliver, so they are refused on loopback too."""


class NetworkGuard(Protocol):
    """What is told about attempts."""

    def note(self, attempt: str) -> None:
        """Count an attempt."""
        ...


@contextmanager
def guarded_network(guard: NetworkGuard, allowed: Sequence[str]) -> Iterator[None]:
    """Refuse connections and look-ups beyond loopback, except for the hosts in `allowed`."""
    rules = _Rules(guard, allowed)
    klass: Any = socket.socket
    real_lookup = socket.getaddrinfo
    real = {name: getattr(klass, name) for name in ("connect", "connect_ex", "sendto")}
    own = {name: name in vars(klass) for name in real}

    def connect(self: Any, address: Any) -> Any:
        rules.check(self, address)
        return real["connect"](self, address)

    def connect_ex(self: Any, address: Any) -> Any:
        try:
            rules.check(self, address)
        except OSError as refusal:
            return refusal.errno
        return real["connect_ex"](self, address)

    def sendto(self: Any, *arguments: Any) -> Any:
        rules.check(self, arguments[-1])
        return real["sendto"](self, *arguments)

    def getaddrinfo(host: Any, *arguments: Any, **keywords: Any) -> Any:
        rules.check_name(host)
        found = real_lookup(host, *arguments, **keywords)
        rules.admit(host, found)
        return found

    klass.connect, klass.connect_ex, klass.sendto = connect, connect_ex, sendto
    socket.getaddrinfo = getaddrinfo
    try:
        yield
    finally:
        socket.getaddrinfo = real_lookup
        for name, function in real.items():
            if own[name]:
                setattr(klass, name, function)
            else:
                delattr(klass, name)


class _Rules:
    """Decides which hosts may be reached."""

    def __init__(self, guard: NetworkGuard, allowed: Sequence[str]) -> None:
        self._guard = guard
        self._allowed = set(allowed)
        self._addresses: set[str] = set()
        """Addresses that allowed names resolved to."""

    def check(self, connection: socket.socket, address: Any) -> None:
        """Raise OSError when `address` must not be reached."""
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            return
        if not isinstance(address, tuple) or len(address) < 2:
            return  # a wrong call: the real function complains
        host, port = str(address[0]), address[1]
        if self._permits(host) and not (port in _MAIL_PORTS and not self._is_named(host)):
            return
        self._guard.note(f"connect to {host}:{port}")
        raise OSError(errno.ENETUNREACH, "the sandbox of pytest-evosearch has no network")

    def check_name(self, host: Any) -> None:
        """Raise `socket.gaierror` when `host` must not even be looked up."""
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if name is None or self._permits(name):
            return
        self._guard.note(f"look up {name}")
        raise socket.gaierror(socket.EAI_FAIL, "the sandbox of pytest-evosearch has no network")

    def admit(self, host: Any, found: Sequence[Any]) -> None:
        """Let the addresses of an allowed name through."""
        if self._is_named(str(host)):
            self._addresses.update(str(entry[4][0]) for entry in found)

    def _permits(self, host: str) -> bool:
        return _is_loopback(host) or self._is_named(host)

    def _is_named(self, host: str) -> bool:
        return "*" in self._allowed or host in self._allowed or host in self._addresses


def _is_loopback(host: str) -> bool:
    if host in ("localhost", "", "0.0.0.0", "::") or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    return False
