"""Pickles exchanges for a pipe.

Exchanges hold plain values, except objects of the application: default values of what it reads, and
parts of its validators' schemas. Those that cannot be pickled are left out.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.seen_inside import Read


def packed_conversation(said: Conversation) -> bytes:
    """Return `said` pickled, without the parts that cannot be pickled."""
    try:
        return pickle.dumps(said)
    except Exception:  # objects of the application may raise anything
        return pickle.dumps(replace(said, exchanges=[_portable(each) for each in said.exchanges]))


def packed_call(before: Sequence[Exchange], request: Request, user: str | None) -> bytes:
    """Return a call and the exchanges before it pickled, without the parts that cannot be."""
    try:
        return pickle.dumps((before, request, user))
    except Exception:  # objects of the application may raise anything
        return pickle.dumps(([_portable(each) for each in before], request, user))


def _portable(exchange: Exchange) -> Exchange:
    return replace(
        exchange,
        reads=tuple(map(_portable_read, exchange.reads)),
        validations=tuple(one for one in exchange.validations if _can_travel(one)),
    )


def _portable_read(read: Read) -> Read:
    return read if _can_travel(read.default) else replace(read, default=None)


def _can_travel(value: object) -> bool:
    try:
        pickle.dumps(value)
    except Exception:  # objects of the application may raise anything
        return False
    return True
