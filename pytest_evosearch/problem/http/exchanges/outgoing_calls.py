"""Turns what services were asked into the plain values of an exchange."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.json_places import scalars_in
from pytest_evosearch.problem.http.exchanges.seen_inside import SOUGHT_METHOD
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing


def outgoing_of(asked: Sequence[Any]) -> tuple[Outgoing, ...]:
    """Return the calls to services as values of an exchange."""
    return tuple(map(_outgoing, asked))


def _outgoing(call: Any) -> Outgoing:
    answer = call.answer
    of_answer = (answer.status, answer.headers, answer.body, answer.failure)
    came_back = (*of_answer, call.careless, call.in_loop)
    if call.request is None:
        if call.sought is None:
            return Outgoing(call.name, "", "", "", (), b"", *came_back)
        headers = ((SOUGHT_METHOD, call.sought.method), *call.sought.headers)
        return Outgoing(call.name, "", call.sought.url, "", headers, b"", *came_back)
    sent = call.request
    return Outgoing(
        call.name, sent.method, sent.url, sent.query, sent.headers, sent.body, *came_back
    )


def host_of(asked: Outgoing) -> str:
    """Return the name of the host that was asked, without its port."""
    return (urlsplit(f"//{asked.host}").hostname or "").lower()


def texts_of(request: Request) -> Collection[str]:
    """Return the texts and numbers that a request sends, as texts."""
    parts = (request.path, request.query, request.form, request.json, request.headers)
    return frozenset(str(one) for one in scalars_in(parts) if isinstance(one, (str, int, float)))
