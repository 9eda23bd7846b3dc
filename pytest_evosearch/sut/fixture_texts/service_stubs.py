"""Answers for the services that an application calls, in the written tests.

`services_text` copies what follows the imports into a written conftest.py, as it is here.
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

HERE = ("localhost", "127.0.0.1", "::1", "0.0.0.0", socket.gethostname())
NOT_HTTP = (25, 389, 465, 587, 3306, 5432, 5672, 6379, 27017)


class SentRequest:
    """A request that the application sent."""

    def __init__(self, method: str, url: str, headers: Any, body: bytes) -> None:
        self.method, self.headers, self.body = method, headers, body
        self.url, _, self.query_string = url.partition("?")
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
        self.received, self.fails, self.scheme = b"", "", "http"

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
            if rest.endswith(b"\r\n\r\n") and message.headers["Expect"]:
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
        status, headers, text, self.fails = self.services.answer_to(request)
        body = text if isinstance(text, bytes) else text.encode()
        if status not in (204, 304):
            missing = 64 if self.fails == "truncated" else 0
            headers = {**headers, "Content-Length": str(len(body) + missing)}
        lines = [f"HTTP/1.1 {status} {http.client.responses.get(status, '')}"]
        head = "\r\n".join([*lines, *map(": ".join, headers.items())]) + "\r\n\r\n"
        if self.fails in ("", "truncated"):
            self.peer.sendall(head.encode() + (b"" if request.method == "HEAD" else body))
        if self.fails:
            self.peer.close()

    def end(self, client: socket.socket) -> Any:
        """Fail where nothing more comes."""
        if self.fails == "time-out":
            self.services.wait(client)
        elif self.fails not in ("", "truncated"):
            said = "Connection reset by peer" if self.fails == "reset" else self.fails
            raise ConnectionResetError(errno.ECONNRESET, said)


class Connection(socket.socket):
    """A connection that never leaves this process, with TLS or without."""

    __slots__ = ()

    def send(self, data: Any, flags: int = 0) -> int:
        SERVICES[self].take(bytes(data))
        return len(data)

    def sendall(self, data: Any, flags: int = 0) -> None:
        self.send(data)

    def sendmsg(self, buffers: Any, *others: Any) -> int:
        return self.send(b"".join(buffers))

    def recv(self, *size: int) -> bytes:
        return super().recv(*size) or SERVICES[self].end(self) or b""

    def recv_into(self, *place: Any) -> int:
        return super().recv_into(*place) or SERVICES[self].end(self) or 0

    def setsockopt(self, *options: Any) -> None:
        pass

    def getpeername(self) -> Any:
        return SERVICES[self].host, SERVICES[self].port

    def getpeercert(self, binary_form: bool = False) -> Any:
        return {"subjectAltName": (("DNS", SERVICES[self].host),)}


SERVICES: WeakKeyDictionary[Any, Service] = WeakKeyDictionary()


class Services:
    """Answers for services: ``services.get("http://prices.internal", json={"oats": 3})``."""

    def __init__(self) -> None:
        self.requests: list[SentRequest] = []
        self.answers: dict[str, list[tuple[int, dict[str, str], str, str]]] = {}
        self.unreached: dict[str, str] = {}
        self.unexpected: dict[str, None] = {}
        self.peers: list[socket.socket] = []

    def add(self, method: str, url: str, status: int = 200, fails: str = "", **answer: Any) -> None:
        """Answer a request with `json` or `text`, and `headers`.

        A second answer is for the second request; the last one is for all that follow.
        """
        kind = "text/plain" if "text" in answer else "application/json"
        body = answer["text"] if "text" in answer else json.dumps(answer.get("json", {}))
        headers = {"Content-Type": kind, **answer.get("headers", {})}
        self.answers.setdefault(f"{method} {url}", []).append((status, headers, body, fails))

    get, post = partialmethod(add, "GET"), partialmethod(add, "POST")
    put, patch = partialmethod(add, "PUT"), partialmethod(add, "PATCH")
    delete, head = partialmethod(add, "DELETE"), partialmethod(add, "HEAD")

    def unreachable(self, host: str, why: str = "refused") -> None:
        """Refuse connections to a host, or fail in another way."""
        self.unreached[host] = why

    def finish(self) -> None:
        """End all connections; fail where a call was not expected, or is missing."""
        for peer in self.peers:
            peer.close()
        asked = {f"{request.method} {request.url}" for request in self.requests}
        missing = [call for call in self.answers if call not in asked]
        assert not self.unexpected, f"no answer for {', '.join(self.unexpected)}"
        assert not missing, f"never asked: {', '.join(missing)}"

    def answer_to(self, request: SentRequest) -> tuple[int, dict[str, str], str, str]:
        """Return the next answer, and keep the request."""
        call = f"{request.method} {request.url}"
        earlier = sum(call == f"{one.method} {one.url}" for one in self.requests)
        self.requests.append(request)
        if call not in self.answers:
            self.unexpected[call] = None
            return 500, {}, "", f"no answer for {call}"
        return self.answers[call][min(earlier, len(self.answers[call]) - 1)]

    def install(self, replace: Any) -> None:
        """Replace what connects."""
        look_up, wrap = socket.getaddrinfo, ssl.SSLContext.wrap_socket
        connect = socket.socket.connect

        def getaddrinfo(host: Any, port: Any, *others: Any, **options: Any) -> Any:
            name = host.decode() if isinstance(host, bytes) else host
            if name is None or name in HERE or port in NOT_HTTP:
                return look_up(host, port, *others, **options)
            if self.unreached.get(name) == "unknown host":
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (name, port))]

        def connected(client: Any, address: Any) -> None:
            is_service = isinstance(address, tuple) and address[0] not in HERE
            if is_service and address[1] not in NOT_HTTP:
                self.connect(client, *address[:2])
            else:
                connect(client, address)

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
        if self.unreached.get(host) == "refused":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        if self.unreached.get(host) == "time-out":
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
        if self.unreached.get(service.host) == "bad certificate" and context.verify_mode:
            raise ssl.SSLCertVerificationError(1, "certificate verify failed")
        service.scheme = "https"

    def wait(self, client: socket.socket) -> None:
        """Wait for an answer that never comes."""
        raise TimeoutError("timed out")
