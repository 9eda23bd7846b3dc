"""Limits an application's network access to loopback.

    an audit hook (PEP 578)    sees every connection, datagram and look-up, by whichever name
                               the function is called, and refuses those that go beyond
    methods of sockets         are replaced, too: given the name of a host, they look it up before
                               the hook sees them, and `connect_ex` returns its errors
    socket.getaddrinfo         tells which addresses a name has that may be reached

An audit hook cannot be removed. So the first sandbox installs one for the process, which returns at
once outside a sandbox. Drivers written in C that connect by themselves escape.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.sut.patches import Patches

_MAIL_PORTS = frozenset((25, 465, 587))
"""Ports of mail servers: a local server would deliver, so they are refused on loopback, too."""

_c_module: Any = sys.modules["_socket"]
"""The module below `socket`, which callers of `socket` see."""


_LOOKING_UP = frozenset(
    (
        *("socket.getaddrinfo", "socket.gethostbyname"),
        *("socket.gethostbyaddr", "socket.getnameinfo"),
    )
)

_HOOK_OWNER = "pytest_evosearch"
"""Package whose module keeps the only hook of the process, even when this module is reloaded."""


@contextmanager
def guarded_network(note: Callable[[str], None], allowed: Sequence[str]) -> Iterator[None]:
    """Refuse connections and look-ups beyond loopback, except for the hosts in `allowed`."""
    rules = _Rules(note, allowed)
    klass: Any = socket.socket
    real = {
        name: getattr(klass, name)
        for name in ("connect", "connect_ex", "sendto", "sendmsg")
        if hasattr(klass, name)
    }
    real_lookup, base = socket.getaddrinfo, _c_module.socket

    def getaddrinfo(host: Any, *arguments: Any, **keywords: Any) -> Any:
        rules.check_name(host)
        found = real_lookup(host, *arguments, **keywords)
        rules.admit(host, found)
        return found

    checked = {name: _checking(getattr(base, name), rules) for name in real}
    # Without slots, like the real class: gevent derives a class that adds ``__weakref__``.
    refusing = type("socket", (base,), {"__slots__": (), **checked})
    with Patches() as patches:
        for name, function in real.items():
            patches.setattr(klass, name, _checking(function, rules))
        patches.setattr(socket, "getaddrinfo", getaddrinfo)
        patches.setattr(_c_module, "socket", refusing)
        listeners = _listeners()
        listeners.append(rules.listen)
        try:
            yield
        finally:
            listeners.remove(rules.listen)


def _checking(real: Callable[..., Any], rules: _Rules) -> Callable[..., Any]:
    """Return a socket method that checks the address, its last positional argument."""

    def send(self: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            rules.check(self, arguments[-1] if arguments else None)
        except OSError as refusal:
            if real.__name__ == "connect_ex":
                return refusal.errno
            raise
        return real(self, *arguments, **keywords)

    return send


def _listeners() -> list[Callable[[str, tuple[Any, ...]], None]]:
    """Return the listeners for socket events; the first call installs the hook."""
    owner: Any = sys.modules[_HOOK_OWNER]
    listeners: list[Callable[[str, tuple[Any, ...]], None]] | None
    listeners = vars(owner).get("_network_listeners")
    if listeners is None:
        listeners = owner._network_listeners = []
        sys.addaudithook(_hook_for(listeners))
    return listeners


def _hook_for(
    listeners: list[Callable[[str, tuple[Any, ...]], None]],
) -> Callable[[str, tuple[Any, ...]], None]:
    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if listeners and event.startswith("socket."):
            for listener in listeners:
                listener(event, arguments)

    return listen


class _Rules:
    """Decides which hosts may be reached."""

    def __init__(self, note: Callable[[str], None], allowed: Sequence[str]) -> None:
        self._note = note
        self._allowed = set(allowed)
        self._own_name = socket.gethostname()
        self._addresses: set[str] = set()
        """Resolved addresses of allowed names."""

    def listen(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Refuse what an audit event announces, by an exception."""
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            self.check(*arguments)
        elif event in _LOOKING_UP:
            named = arguments[0]
            self.check_name(named[0] if isinstance(named, tuple) and named else named)
            if event == "socket.gethostbyname" and self._is_named(str(named)):
                with suppress(OSError):
                    socket.getaddrinfo(named, None)  # so that its addresses are admitted

    def check(self, connection: socket.socket, address: Any) -> None:
        """Raise OSError when `address` must not be reached."""
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            return
        if not isinstance(address, tuple) or len(address) < 2:
            return  # a wrong call: the real function raises
        host, port = str(address[0]), address[1]
        if self._permits(host) and not (port in _MAIL_PORTS and not self._is_named(host)):
            return
        self._note(f"connect to {host}:{port}")
        raise OSError(errno.ENETUNREACH, "the sandbox of pytest-evosearch has no network")

    def check_name(self, host: Any) -> None:
        """Raise `socket.gaierror` when `host` must not be looked up."""
        name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if not isinstance(name, str) or name == self._own_name or self._permits(str(name)):
            return
        self._note(f"look up {name}")
        raise socket.gaierror(socket.EAI_FAIL, "the sandbox of pytest-evosearch has no network")

    def admit(self, host: Any, found: Sequence[Any]) -> None:
        """Admit the addresses of an allowed name."""
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
