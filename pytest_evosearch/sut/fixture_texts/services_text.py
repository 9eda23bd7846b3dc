"""Writes the fixture that answers for the services which the application calls.

A socket that connects beyond this machine gets one end of a pair of sockets. What the client sends
is read where it sends it, and the answer is written into the other end. So every client works that
uses Python's sockets, with its own retries, time-outs and TLS, and nothing leaves the machine.
"""

from __future__ import annotations

SERVICES_FIXTURE = "services"

IMPORTS = """\
import errno
import os
import socket
import ssl
from functools import partialmethod
from json import dumps
from json import loads
from types import SimpleNamespace
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary
"""

_CONNECTION = '''\
class Service:
    """The other end of one connection."""

    def __init__(self, services, host, port):
        self.services, self.host, self.port = services, host, port
        self.scheme = "https" if port == 443 else "http"
        self.received, self.fails, self.in_loop = b"", "", False
        self.socket, self.peer = socket.socketpair()

    def take(self, data):
        """Answer the request that `data` completes."""
        self.received += data
        head, end, body = self.received.partition(b"\\r\\n\\r\\n")
        first, *lines = head.decode("latin-1").split("\\r\\n")
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        if headers.get("transfer-encoding") == "chunked" and end:
            end = body.endswith(b"0\\r\\n\\r\\n")
            body = b"".join(body.split(b"\\r\\n")[1:-3:2])
        if not end or len(body) < int(headers.get("content-length", 0)):
            if end and headers.get("expect"):
                self.peer.sendall(b"HTTP/1.1 100 Continue\\r\\n\\r\\n")
            return
        self.received = b""
        method, target, _ = first.split(" ")
        if method == "CONNECT":  # by a proxy
            self.scheme = "https"
            self.peer.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
            return
        if target.startswith("/"):
            target = f"{self.scheme}://{headers['host']}{target}"
        self.answer(SimpleNamespace(method=method, headers=headers, body=body), target)

    def answer(self, request, target):
        request.url, _, query = target.partition("?")
        request.query = dict(parse_qsl(query, keep_blank_values=True))
        status, headers, body, self.fails = self.services.answer_to(request)
        length = len(body) + (64 if self.fails == "truncated" else 0)
        lines = [f"HTTP/1.1 {status} Answer", *map(": ".join, headers.items())]
        if status not in (204, 304):
            lines.append(f"Content-Length: {length}")
        head = "\\r\\n".join(lines).encode() + b"\\r\\n\\r\\n"
        if self.fails not in ("reset", "time-out"):
            self.peer.sendall(head + (b"" if request.method == "HEAD" else body))
        if self.fails in ("reset", "truncated"):
            self.peer.close()
PASS_TIME

class Connection(socket.socket):
    """A connection that never leaves this process, with TLS or without."""

    __slots__ = ()

    def send(self, data, flags=0):
        CONNECTIONS[self].in_loop = self.gettimeout() == 0
        CONNECTIONS[self].take(bytes(data))
        return len(data)

    sendall = send

    def recv_into(self, *args):
        self.check()
        return super().recv_into(*args)

    def recv(self, *args):
        self.check()
        return super().recv(*args)

    def check(self):
        if CONNECTIONS[self].fails == "reset":
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if CONNECTIONS[self].fails == "time-out" and self.gettimeout() != 0:
            raise TimeoutError("timed out")

    def setsockopt(self, *args):
        pass

    def getpeername(self):
        return CONNECTIONS[self].host, CONNECTIONS[self].port

    def getpeercert(self, binary_form=False):
        return {"subjectAltName": (("DNS", CONNECTIONS[self].host),)}

    def selected_alpn_protocol(self):
        return None


CONNECTIONS = WeakKeyDictionary()
HERE = ("localhost", "127.0.0.1", "::1", "0.0.0.0", socket.gethostname())
OTHER_PROTOCOLS = (25, 389, 465, 587, 3306, 5432, 5672, 6379, 27017)
'''

_PASS_TIME = '''\
        if self.fails == "time-out" and self.in_loop:
            loop = asyncio.get_running_loop()
            loop.call_soon(loop.call_soon, self.pass_time, loop, loop.time)

    def pass_time(self, loop, clock):
        """Let the next timer of an event loop end: nothing will come until then."""
        ahead = min(timer.when() for timer in loop._scheduled) - clock() + 0.001
        loop.time = lambda: clock() + ahead
'''

_LOOP_TLS = '''\
class PlainTls:
    """TLS of an event loop, without encryption."""

    def __init__(self, incoming, outgoing, host):
        self.incoming, self.host, self.write = incoming, host, outgoing.write

    def read(self, size=1024, buffer=None):
        data = self.incoming.read(size if buffer is None else min(size, len(buffer)))
        if not data and not self.incoming.eof:
            raise ssl.SSLWantReadError
        if buffer is None:
            return data
        buffer[: len(data)] = data
        return len(data)

    def getpeercert(self, binary_form=False):
        return {"subjectAltName": (("DNS", self.host),)}

    def nothing(self, *args):
        return None

    server_side = False
    do_handshake = unwrap = cipher = compression = version = nothing
    selected_alpn_protocol = get_channel_binding = nothing


'''

_SERVICES = '''\
class Services:
    """Answers for other services: ``services.get("http://prices/today", json={"oats": 3})``."""

    def __init__(self):
        self.requests = []
        self.unexpected = []
        self.answers = {}
        self.unreached = {}
        self.peers = []

    def add(self, method, url, status=200, json=None, text=None, headers=None, fails=""):
        """Answer a request; a second answer is for the second request, the last for all others."""
        kind = "application/json" if text is None else "text/plain"
        body = JSON.dumps({} if json is None else json) if text is None else text
        headers = {"Content-Type": kind, **(headers or {})}
        answers = self.answers.setdefault(f"{method} {url}", [])
        answers.append((status, headers, body.encode(), fails))

    get, post = partialmethod(add, "GET"), partialmethod(add, "POST")
    put, patch = partialmethod(add, "PUT"), partialmethod(add, "PATCH")
    delete, head = partialmethod(add, "DELETE"), partialmethod(add, "HEAD")

    def unreachable(self, host, why="refused"):
        """Refuse connections to a host, or fail in another way."""
        self.unreached[host] = why

    def answer_to(self, request):
        """Return the next answer, and keep the request."""
        name = f"{request.method} {request.url}"
        earlier = sum(name == f"{one.method} {one.url}" for one in self.requests)
        self.requests.append(request)
        is_json = "json" in request.headers.get("content-type", "")
        request.json = JSON.loads(request.body) if is_json and request.body else None
        request.form = dict(parse_qsl(request.body.decode("latin-1")))
        answers = self.answers.get(name)
        if answers is None:
            self.unexpected.append(name)
            return 500, {}, b"", "reset"
        return answers[min(earlier, len(answers) - 1)]

    def host_at(self, address):
        """Return host and port where a service is to answer, None elsewhere."""
        if not isinstance(address, tuple) or address[0] in HERE or address[1] in OTHER_PROTOCOLS:
            return None
        return address[:2]

    def connect(self, connection, address):
        """Connect a socket to a service, which need not exist."""
        host, port = address
        why = self.unreached.get(host)
        if why == "refused":
            raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        if why == "time-out":
            raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")
        service = Service(self, host, port)
        os.dup2(service.socket.fileno(), connection.fileno())
        connection.settimeout(connection.gettimeout())
        service.socket.close()
        self.peers.append(service.peer)
        connection.__class__ = Connection
        CONNECTIONS[connection] = service

    def encrypt(self, context, host):
        """Agree on TLS."""
        if self.unreached.get(host) == "bad certificate" and context.verify_mode:
            raise ssl.SSLCertVerificationError(1, "certificate verify failed")

    def finish(self):
        """End all connections, and say which calls were not expected, or missing."""
        for peer in self.peers:
            peer.close()
        asked = {f"{one.method} {one.url}" for one in self.requests}
        assert not self.unexpected, f"no answer for {self.unexpected}"
        assert asked >= self.answers.keys(), f"never asked: {self.answers.keys() - asked}"


@pytest.fixture(autouse=True)
def services(monkeypatch):
    """What other services answer; a test fails that calls others than it names."""
    found = Services()
    look_up, wrap = socket.getaddrinfo, ssl.SSLContext.wrap_socket
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def getaddrinfo(host, port, *args, **options):
        if host is None or not found.host_at((host, port)):
            return look_up(host, port, *args, **options)
        if found.unreached.get(host) == "unknown host":
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]

    def connected(connection, address):
        stream = connection.family in (socket.AF_INET, socket.AF_INET6)
        service = found.host_at(address) if stream else None
        return found.connect(connection, service) if service else connect(connection, address)

    def connected_ex(connection, address):
        try:
            return connected(connection, address) or 0
        except OSError as error:
            return error.errno

    def wrapped(context, connection, *args, **options):
        if connection not in CONNECTIONS:
            return wrap(context, connection, *args, **options)
        found.encrypt(context, CONNECTIONS[connection].host)
        CONNECTIONS[connection].scheme = "https"
        return connection

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket.socket, "connect", connected)
    monkeypatch.setattr(socket.socket, "connect_ex", connected_ex)
    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrapped)
MORE
    yield found
    found.finish()
'''

_WRAP_BYTES = """\
    wrap_bytes = ssl.SSLContext.wrap_bio

    def wrapped_bytes(context, incoming, outgoing, server_hostname=None, **options):
        if not found.host_at((server_hostname, 443)):
            options["server_hostname"] = server_hostname
            return wrap_bytes(context, incoming, outgoing, **options)
        found.encrypt(context, server_hostname)
        return PlainTls(incoming, outgoing, server_hostname)

    monkeypatch.setattr(ssl.SSLContext, "wrap_bio", wrapped_bytes)
"""

_NO_SLEEP = """\
    # The next try of a client follows at once.
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
"""


_BEGINNING = "\nclass Service:"
_MORE_IMPORTS = ("import asyncio", "import time")


def services_fixture_in(conftest: str) -> tuple[list[str], str] | None:
    """Return imports and source of the fixture at the end of a written conftest.py, if any."""
    start = conftest.find(_BEGINNING)
    if start < 0:
        return None
    lines = frozenset(conftest.splitlines())
    more = [line for line in _MORE_IMPORTS if line in lines]
    return [*IMPORTS.splitlines(), *more], conftest[start:]


def services_fixture(in_loops: bool, sleeps: bool) -> tuple[list[str], str]:
    """Return the imports and the source of the fixture.

    `in_loops` says that clients in event loops call, `sleeps` that calls are tried again after a
    while.
    """
    imports = [
        *IMPORTS.splitlines(),
        *(["import asyncio"] if in_loops else ()),
        *(["import time"] if sleeps else ()),
    ]
    more = (_WRAP_BYTES if in_loops else "") + (_NO_SLEEP if sleeps else "")
    connection = _CONNECTION.replace("PASS_TIME\n", _PASS_TIME if in_loops else "")
    text = _SERVICES.replace("MORE\n", more).replace("JSON.", "")
    return sorted(imports), "\n" + connection + "\n\n" + (_LOOP_TLS if in_loops else "") + text
