"""Says whether a failure follows from what another service answered, and whether that is likely.

a service that fails (5xx, 4xx, time-out, refused ...)   one fault for each service and way there
an answer that no such service gives                      no fault: a missing member that the code
                                                          needs, a value of another type
a good answer                                             a crash like any other
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from decimal import InvalidOperation

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.json_places import scalars_in
from pytest_evosearch.problem.http.exchanges.reported_faults import CRASH
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

KIND = "service failure"
"""Kind of a fault that shows when another service fails."""

SERVER_ERRORS = range(500, 600)
"""The statuses with which a server says that it failed (RFC 9110, section 15.6)."""

ANOTHER_SERVER = frozenset((502, 503, 504))
"""The statuses with which a server says that another server failed or is missing."""

_ABOUT_SHAPE = frozenset(
    (
        *(one.__name__ for one in (KeyError, TypeError, AttributeError)),
        *(one.__name__ for one in (ValueError, UnicodeDecodeError, InvalidOperation)),
        "ValidationError",
    )
)
"""Exceptions of code that got another document than it expects."""

_OF_PARSERS = re.compile("(JSONDecode|Parse|Parser|Expat|XMLSyntax|ResponseParser)Error")
"""Exceptions of parsers that got another format."""

_ANSWER = "answer"


def faults_of_services(exchange: Exchange, call: int) -> Sequence[Fault] | None:
    """Return the faults that services cause, none where that is no fault; None for any other."""
    if not exchange.outgoing or exchange.frozen:
        return None
    if is_unlikely(exchange) or _tells_of_service(exchange):
        return ()
    fault = _failing_service(exchange, call)
    return None if fault is None else (fault,)


def _failing_service(exchange: Exchange, call: int) -> Fault | None:
    """Return the fault of a call that crashes because a service fails; None for any other."""
    crash = exchange.crash
    last = exchange.outgoing[-1]
    if crash is None or not last.fails:
        return None
    way = " > ".join(crash.way) or exchange.request.endpoint
    message = f"the service at {last.host} {_said(last)}: {crash.type_name}"
    target = fault_target(way, KIND, last.host)
    return Fault(
        CRASH, exchange.request.endpoint, KIND, crash.position, message, call, target, way=way
    )


def _said(asked: Outgoing) -> str:
    return asked.failure_phrase or f"answered {asked.status}"


def _tells_of_service(exchange: Exchange) -> bool:
    """Say whether the application chose a response of 5xx because a service failed.

    Behind an exception, a handler that says which server failed has chosen it.
    """
    names_other = exchange.status in ANOTHER_SERVER
    has_failed = any(one.fails for one in exchange.outgoing)
    if exchange.crash is not None:
        return names_other and has_failed
    return exchange.status in SERVER_ERRORS and (names_other or has_failed)


def is_unlikely(exchange: Exchange) -> bool:
    """Say whether a crash follows from an answer that no such service gives."""
    if exchange.crash is None or not exchange.outgoing or exchange.outgoing[-1].fails:
        return False
    if _OF_PARSERS.fullmatch(exchange.crash.type_name):
        return True
    return exchange.crash.type_name in _ABOUT_SHAPE and not _is_about_optional(exchange)


def _is_about_optional(exchange: Exchange) -> bool:
    """Say whether the crash follows from a missing member that the code asks for with ``get``."""
    crash = exchange.crash
    assert crash is not None
    reads = [read for read in exchange.reads if read.location == _ANSWER]
    if not reads:
        return True  # the code has not looked into the answer
    if "NoneType" in crash.message:
        return any(not read.present and read.type_name is None for read in reads)
    return crash.type_name == "KeyError" and not _names_answer(crash, reads, exchange.outgoing)


def _names_answer(crash: Crash, reads: list[Read], asked: tuple[Outgoing, ...]) -> bool:
    """Say whether a `KeyError` is about a member or a value of an answer."""
    named = {repr(read.path[-1]) for read in reads if not read.present}
    return crash.message in named or crash.message in set(_values(asked))


def _values(asked: tuple[Outgoing, ...]) -> Iterator[str]:
    for one in asked:
        with suppress(ValueError):
            yield from map(repr, scalars_in(json.loads(one.answer)))
