"""What goes beyond loopback is refused, by whichever function it is tried."""

from __future__ import annotations

import _socket
import socket
import threading
from collections.abc import Callable
from contextlib import closing
from contextlib import suppress

import pytest

from pytest_evosearch.sut.sandbox.confinement import sandbox


def datagram(send: Callable[[socket.socket], object], family: int = socket.AF_INET) -> None:
    with closing(socket.socket(family, socket.SOCK_DGRAM)) as connection:
        send(connection)


def connect_by_c(host: str) -> None:
    connection = _socket.socket()
    try:
        connection.connect((host, 83))
    finally:
        connection.close()


WAYS_OUT: dict[str, tuple[Callable[[], object], str]] = {
    "gethostbyname": (lambda: socket.gethostbyname("a.example"), "look up a.example"),
    "gethostbyname_ex": (lambda: socket.gethostbyname_ex("a.example"), "look up a.example"),
    "gethostbyaddr": (lambda: socket.gethostbyaddr("192.0.2.9"), "look up 192.0.2.9"),
    "getnameinfo": (lambda: socket.getnameinfo(("192.0.2.9", 80), 0), "look up 192.0.2.9"),
    "getaddrinfo": (lambda: socket.getaddrinfo("a.example", 80), "look up a.example"),
    "getaddrinfo in C": (lambda: _socket.getaddrinfo("a.example", 80), "look up a.example"),
    "connect in C": (lambda: connect_by_c("192.0.2.5"), "connect to 192.0.2.5:83"),
    "connect to a name in C": (lambda: connect_by_c("a.example"), "connect to a.example:83"),
    "sendto": (
        lambda: datagram(lambda one: one.sendto(b"x", ("192.0.2.5", 53))),
        "connect to 192.0.2.5:53",
    ),
    "sendmsg": (
        lambda: datagram(lambda one: one.sendmsg([b"x"], [], 0, ("192.0.2.5", 53))),
        "connect to 192.0.2.5:53",
    ),
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_no_way_out_is_open(name: str) -> None:
    function, attempt = WAYS_OUT[name]
    with sandbox() as guard:
        with pytest.raises(OSError, match="the sandbox"):
            function()
        assert [one.partition(" at ")[0] for one in guard.blocked] == [attempt]


def test_threads_are_heard_too() -> None:
    def ask() -> None:
        with suppress(OSError):
            socket.gethostbyname("a.example")

    with sandbox() as guard:
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        assert guard.blocked


def test_gevent_can_derive_its_sockets() -> None:
    with sandbox():

        class Referable(_socket.socket):
            __slots__ = ("__weakref__",)

        Referable().close()


def test_loopback_and_the_own_name_are_found() -> None:
    with sandbox() as guard:
        assert socket.gethostbyname("localhost") == "127.0.0.1"
        socket.getfqdn()  # who writes a mail asks for it
        with closing(_socket.socket()) as connection:
            assert connection.connect_ex(("127.0.0.1", 1)) != 0
        assert not guard.blocked


def test_nothing_is_heard_after_the_sandbox() -> None:
    before = (_socket.socket, socket.getaddrinfo)
    with sandbox() as guard:
        pass
    with closing(_socket.socket()) as connection:
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", 1))
    assert (_socket.socket, socket.getaddrinfo) == before
    assert not guard.blocked
