"""Replaces what connects: a service beyond this machine is answered here, and never reached.

    socket.getaddrinfo        gives each foreign name an address of its own, which no network has
    socket.socket.connect     makes a socket to a foreign address an answering one
    SSLContext.wrap_socket    returns an answering socket unchanged
    SSLContext.wrap_bio       passes bytes through, for the event loops
    SSLContext.load_verify_locations   loads each file once (`postponed_certificates`)

Where services are refused, the first two raise instead, as on a machine without network.

Loopback, ports of other protocols and datagrams keep the policy below: what the sandbox refuses
stays refused.  What the project's tests stub acts above this seam and is not seen here.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
import ssl
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

from pytest_evosearch.sut.fixture_texts.service_stubs import SERVICES
from pytest_evosearch.sut.fixture_texts.service_stubs import Service
from pytest_evosearch.sut.outgoing.answering_sockets import answer_on
from pytest_evosearch.sut.outgoing.answering_sockets import end_all
from pytest_evosearch.sut.outgoing.asked_calls import BAD_CERTIFICATE
from pytest_evosearch.sut.outgoing.asked_calls import REFUSED
from pytest_evosearch.sut.outgoing.asked_calls import TIME_OUT
from pytest_evosearch.sut.outgoing.asked_calls import UNKNOWN_HOST
from pytest_evosearch.sut.outgoing.desk import AnswerDesk
from pytest_evosearch.sut.outgoing.postponed_certificates import PostponedCertificates
from pytest_evosearch.sut.patches import Patches

OTHER_PORTS = frozenset(
    (
        *(21, 22, 23, 25, 53, 110, 143, 389, 465, 587, 636, 993, 995),
        *(1433, 1521, 3306, 5432, 5671, 5672, 6379, 9042, 9092, 11211, 27017),
    )
)
"""Ports of mail, databases, queues and directories: these do not speak HTTP."""

_INTERNET = (socket.AF_INET, socket.AF_INET6)

_REFUSAL = "pytest-evosearch refuses it; --evosearch-allow-net permits hosts by name"


class ServiceSeam:
    """Answers connections to foreign hosts, while it is installed and a call is running."""

    def __init__(self, desk: AnswerDesk, real: Collection[str] = (), refuses: bool = False) -> None:
        self._desk = desk
        self._refuses = refuses
        """Whether foreign hosts are out of reach, instead of answered."""
        self._real = frozenset(real)
        """Hosts that are reached; ``*`` for all."""
        self._names: dict[str, str] = {}
        """Address -> the name that it was given for."""
        self._addresses: dict[str, str] = {}
        self._own_name = socket.gethostname()
        self._certificates = PostponedCertificates(ssl.SSLContext.load_verify_locations)

    def begin_test(self) -> None:
        """Forget names and connections of the last test."""
        if self._names:
            self._names, self._addresses = {}, {}
            end_all()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Answer inside the block."""
        klass: Any = socket.socket
        with Patches() as patches:
            patches.wrap(socket, "getaddrinfo", self._looking_up)
            for name in ("connect", "connect_ex"):
                real = getattr(klass, name)
                patches.setattr(klass, name, self._connecting(real, numbers=name == "connect_ex"))
            patches.wrap(ssl.SSLContext, "wrap_socket", self._wrapping)
            patches.wrap(ssl.SSLContext, "wrap_bio", self._wrapping_bytes)
            patches.setattr(ssl.SSLContext, "load_verify_locations", self._loading())
            try:
                yield
            finally:
                self._certificates.complete_all()
                end_all()

    def _looking_up(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def getaddrinfo(
            host: Any,
            port: Any,
            family: int = 0,
            type: int = 0,  # noqa: A002 - the name of the real one
            proto: int = 0,
            flags: int = 0,
        ) -> Any:
            number, name = _number(port), _text(host)
            if type == socket.SOCK_DGRAM or not self._answers(name, number) or _is_address(name):
                return real(host, port, family, type, proto, flags)
            self._desk.looked_up[name.lower()] = None
            if self._refuses:
                raise socket.gaierror(socket.EAI_FAIL, _REFUSAL)
            if self._desk.fails(name, number, UNKNOWN_HOST):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            place = (self._address(name), number)
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place)]

        return getaddrinfo

    def _connecting(self, real: Callable[..., Any], numbers: bool) -> Callable[..., Any]:
        def connect(connection: Any, address: Any) -> Any:
            found = self._host(connection, address)
            if found is None:
                return real(connection, address)
            try:
                self._connect(connection, *found)
            except OSError as failure:
                if numbers:
                    return failure.errno
                raise
            return 0 if numbers else None

        return connect

    def _connect(self, connection: Any, host: str, port: int) -> None:
        if self._refuses:
            raise OSError(errno.ENETUNREACH, _REFUSAL)
        if self._desk.fails(host, port, REFUSED):
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        if self._desk.fails(host, port, TIME_OUT):
            raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")
        answer_on(connection, host, port, self._desk)

    def _host(self, connection: Any, address: Any) -> tuple[str, int] | None:
        """Return the foreign host that a socket is to connect to; None for any other."""
        if not self._desk.is_open or connection.family not in _INTERNET:
            return None
        if connection.type & socket.SOCK_STREAM != socket.SOCK_STREAM:
            return None
        if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[1], int):
            return None
        host = self._names.get(_text(address[0]), _text(address[0]))
        return (host, address[1]) if self._answers(host, address[1]) else None

    def _wrapping(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrap_socket(context: Any, sock: Any, *arguments: Any, **keywords: Any) -> Any:
            if sock not in SERVICES:
                self._certificates.complete(context)
                return real(context, sock, *arguments, **keywords)
            self._encrypt(context, SERVICES[sock])
            return sock

        return wrap_socket

    def _wrapping_bytes(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrap_bio(
            context: Any,
            incoming: Any,
            outgoing: Any,
            server_side: bool = False,
            server_hostname: Any = None,
            session: Any = None,
        ) -> Any:
            host = _text(server_hostname)
            opened = [one for one in SERVICES.values() if one.host == host]
            if server_side or not opened:
                self._certificates.complete(context)
                return real(context, incoming, outgoing, server_side, server_hostname, session)
            self._encrypt(context, opened[-1])
            # Only an event loop wraps bytes: asyncio is loaded.
            from pytest_evosearch.sut.fixture_texts.loop_service_stubs import PlainTls

            return PlainTls(incoming, outgoing)

        return wrap_bio

    def _loading(self) -> Callable[..., Any]:
        def load_verify_locations(context: Any, *given: Any, **named: Any) -> Any:
            load = self._certificates.load if self._desk.is_open else self._certificates.real
            return load(context, *given, **named)

        return load_verify_locations

    def _encrypt(self, context: Any, service: Service) -> None:
        """Agree on TLS."""
        place = service.host, service.port
        if context.verify_mode != ssl.CERT_NONE and self._desk.fails(*place, BAD_CERTIFICATE):
            raise ssl.SSLCertVerificationError(1, "certificate verify failed")
        service.scheme = "https"

    def _answers(self, host: str, port: int) -> bool:
        """Say whether a host is answered here."""
        if not self._desk.is_open or not host or port in OTHER_PORTS or not port:
            return False
        if host == self._own_name or _is_local(host) or self._desk.speaks_otherwise(host, port):
            return False
        return "*" not in self._real and host not in self._real

    def _address(self, name: str) -> str:
        known = self._addresses.get(name)
        if known is None:
            high, low = divmod(len(self._addresses) + 1, 250)
            known = self._addresses[name] = f"198.18.{high}.{low + 1}"
            self._names[known] = name
        return known


def _text(host: Any) -> str:
    if isinstance(host, bytes):
        return host.decode("ascii", "replace")
    return host.rstrip(".") if isinstance(host, str) else ""


def _number(port: Any) -> int:
    with suppress(TypeError, ValueError):
        return int(port)
    return {"http": 80, "https": 443}.get(_text(port), 0)


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(host.partition("%")[0])
        return True
    return False


def _is_local(host: str) -> bool:
    if host in ("localhost", "0.0.0.0", "::") or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    return False
