"""Changes of the database that do not fit the response.

The evidence is the committed content of the tables that a call wrote to, compared before and after.
A table that records calls (``log``, ``visit`` ...) may change at any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import as_it_was
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.findings import is_plain_get
from pytest_evosearch.oracles.findings import json_of
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

_RECORDS = re.compile(
    r"log|audit|event|session|visit|view|hit|stat|metric|history|token|attempt|limit|cache|seen"
    r"|counter|sqlite_",
    re.IGNORECASE,
)
"""Names of tables that record what callers do, even when they only read."""


def _fault(code: str, exchange: Exchange, call: int, table: str, message: str) -> Fault:
    endpoint = exchange.request.endpoint
    target = fault_target(endpoint, f"{code} {table}", UNKNOWN_POSITION)
    kind = f"changes {table}"
    return Fault(code, endpoint, kind, UNKNOWN_POSITION, message, call, target, UNSEEN)


def _changed(exchange: Exchange) -> Iterator[str]:
    return (table for table in exchange.evidence.changed if _RECORDS.search(table) is None)


class SafeMethodOracle(WithoutKnowledge):
    """Reports reading calls that change the database (RFC 9110, section 9.2.1)."""

    code = "get-changes-state"
    explanation = "a GET changes the database, so that crawlers and prefetching browsers do too"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each table that a GET or HEAD changed."""
        if exchange.request.method in ("GET", "HEAD"):
            for table in _changed(exchange):
                message = f"reading changes the table {table!r}"
                yield _fault(self.code, exchange, call, table, message)


class FailedWriteOracle(WithoutKnowledge):
    """Reports calls that are refused although they changed something."""

    code = "failed-write"
    fewest_calls = 1
    explanation = "a call gets a client error, but it has changed the database"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each table, or representation, that a refused call changed.

        A representation must be equal in two reads before its later difference counts.
        """
        for call, exchange in enumerate(exchanges):
            if exchange.request.method not in SAFE_METHODS and 400 <= exchange.status < 500:
                for table in _changed(exchange):
                    message = f"answered {exchange.status}, yet it changed the table {table!r}"
                    yield _fault(self.code, exchange, call, table, message)
        for call in range(3, len(exchanges)):
            first, second, write, after = exchanges[call - 3 : call + 1]
            refused = 400 <= write.status < 500 and write.request.method not in SAFE_METHODS
            shown = [json_of(one) for one in (first, second, after) if is_plain_get(one)]
            same_place = address_of(first.request) == address_of(after.request)
            if refused and same_place and len(shown) == 3 and shown[0] == shown[1]:
                wanted = as_it_was(shown[0], shown[2], "is_not_changed_by_a_refused_call")
                if wanted.kind != "unseen":
                    message = f"answered {write.status}, yet it changed what is shown"
                    endpoint, kind = write.request.endpoint, "changes what is shown"
                    yield finding(self.code, endpoint, call, kind, message, wanted)
