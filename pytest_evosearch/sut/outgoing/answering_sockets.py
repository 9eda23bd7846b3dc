"""Sockets that answer by themselves: no server, no thread, nothing leaves the machine.

What the connections do is written once, in `sut.fixture_texts.service_stubs`: the written tests
contain that text.  The search adds that its desk answers, and that what is no request of HTTP is
broken off.
"""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.fixture_texts.service_stubs import SERVICES
from pytest_evosearch.sut.fixture_texts.service_stubs import Connection
from pytest_evosearch.sut.fixture_texts.service_stubs import SentRequest
from pytest_evosearch.sut.fixture_texts.service_stubs import Service
from pytest_evosearch.sut.outgoing.asked_calls import RESET
from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest
from pytest_evosearch.sut.outgoing.desk import AnswerDesk

_BEGINNING = re.compile(rb"[A-Z]{1,20}(?:$| (?:[^\r\n]*\r?$|\S+ HTTP/1\.[01]\r\n))")
"""What has arrived of a request of HTTP 1, up to its first line at most."""

_pair: Callable[..., Any] = socket.socketpair
_make_poll: Callable[[], Any] | None = getattr(select, "poll", None)


class _Desk:
    """Answers the requests of one connection, as `Services` does in a written test."""

    def __init__(self, desk: AnswerDesk) -> None:
        self.desk = desk
        self.timeout: float | None = None
        """Seconds that the client waits; None for ever, 0 in an event loop."""

    def answer_to(self, request: SentRequest) -> SimpleNamespace:
        """Return what the desk answers."""
        given = tuple(request.headers.items())
        sent = request.method, request.url, request.query_string, given, request.body
        answer = self.desk.answer(OutgoingRequest(*sent), self.timeout)
        headers, fails = dict(answer.headers), answer.failure
        return SimpleNamespace(status=answer.status, headers=headers, body=answer.body, fails=fails)

    def wait(self, client: socket.socket) -> None:
        """Wait for an answer that never comes; in an event loop, let its next timer end."""
        if client.gettimeout() != 0:
            raise TimeoutError("timed out")
        from pytest_evosearch.sut.fixture_texts.loop_service_stubs import LoopServices

        with suppress(RuntimeError, ValueError):  # no loop, or no timer
            LoopServices().wait(client)
        raise ConnectionResetError("Connection reset by peer")


class AnsweredService(Service):
    """The other end of one answering socket."""

    services: _Desk

    def take(self, data: bytes) -> None:
        """Take what the client sends, and answer complete requests."""
        if self.fails:
            raise BrokenPipeError("Broken pipe")
        if _BEGINNING.match(self.received + data):
            super().take(data)
        else:
            self.break_off()

    def break_off(self) -> None:
        """End the connection: the client does not speak HTTP."""
        self.services.desk.note_other_protocol(self.host, self.port)
        self.fails = RESET
        self.peer.close()

    def __del__(self) -> None:
        self.peer.close()


class AnsweringSocket(Connection):
    """A socket, and a TLS socket, whose other end is in this process."""

    __slots__ = ()

    def send(self, data: Any, flags: int = 0) -> int:
        """Take bytes of a request."""
        _service_of(self).services.timeout = self.gettimeout()
        return super().send(data)

    def recv(self, *size: int) -> bytes:
        """Return bytes of the answer."""
        self._expect_answer()
        return super().recv(*size)

    def recv_into(self, *place: Any) -> int:
        """Write bytes of the answer into a buffer."""
        self._expect_answer()
        return super().recv_into(*place)

    def _expect_answer(self) -> None:
        """Break off where a client waits for words that will never come, as of a mail server."""
        if self.gettimeout() == 0 or _make_poll is None:
            return
        poll = _make_poll()
        poll.register(self, select.POLLIN)
        if not poll.poll(0):
            _service_of(self).break_off()

    def _real_close(self, *arguments: Any) -> None:
        if (found := SERVICES.pop(self, None)) is not None:
            found.peer.close()
        super()._real_close(*arguments)  # type: ignore[misc]


def _service_of(connection: Any) -> AnsweredService:
    found = SERVICES[connection]
    assert isinstance(found, AnsweredService)
    return found


def answer_on(connection: Any, host: str, port: int, desk: AnswerDesk) -> None:
    """Let a socket that wants to connect answer by itself."""
    ours, peer = _pair()
    with ours:
        os.dup2(ours.fileno(), connection.fileno(), inheritable=False)
    connection.settimeout(connection.gettimeout())
    connection.__class__ = AnsweringSocket
    SERVICES[connection] = AnsweredService(_Desk(desk), host, port, peer)


def end_all() -> None:
    """End all connections: those of one test do not serve the next one."""
    for one in list(SERVICES.values()):
        one.peer.close()
