"""Unhandled exceptions, 5xx responses and calls that never end.

Two crashes are one fault when they share three things: the exception type, the innermost line of
the application, and the functions of the application on the way.  So two bugs behind one endpoint
are two faults.  One bug with a thousand inputs is one fault, even if a hundred endpoints lead to it
(in code that checks callers).  If several views misuse one helper, each view has a fault.  A table
that the database lacks is one fault, whatever asks for it.

A crash without a line of the application is in a view of a library.  Such crashes are one fault
when one function of the library fails.  A 5xx response from ``abort(500)`` has a line; without a
line all 5xx responses of an endpoint are one fault.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Iterable
from dataclasses import replace

from pytest_evosearch.core.chance import GAP
from pytest_evosearch.core.chance import without_chance
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import code_in
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.outgoing_failures import ANOTHER_SERVER
from pytest_evosearch.oracles.outgoing_failures import SERVER_ERRORS
from pytest_evosearch.oracles.outgoing_failures import faults_of_services
from pytest_evosearch.oracles.sent import sent_numbers
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.framework_words import SENTENCES
from pytest_evosearch.problem.http.exchanges.reported_faults import CRASH
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing

LONGEST_MESSAGE = 60
"""Characters of an exception's message that are searched for in a response, at most."""

SHORTEST_MESSAGE = 8
"""Characters from which a message is searched for; a shorter one may be part of anything."""


SERVER_ERROR, STATUS_5XX = "server-error", "5xx"
"""Code and kind of the fault of a 5xx response without an exception that left a view."""

CATCHING = (" except", " swallowed")
"""Ends of the names of branches that code takes after an exception."""

FREEZE = "freeze"
"""Code of the fault of a call that does not end in time."""

CHOSEN_FAILURE = "chosen-failure"
"""Code of a finding of low rank: the application answers 5xx, in words of its own."""

EXCESS = "Excess"
"""Replaces the exception of a call that was ended because it started too many processes."""

NOT_IMPLEMENTED = 501
"""The status with which a server says that it lacks a function (section 15.6.2).

The application chose this response, for example with ``abort(501)``.  An exception is a crash
nevertheless.
"""

FIRST_SERVER_ERROR = 500
"""The status of a failure that was not foreseen."""

_MISSING_PART = re.compile(
    r"no such table: [\w.]+|relation \S+ does not exist|Table '[^']+' doesn't exist"
    r"|no such column: \w+\.\w+|column \w+\.\w+ does not exist|Unknown column '\w+\.\w+'"
)
"""How SQLite, PostgreSQL and MySQL say which table or column a database lacks.

It was never set up, or is older than the models.  A column without its table may have been sent.
"""

ENDED_TRANSACTION = "Can't operate on closed transaction"
"""Beginning of SQLAlchemy's message for a transaction that was ended inside its ``with``."""


def sleeps_on_request(exchange: Exchange) -> bool:
    """Say whether a call hangs because it sleeps, no longer than the numbers in its request.

    A delay and a duration add up.  An application may limit its sleep (ten seconds at most), which
    makes it shorter than the numbers.
    """
    if not exchange.frozen or exchange.slept <= 0:
        return False
    return sum(max(0.0, number) for number in sent_numbers(exchange.request)) >= exchange.slept


def awaits_news(exchange: Exchange) -> bool:
    """Say whether a call does not end because its stream has no news to send."""
    response = exchange.response
    return exchange.frozen and response is not None and response.live


def _asked_for(exchange: Exchange) -> bool:
    """Say whether the request contains the status as a number."""
    status = exchange.status
    return status in sent_numbers(exchange.request) or any(
        str(status) in re.findall(r"\d+", text) for _place, text in sent_texts(exchange.request)
    )


def lacks_service(exchange: Exchange) -> bool:
    """Say whether a call failed because a service that the application needs is missing.

    The call crashed in code that contacted the service, or it waited for the service without end,
    or it reported a failure after a connection was refused.  If the request itself names the host
    (``?url=http://...``), the application must expect that the host is missing.
    """
    # A service that the search answers for is there, even where it refuses the connection.
    contacted = () if exchange.outgoing else exchange.evidence.contacted
    missing = missing_services(exchange)
    if exchange.crash is not None:
        unreachable = exchange.crash.unreachable and not exchange.outgoing
        lacking = unreachable or any(_is_from(exchange.crash, service) for service in missing)
    elif exchange.frozen:
        lacking = bool(missing)
    else:
        lacking = exchange.status in ANOTHER_SERVER and bool(contacted)
        lacking = lacking or (bool(missing) and exchange.status in SERVER_ERRORS)
    texts = [text for _place, text in sent_texts(exchange.request)]
    return lacking and not any(host in text for host in contacted for text in texts)


def missing_services(exchange: Exchange) -> list[Missing]:
    """Return the missing services, without the hosts that the request itself names."""
    if not exchange.missing:
        return []
    texts = [text for _place, text in sent_texts(exchange.request)]
    return [one for one in exchange.missing if not any(one.host in text for text in texts)]


def _is_from(crash: Crash, service: Missing) -> bool:
    """Say whether a library that contacts `service` raised its own exception."""
    return crash.module.partition(".")[0] in service.packages


def meets_ended_transaction(exchange: Exchange) -> bool:
    """Say whether a call crashed because an earlier one ended the transaction of a fixture.

    Outside of tests there is no such transaction: see `sut.state.held_transactions`.
    """
    crash = exchange.crash
    return (
        crash is not None
        and crash.module.startswith("sqlalchemy.")
        and crash.message.startswith(ENDED_TRANSACTION)
    )


def _answer(exchange: Exchange) -> str:
    """Return status and message; a handler that catches everything often sends ``str(error)``."""
    said = exchange.response.messages() if exchange.response is not None else []
    if exchange.abort is not None and exchange.abort.message:
        said = [exchange.abort.message]
    return f"answered {exchange.status}: {said[0]}" if said else f"answered {exchange.status}"


def _is_answer(exchange: Exchange) -> bool:
    """Say whether the application chose a 5xx response, in words of its own.

    It is a failure that the application knows.  A handler that catches everything says 500, and
    that may be any failure.
    """
    if exchange.abort is not None:
        return bool(exchange.abort.message)
    response = exchange.response
    if response is None or exchange.status == FIRST_SERVER_ERROR:
        return False
    return _is_in_own_words(response)


def _is_in_own_words(response: Response) -> bool:
    """Say whether a body says something, and not what a framework says of a failure."""
    return bool(response.body.strip()) and not any(map(response.text.__contains__, SENTENCES))


def as_seen_inside(fault: Fault, exchange: Exchange, ran: Collection[TargetId]) -> Fault:
    """Return a 5xx as an answer where nothing was caught on the way to it; else the fault.

    `ran` is all code of the application that the call ran.
    """
    response = exchange.response
    if (fault.code, fault.kind) != (SERVER_ERROR, STATUS_5XX) or response is None:
        return fault
    is_caught = any(one.endswith(CATCHING) for one in ran)
    is_chosen = _is_in_own_words(response) and code_in(ran) and not is_caught
    return _as_answer(fault) if is_chosen else fault


def _as_answer(fault: Fault) -> Fault:
    """Return a finding of low rank, one for each message, whatever endpoint says it."""
    target = fault_target(fault.way or fault.message, fault.kind, fault.position)
    return replace(fault, code=CHOSEN_FAILURE, expectation=UNSEEN, target=target)


def _reported_error(exchange: Exchange) -> Expectation:
    """Return what to expect of a GraphQL response that contains the message of an exception.

    After a repair the response may have errors, but none with this message.
    """
    crash, response = exchange.crash, exchange.response
    phrase = f"does_not_raise_{crash.type_name}" if crash is not None else "does_not_crash"
    said = json.dumps(crash.message[:LONGEST_MESSAGE])[1:-1] if crash is not None else ""
    said = without_chance(said).partition(GAP)[0].rstrip("\\")
    telling = len(said) >= SHORTEST_MESSAGE or said.startswith("'")  # the key of a `KeyError`
    if telling and response is not None and said in response.text:
        return Expectation("lacks", said, phrase=phrase)
    return Expectation("json-lacks", "errors", phrase=phrase)


class ServerErrorOracle(WithoutKnowledge):
    """Reports crashes, 5xx responses, and calls that do not end."""

    code = SERVER_ERROR
    explanation = "the application crashes, answers 500 or above, or does not end in time"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield at most one fault; what another service causes has rules of its own."""
        of_services = faults_of_services(exchange, call)
        return self._own_faults(exchange, call) if of_services is None else of_services

    def _own_faults(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield at most one fault: the most specific of end, freeze, crash and 5xx.

        Six kinds of failure are no fault of the application, or belong to another oracle:

        - The sandbox blocked something.
        - A service is missing: a Redis that was not started, or the transaction of a fixture that
          has ended.
        - The call sleeps as long as its input asks.  It ends, and `oracles.slowness` reports it.
        - A stream of events is silent while nothing happens.
        - A server answers 501 on purpose.  Another 5xx in its own words is a finding of low rank.
        - The request sent a number, and the response has that status.  The request may have asked
          for it, so another number decides.
        """
        if sleeps_on_request(exchange) or awaits_news(exchange):
            return
        if exchange.frozen and not exchange.died and lacks_service(exchange):
            return
        if exchange.died:
            message = f"the call ended the process of the server ({exchange.died})"
            yield self._fault(exchange, call, CRASH, exchange.died, message)
        elif exchange.excess:
            yield self._fault(exchange, call, CRASH, EXCESS, exchange.excess)
        elif exchange.crash is not None and exchange.crash.exhausts_memory:
            message = "the call requested more memory than there is"
            yield self._fault(exchange, call, CRASH, exchange.crash.type_name, message)
        elif exchange.frozen:
            yield self._fault(exchange, call, FREEZE, "Freeze", "the call did not end in time")
        elif exchange.held_back or lacks_service(exchange) or meets_ended_transaction(exchange):
            return
        elif exchange.crash is not None:
            crash = exchange.crash
            fault = self._fault(exchange, call, CRASH, crash.type_name, crash.message)
            yield (
                replace(fault, expectation=_reported_error(exchange)) if exchange.meaning else fault
            )
        elif exchange.status == NOT_IMPLEMENTED:
            return
        elif exchange.status in SERVER_ERRORS and not _asked_for(exchange):
            fault = self._fault(exchange, call, SERVER_ERROR, STATUS_5XX, _answer(exchange))
            yield _as_answer(fault) if _is_answer(exchange) else fault

    def _fault(self, exchange: Exchange, call: int, code: str, kind: str, message: str) -> Fault:
        endpoint = exchange.request.endpoint
        crash = exchange.crash or exchange.abort
        position = crash.position if crash is not None else UNKNOWN_POSITION
        way = " > ".join(crash.way) if crash is not None else ""
        missing = _MISSING_PART.search(crash.message) if crash is not None else None
        if missing is not None:
            way, position = missing[0], UNKNOWN_POSITION
        target = fault_target(way or endpoint, kind, position)
        return Fault(code, endpoint, kind, position, message, call, target, way=way)
