"""Answers for the services that an application calls, in the written tests.

`services_text` copies what follows the imports into a written conftest.py.  It leaves out what is
marked with a need, ``#: failing``, that no test has (`services_text`).
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import socket
import ssl
from functools import partialmethod
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary

# Answers for other services. A socket that connects beyond this machine gets one end of a pair of
# sockets. What a client sends is read where it sends it, and the answer is written into the other
# end. So every client works, with its own retries, time-outs and TLS, and nothing leaves the
# machine.

HERE = (None, "localhost", "127.0.0.1", "::1", "0.0.0.0", socket.gethostname())
NOT_HTTP = (25, 389, 465, 587, 3306, 5432, 5672, 6379, 27017)


class SentRequest:
    """A request that the application sent."""

    def __init__(self, method: str, url: str, headers: Any, body: bytes) -> None:
        self.method, self.headers, self.body = method, headers, body
        self.url, _, self.query_string = url.partition("?")
        self.call = f"{method} {self.url}"
        self.query = dict(parse_qsl(self.query_string, keep_blank_values=True))
        self.form = dict(parse_qsl(body.decode("latin-1")))

    @property
    def json(self) -> Any:
        """The document in the body."""
        return json.loads(self.body)


class Service:
    """The other end of one connection."""

    def __init__(self, services: Any, host: str, port: int, peer: socket.socket) -> None:
        self.services, self.host, self.port, self.peer = services, host, port, peer
        self.received, self.scheme = b"", "http"
        self.fails = ""  #: failing

    def take(self, data: bytes) -> None:
        """Answer the request that `data` completes."""
        self.received += data
        first, _, rest = self.received.partition(b"\r\n")
        if b"\r\n\r\n" not in self.received:
            return
        # Only the first line tells a request from a response.
        source: Any = SimpleNamespace(makefile=lambda _: BytesIO(b"HTTP/1.1 200 OK\r\n" + rest))
        message = http.client.HTTPResponse(source)
        message.begin()
        try:
            body = message.read()
        except http.client.IncompleteRead:
            if rest.endswith(b"\r\n\r\n") and message.headers["Expect"]:  #: waiting
                self.peer.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            return
        self.received = b""
        method, target, _ = first.decode().split(" ")
        if method == "CONNECT":  # to a proxy
            self.host = target.rpartition(":")[0]
            self.peer.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            return
        if target.startswith("/"):
            target = f"{self.scheme}://{message.headers['Host']}{target}"
        self.answer(SentRequest(method, target, message.headers, body))

    def answer(self, request: SentRequest) -> None:
        """Write the answer for the client."""
        given = self.services.answer_to(request)
        if given is None:
            self.peer.close()
            raise ConnectionAbortedError(errno.ECONNABORTED, f"no answer for {request.call}")
        length = len(given.body)
        if given.fails == "truncated":  #: failing
            length += 64
        lines = [f"HTTP/1.1 {given.status} {http.client.responses.get(given.status, '')}"]
        lines += map(": ".join, given.headers.items())
        if "elasticsearch" in (request.headers["User-Agent"] or ""):  #: searching
            lines.append("X-Elastic-Product: Elasticsearch")
        if given.status not in (204, 304):
            lines.append(f"Content-Length: {length}")
        if given.fails:  #: failing
            self.fails = given.fails
        if self.fails in ("time-out", "reset"):  #: failing
            self.peer.close()
            return
        head = "\r\n".join([*lines, "", ""]).encode()
        self.peer.sendall(head + (b"" if request.method == "HEAD" else given.body))
        if self.fails:  #: failing
            self.peer.close()

    def end(self, client: socket.socket) -> Any:  #: failing
        """Fail where nothing more comes."""
        if self.fails == "time-out":
            self.services.wait(client)
        elif self.fails == "reset":
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")


class Connection(socket.socket):
    """A connection that never leaves this process, with TLS or without."""

    __slots__ = ()

    def send(self, data: Any, flags: int = 0) -> int:
        SERVICES[self].take(bytes(data))
        return len(data)

    def sendall(self, data: Any, flags: int = 0) -> None:
        self.send(data)

    def sendmsg(self, buffers: Any, *others: Any) -> int:  #: looping
        return self.send(b"".join(buffers))

    def recv(self, *size: int) -> bytes:  #: failing
        return super().recv(*size) or SERVICES[self].end(self) or b""

    def recv_into(self, *place: Any) -> int:  #: failing
        return super().recv_into(*place) or SERVICES[self].end(self) or 0

    def setsockopt(self, *options: Any) -> None:
        pass

    def getpeername(self) -> Any:  #: looping
        return SERVICES[self].host, SERVICES[self].port

    def getpeercert(self, binary_form: bool = False) -> Any:
        return {"subjectAltName": (("DNS", SERVICES[self].host),)}


SERVICES: WeakKeyDictionary[Any, Service] = WeakKeyDictionary()


class Services:
    """Answers for services: ``services.get("http://prices.internal", json={"oats": 3})``."""

    def __init__(self) -> None:
        self.requests: list[SentRequest] = []
        self.answers: dict[str, list[Any]] = {}
        self.peers: list[socket.socket] = []
        self.unreached: dict[str, str] = {}  #: unreached

    def add(self, method: str, url: str, status: int = 200, **answer: Any) -> None:
        """Answer a request with `json` or `text`, and `headers`.

        A second answer is for the second request; the last one is for all that follow.
        """
        given = SimpleNamespace(status=status)
        given.fails = answer.pop("fails", "")  #: failing
        headers = answer.pop("headers", {})
        [(form, content)] = answer.items() or {"json": {}}.items()
        kind = {"json": "application/json", "text": "text/plain"}[form]
        given.body = (json.dumps(content) if form == "json" else str(content)).encode()
        given.headers = {"Content-Type": kind, **headers}
        self.answers.setdefault(f"{method} {url}", []).append(given)

    get, post = partialmethod(add, "GET"), partialmethod(add, "POST")
    put, patch = partialmethod(add, "PUT"), partialmethod(add, "PATCH")
    delete, head = partialmethod(add, "DELETE"), partialmethod(add, "HEAD")

    def unreachable(self, host: str, why: str = "refused") -> None:  #: unreached
        """Refuse connections to a host, or fail in another way."""
        self.unreached[host] = why

    def finish(self) -> None:
        """End all connections; fail where a call was not expected, or is missing."""
        for peer in self.peers:
            peer.close()
        asked = dict.fromkeys(request.call for request in self.requests)
        unexpected = [call for call in asked if call not in self.answers]
        missing = [call for call in self.answers if call not in asked]
        assert not unexpected, f"no answer for {', '.join(unexpected)}"
        assert not missing, f"never asked: {', '.join(missing)}"

    def answer_to(self, request: SentRequest) -> Any:
        """Return the next answer, and keep the request."""
        self.requests.append(request)
        answers = self.answers.get(request.call, [None])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def install(self, replace: Any) -> None:
        """Replace what connects."""
        look_up, wrap = socket.getaddrinfo, ssl.SSLContext.wrap_socket
        connect = socket.socket.connect

        def getaddrinfo(host: Any, port: Any, *others: Any, **options: Any) -> Any:
            host = host.decode() if isinstance(host, bytes) else host  #: looping
            if host in HERE or port in NOT_HTTP:
                return look_up(host, port, *others, **options)
            if self.unreached.get(host) == "unknown host":  #: unreached
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, port))]

        def connected(client: Any, address: Any) -> None:
            if not isinstance(address, tuple) or address[0] in HERE or address[1] in NOT_HTTP:
                return connect(client, address)
            return self.connect(client, *address[:2])

        def wrapped(context: Any, client: Any, *others: Any, **options: Any) -> Any:
            if client not in SERVICES:
                return wrap(context, client, *others, **options)
            self.encrypt(context, SERVICES[client])
            return client

        replace(socket, "getaddrinfo", getaddrinfo)
        replace(socket.socket, "connect", connected)
        replace(ssl.SSLContext, "wrap_socket", wrapped)

    def connect(self, client: Any, host: str, port: int) -> None:
        """Connect a socket to a service, which need not exist."""
        if self.unreached.get(host) == "refused":  #: unreached
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        if self.unreached.get(host) == "time-out":  #: unreached
            raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")
        ours, peer = socket.socketpair()
        os.dup2(ours.fileno(), client.fileno())
        ours.close()
        client.settimeout(client.gettimeout())
        client.__class__ = Connection
        SERVICES[client] = Service(self, host, port, peer)
        self.peers.append(peer)

    def encrypt(self, context: ssl.SSLContext, service: Service) -> None:
        """Agree on TLS."""
        failure = self.unreached.get(service.host)  #: unreached
        if failure == "bad certificate" and context.verify_mode:  #: unreached
            raise ssl.SSLCertVerificationError(1, "certificate verify failed")
        service.scheme = "https"

    def wait(self, client: socket.socket) -> None:  #: failing
        """Wait for an answer that never comes."""
        raise TimeoutError("timed out")
