"""Sockets that answer by themselves: no server, no thread, nothing leaves the machine.

A connected socket gets the class `AnsweringSocket`, and one end of a pair of sockets takes the
place of its descriptor.  The descriptor is readable exactly while there is something to read.  So
`select`, event loops and pools of connections see what they would see of a server.
"""

from __future__ import annotations

import errno
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from typing import Protocol
from weakref import WeakKeyDictionary

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.outgoing.asked_calls import RESET
from pytest_evosearch.sut.outgoing.asked_calls import TIME_OUT
from pytest_evosearch.sut.outgoing.asked_calls import TRUNCATED
from pytest_evosearch.sut.outgoing.asked_calls import Answer
from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest
from pytest_evosearch.sut.outgoing.asked_calls import address_of
from pytest_evosearch.sut.outgoing.http_messages import CONTINUE
from pytest_evosearch.sut.outgoing.http_messages import Message
from pytest_evosearch.sut.outgoing.http_messages import OtherProtocol
from pytest_evosearch.sut.outgoing.http_messages import RequestReader
from pytest_evosearch.sut.outgoing.http_messages import answered
from pytest_evosearch.sut.outgoing.http_messages import is_last

_pair: Callable[..., Any] = socket.socketpair
_Plain = socket.socket
_OWN_ADDRESS = ("198.18.255.254", 50000)


class Answering(Protocol):
    """What the connections need of `sut.outgoing.desk.AnswerDesk`."""

    def answer(self, request: OutgoingRequest, timeout: float | None) -> Answer:
        """Return the answer to a request that waits so long; 0 in an event loop."""
        ...

    def note_other_protocol(self, host: str, port: int) -> None:
        """Note that a client does not speak HTTP."""
        ...

    def is_encrypted(self, host: str, port: int) -> bool:
        """Say whether an event loop speaks TLS with a host."""
        ...


class _Connection:
    """The other end of one answering socket."""

    def __init__(self, host: str, port: int, peer: Any, desk: Answering) -> None:
        self.host, self.port = host, port
        self.encrypted = False
        self.failure = ""
        self.has_ended = False
        self.waiting = bytearray()
        self._desk = desk
        self._peer = peer
        self._reader = RequestReader()
        self._is_readable = False

    def take(self, connection: Any, data: bytes) -> None:
        """Take what the client sends, and answer complete requests."""
        if self.has_ended:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        try:
            message = self._reader.feed(data)
            while message is not None:
                self._answer(connection, message)
                message = self._reader.feed(b"")
        except OtherProtocol:
            self.refuse_protocol()
        else:
            if self._reader.awaits_continue:
                self.waiting += CONTINUE
        self._show()

    def _answer(self, connection: Any, message: Message) -> None:
        if message.method == "CONNECT":  # a proxy: what follows goes to the named host
            host, _colon, port = message.target.rpartition(":")
            self.host, self.port = host.strip("[]"), int(port) if port.isdigit() else 443
            self.waiting += b"HTTP/1.1 200 Connection established\r\n\r\n"
            return
        answer = self._desk.answer(self._request(message), connection.gettimeout())
        if answer.failure in (TIME_OUT, RESET):
            self.failure = answer.failure
            if answer.failure == TIME_OUT and connection.gettimeout() == 0.0:
                self._pass_time()
            return
        self.waiting += answered(message, answer)
        self.has_ended = answer.failure == TRUNCATED or is_last(message)

    def _request(self, message: Message) -> OutgoingRequest:
        target, _mark, query = message.target.partition("?")
        if target.startswith("/"):
            encrypted = self.encrypted or self._desk.is_encrypted(self.host, self.port)
            target = address_of("https" if encrypted else "http", self.host, self.port) + target
        return OutgoingRequest(message.method, target, query, message.headers, message.body)

    def refuse_protocol(self) -> None:
        """Break the connection off: the client does not speak HTTP."""
        self._desk.note_other_protocol(self.host, self.port)
        self.failure = RESET

    def _pass_time(self) -> None:
        """Let the next timer of an event loop end, as nothing will come until then."""
        loop: Any = None
        with suppress(RuntimeError):
            loop = sys.modules["asyncio"].get_running_loop() if "asyncio" in sys.modules else None
        if loop is None or not getattr(loop, "_scheduled", None):
            self.failure = RESET
            return
        clock = loop.time
        # Not at once: the client sets its timer for the answer after it has sent the request.
        loop.call_soon(lambda: loop.call_soon(_move_on, loop, clock))

    def read(self, connection: Any, size: int, peeks: bool) -> bytes:
        """Return bytes of the answer; raise as a socket does where there are none."""
        if self.waiting:
            data = bytes(self.waiting[:size])
            if not peeks:
                del self.waiting[:size]
                self._show(connection)
            return data
        if self.has_ended and not self.failure:
            return b""
        if self.failure == RESET:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if connection.gettimeout() == 0.0:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        if self.failure == TIME_OUT:
            raise TimeoutError("timed out")
        self.refuse_protocol()  # a client that reads first
        raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    def _show(self, connection: Any = None) -> None:
        """Make the descriptor readable exactly while there is something to read."""
        wanted = bool(self.waiting) or self.has_ended or self.failure == RESET
        if wanted and not self._is_readable:
            with suppress(OSError):
                self._peer.send(b"\0")
            self._is_readable = True
        elif not wanted and self._is_readable and connection is not None:
            with suppress(OSError):
                _Plain.recv(connection, 1)
            self._is_readable = False

    def end(self) -> None:
        """End the connection, as a server does that stops."""
        self.has_ended = True
        self._show()

    def close(self) -> None:
        """Close the other end."""
        with suppress(OSError):
            self._peer.close()

    __del__ = close


def _move_on(loop: Any, clock: Callable[[], float]) -> None:
    """Move the clock of a loop to its next timer."""
    timers = [one.when() for one in loop._scheduled if not one.cancelled()]
    if timers:
        ahead = max(0.0, min(timers) - clock()) + 0.001
        loop.time = lambda: clock() + ahead


_connections: WeakKeyDictionary[Any, _Connection] = WeakKeyDictionary()


def answer_on(connection: Any, host: str, port: int, desk: Answering) -> None:
    """Let a socket that wants to connect answer by itself."""
    ours, peer = _pair()
    with ours:
        os.dup2(ours.fileno(), connection.fileno(), inheritable=False)
    peer.setblocking(False)
    connection.settimeout(connection.gettimeout())
    connection.__class__ = AnsweringSocket
    _connections[connection] = _Connection(host, port, peer, desk)


def end_all() -> None:
    """End all connections: those of one test do not serve the next one."""
    for one in list(_connections.values()):
        one.end()


def encrypt(connection: Any) -> bool:
    """Say that a socket is to speak TLS; True where it answers by itself."""
    found = _connections.get(connection) if isinstance(connection, AnsweringSocket) else None
    if found is not None:
        found.encrypted = True
    return found is not None


def host_of(connection: Any) -> tuple[str, int]:
    """Return host and port that an answering socket is connected to."""
    found = _connections[connection]
    return found.host, found.port


class AnsweringSocket(_Plain):
    """A socket, and a TLS socket, whose other end is in this process."""

    __slots__ = ()

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Return at most `size` bytes of the answer."""
        return _connections[self].read(self, size, bool(flags & socket.MSG_PEEK))

    def recv_into(self, buffer: Any, size: int = 0, flags: int = 0) -> int:
        """Write bytes of the answer into a buffer."""
        view = memoryview(buffer).cast("B")
        data = self.recv(size or len(view), flags)
        view[: len(data)] = data
        return len(data)

    def send(self, data: Any, flags: int = 0) -> int:
        """Take bytes of a request."""
        sent = bytes(data)
        _connections[self].take(self, sent)
        return len(sent)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Take bytes of a request."""
        self.send(data, flags)

    def sendmsg(self, buffers: Any, *others: Any) -> int:
        """Take bytes of a request."""
        return self.send(b"".join(bytes(one) for one in buffers))

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Take the content of a file."""
        file.seek(offset)
        return self.send(file.read() if count is None else file.read(count))

    def getpeername(self) -> Any:
        """Return host and port of the service."""
        return host_of(self)

    def getsockname(self) -> Any:
        """Return an address of this end."""
        return _OWN_ADDRESS

    def setsockopt(self, *options: Any) -> None:
        """Set nothing: the options are those of TCP."""

    def getsockopt(self, *options: Any) -> Any:
        """Return 0: there is no error."""
        return 0

    def shutdown(self, how: int) -> None:
        """Stop nothing: the other end is in this process."""

    def _real_close(self, *arguments: Any) -> None:
        found = _connections.pop(self, None)
        if found is not None:
            found.close()
        super()._real_close(*arguments)  # type: ignore[misc]

    def detach(self) -> int:
        """Give the descriptor away."""
        found = _connections.pop(self, None)
        if found is not None:
            found.close()
        return super().detach()

    # What a socket of TLS has besides.

    def read(self, size: int = 1024, buffer: Any = None) -> Any:
        """Return bytes of the answer."""
        return self.recv(size) if buffer is None else self.recv_into(buffer, size)

    write = send

    def do_handshake(self, block: bool = False) -> None:
        """Agree at once."""

    def getpeercert(self, binary_form: bool = False) -> Any:
        """Return a certificate for the host."""
        return certificate_of(host_of(self)[0], binary_form)

    def version(self) -> str:
        """Return the version of TLS."""
        return "TLSv1.3"

    def cipher(self) -> tuple[str, str, int]:
        """Return a usual cipher."""
        return CIPHER

    def selected_alpn_protocol(self) -> str | None:
        """Return no protocol: HTTP 1."""
        return None

    def selected_npn_protocol(self) -> str | None:
        """Return no protocol."""
        return None

    def compression(self) -> str | None:
        """Return no compression."""
        return None

    def pending(self) -> int:
        """Return how many bytes can be read at once."""
        return len(_connections[self].waiting)

    def unwrap(self) -> socket.socket:
        """Return the socket without TLS."""
        return self


CIPHER = ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256)


def certificate_of(host: str, binary_form: bool) -> Any:
    """Return what clients look at in a certificate."""
    if binary_form:
        return b"\x30\x00"
    kind = "IP Address" if host.replace(".", "").isdigit() or ":" in host else "DNS"
    return {"subject": ((("commonName", host),),), "subjectAltName": ((kind, host),)}


def bad_certificate() -> ssl.SSLCertVerificationError:
    """Return the error of a certificate that signs itself."""
    error = ssl.SSLCertVerificationError(
        1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate"
    )
    error.verify_code, error.verify_message = 18, "self-signed certificate"
    return error
