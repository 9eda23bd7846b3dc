"""Reads requests from the bytes of a connection, and writes answers into it."""

from __future__ import annotations

import re
from http import HTTPStatus

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.outgoing.asked_calls import TRUNCATED
from pytest_evosearch.sut.outgoing.asked_calls import Answer

_FIRST_LINE = re.compile(rb"([A-Z]+) (\S+) HTTP/1\.[01]")
_BEGINNING = re.compile(rb"[A-Z]{1,20}(?: |$)")
_MISSING_BYTES = 64
"""Bytes that a truncated body lacks."""

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class OtherProtocol(Exception):
    """What was sent is no request of HTTP 1."""


@dataclass(frozen=True)
class Message:
    """One request as it was sent."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header in lower case, empty when there is none."""
        return next((value for known, value in self.headers if known.lower() == name), "").lower()


class RequestReader:
    """Collects bytes until a request is complete."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._head: Message | None = None

    @property
    def awaits_continue(self) -> bool:
        """Whether the client waits for a word before it sends the body; true only once."""
        head = self._head
        if head is None or head.header("expect") != "100-continue":
            return False
        kept = tuple(one for one in head.headers if one[0].lower() != "expect")
        self._head = Message(head.method, head.target, kept)
        return True

    def feed(self, data: bytes) -> Message | None:
        """Take bytes; return the request that they complete, if they do."""
        self._received += data
        if self._head is None:
            self._head = self._read_head()
        head = self._head
        body = None if head is None else self._read_body(head)
        if head is None or body is None:
            return None
        self._head = None
        return Message(head.method, head.target, head.headers, body)

    def _read_head(self) -> Message | None:
        while self._received.startswith(b"\r\n"):
            del self._received[:2]
        if self._received and not _BEGINNING.match(self._received[:21]):
            raise OtherProtocol
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return None
        first, *lines = bytes(self._received[:end]).split(b"\r\n")
        del self._received[: end + 4]
        found = _FIRST_LINE.fullmatch(first)
        if found is None:
            raise OtherProtocol
        pairs = (line.decode("latin-1").partition(":") for line in lines)
        headers = tuple((name.strip(), value.strip()) for name, _colon, value in pairs)
        return Message(found[1].decode(), found[2].decode("latin-1"), headers)

    def _read_body(self, head: Message) -> bytes | None:
        if head.header("transfer-encoding") == "chunked":
            return self._read_chunks()
        length = head.header("content-length")
        size = int(length) if length.isdigit() else 0
        if len(self._received) < size:
            return None
        body = bytes(self._received[:size])
        del self._received[:size]
        return body

    def _read_chunks(self) -> bytes | None:
        at, body = 0, bytearray()
        while True:
            end = self._received.find(b"\r\n", at)
            if end < 0:
                return None
            try:
                size = int(bytes(self._received[at:end]).partition(b";")[0], 16)
            except ValueError:
                raise OtherProtocol from None
            at = end + 2 + size + 2
            if len(self._received) < at:
                return None
            if not size:
                del self._received[:at]
                return bytes(body)
            body += self._received[end + 2 : end + 2 + size]


def is_last(message: Message) -> bool:
    """Say whether the client wants the connection to end with the answer."""
    return message.header("connection") == "close"


def answered(message: Message, answer: Answer) -> bytes:
    """Return the bytes of an answer to `message`."""
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {answer.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    has_body = answer.status >= 200 and answer.status not in (204, 304)
    if has_body:
        missing = _MISSING_BYTES if answer.failure == TRUNCATED else 0
        lines.append(f"Content-Length: {len(answer.body) + missing}")
    if is_last(message):
        lines.append("Connection: close")
    head = "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n"
    return head + (answer.body if has_body and message.method != "HEAD" else b"")
