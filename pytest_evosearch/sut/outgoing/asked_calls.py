"""What is sent to a service and what comes back, as plain values."""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.core.quick_dataclasses import dataclass

USUAL_PORTS = {"http": 80, "https": 443}

SEGMENT = "{}"
"""Stands for a segment of a path that changes from call to call."""

_CHANGING = re.compile(r"\d[\d.,_-]*|[0-9a-fA-F-]{12,}|.*\d{4,}.*|.*@.*")
"""Segments that identify one object: numbers, UUIDs, digests, dates, addresses."""

UNKNOWN_HOST = "unknown host"
REFUSED = "refused"
BAD_CERTIFICATE = "bad certificate"
TIME_OUT = "time-out"
RESET = "reset"
TRUNCATED = "truncated"

NO_TIME_OUT, OPEN_TRANSACTION = "no time-out", "open transaction"

UNREACHABLE = (REFUSED, UNKNOWN_HOST, TIME_OUT, BAD_CERTIFICATE)
"""Failures of a host: no request arrives there."""


@dataclass(frozen=True)
class OutgoingRequest:
    """A request that the application sent."""

    method: str
    url: str
    """The address without its query."""
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        """Return a header, empty when it was not sent."""
        wanted = name.lower()
        return next((value for known, value in self.headers if known.lower() == wanted), "")


@dataclass(frozen=True)
class Answer:
    """What a service sends back, or how it fails."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b"{}"
    failure: str = ""
    """One of `UNREACHABLE`, `RESET` or `TRUNCATED`; empty for none."""


@dataclass(frozen=True)
class AskedCall:
    """One call of the application, and how it was answered."""

    name: str
    """The identity of the call, ``GET http://prices.internal/items/{}``; of a host that could not
    be reached, ``prices.internal``.
    """
    request: OutgoingRequest | None
    """None where no request arrived."""
    answer: Answer
    careless: tuple[str, ...] = ()
    """What may hold others up: `NO_TIME_OUT`, `OPEN_TRANSACTION`."""
    in_loop: bool = False
    """Whether a client in an event loop asked."""
    sought: OutgoingRequest | None = None
    """What the client wanted to send where no request arrived, as far as it is known."""


def place_of(host: str, port: int) -> str:
    """Return how a host is called: ``prices.internal``, with an unusual port ``shop:8080``."""
    shown = f"[{host}]" if ":" in host else host
    return shown if port in USUAL_PORTS.values() else f"{shown}:{port}"


def name_of(request: OutgoingRequest, sent: Collection[str]) -> str:
    """Return the identity of a call: its method, and its address without changing segments.

    Segments change that look like the id of an object, or that came in with the test's request.
    """
    parts = urlsplit(request.url)
    segments = [
        SEGMENT if one and (_CHANGING.fullmatch(one) or unquote(one) in sent) else one
        for one in parts.path.split("/")
    ]
    return f"{request.method} {parts.scheme}://{parts.netloc}{'/'.join(segments)}"
