"""Changes of the database that the answer does not own up to.

The evidence is the committed content of the tables that a call wrote to, compared before
and after; a table that keeps a record of calls (``log``, ``visit`` ...) may change any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.base import UNKNOWN_POSITION
from pytest_evosearch.oracles.base import Example
from pytest_evosearch.oracles.base import Knowledge
from pytest_evosearch.problem.http.exchange import Evidence
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Expectation
from pytest_evosearch.problem.http.exchange import Fault
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.problem.http.exchange import Response

UNSEEN = Expectation("unseen")
"""No answer shows it, so that a test without the plugin cannot assert it."""

_RECORDS = re.compile(
    r"log|audit|event|session|visit|view|hit|stat|metric|history|token|attempt|limit|cache|seen"
    r"|counter|sqlite_",
    re.IGNORECASE,
)
"""Names of tables that record what callers do, reading included."""


def _fault(code: str, exchange: Exchange, call: int, table: str, message: str) -> Fault:
    endpoint = exchange.request.endpoint
    target = fault_target(endpoint, f"{code} {table}", UNKNOWN_POSITION)
    kind = f"changes {table}"
    return Fault(code, endpoint, kind, UNKNOWN_POSITION, message, call, target, UNSEEN)


def _changed(exchange: Exchange) -> Iterator[str]:
    return (table for table in exchange.evidence.changed if _RECORDS.search(table) is None)


class SafeMethodOracle:
    """Reports reading calls that change the database (RFC 9110, section 9.2.1)."""

    code = "get-changes-state"
    explanation = "a GET changes the database, so that crawlers and prefetching browsers do too"

    def __init__(self, knowledge: Knowledge) -> None:
        pass

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each table that a GET or HEAD changed."""
        if exchange.request.method in ("GET", "HEAD"):
            for table in _changed(exchange):
                message = f"reading changes the table {table!r}"
                yield _fault(self.code, exchange, call, table, message)

    @staticmethod
    def examples() -> Iterator[Example]:
        """Return calls that change tables, and calls that do not."""
        get, post = Request("GET", "/a"), Request("POST", "/a")
        item, log = Evidence(changed=("item",)), Evidence(changed=("access_log",))
        yield Example((Exchange(get, Response(200), evidence=item),), ("changes item",))
        yield Example((Exchange(get, Response(200), evidence=log),))
        yield Example((Exchange(get, Response(200)),))
        yield Example((Exchange(post, Response(200), evidence=item),))


class FailedWriteOracle:
    """Reports calls that are refused although they changed something."""

    code = "failed-write"
    explanation = "a call is answered with a client error, but it has changed the database"

    def __init__(self, knowledge: Knowledge) -> None:
        pass

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each table that a refused call changed."""
        reading = exchange.request.method in ("GET", "HEAD")
        if not reading and 400 <= exchange.status < 500:
            for table in _changed(exchange):
                message = f"answered {exchange.status}, yet it changed the table {table!r}"
                yield _fault(self.code, exchange, call, table, message)

    @staticmethod
    def examples() -> Iterator[Example]:
        """Return refused calls with and without side effects."""
        post = Request("POST", "/a")
        item, log = Evidence(changed=("item",)), Evidence(changed=("login_attempt",))
        yield Example((Exchange(post, Response(409), evidence=item),), ("changes item",))
        yield Example((Exchange(post, Response(201), evidence=item),))
        yield Example((Exchange(post, Response(401), evidence=log),))
        yield Example((Exchange(post, Response(400)),))
