"""Fields that a caller sets although callers must not set them (OWASP API3:2023).

A field is protected when the schema of the request marks it ``readOnly``.  A field whose name gives
power (``is_admin``, ``role``, ``owner_id``, ``balance``) is protected, too, unless the schema or
the handler accepts it by name.  For the handler this is known only where its reads were recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.oracles.findings import DONE
from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.findings import is_plain_get
from pytest_evosearch.oracles.findings import json_of
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.senders import callers_of
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Read
from pytest_evosearch.problem.http.inquiries.mass_inquiry import is_powerful

Shown = Mapping[str, object]


class MassAssignmentOracle:
    """Reports protected fields that took the value of a request."""

    code = "mass-assignment"
    fewest_calls = 2
    explanation = "a request sets a field that is read-only, or that gives its sender power"

    def __init__(self, knowledge: Knowledge) -> None:
        self._fields = knowledge.fields

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for a field that had another value before a request sent it."""
        before: dict[object, Shown] = {}
        sent: dict[object, Exchange] = {}
        made: dict[tuple[str, str | None], Shown] = {}
        callers = callers_of(exchanges)
        for call, (exchange, caller) in enumerate(zip(exchanges, callers, strict=True)):
            request, address = exchange.request, address_of(exchange.request)
            shown = json_of(exchange)
            if is_plain_get(exchange) and exchange.status == 200 and isinstance(shown, dict):
                if address in sent and address in before:
                    yield from self._taken(sent.pop(address), before[address], shown, call)
                before[address] = shown
            elif request.method not in SAFE_METHODS:
                sent.clear()
                if exchange.status in DONE and isinstance(request.json, dict):
                    sent[address] = exchange
                    key = (request.endpoint, caller)
                    if request.method == "POST" and isinstance(shown, dict):
                        default = made.get(key)
                        if default is not None:
                            yield from self._taken(exchange, default, shown, call)
                        unsent = {
                            name: one for name, one in shown.items() if name not in request.json
                        }
                        made[key] = unsent

    def _taken(self, exchange: Exchange, before: Shown, after: Shown, call: int) -> Iterator[Fault]:
        request = exchange.request
        assert isinstance(request.json, dict)
        for name, value in request.json.items():
            if name not in before or name not in after or before[name] == value:
                continue
            if after[name] != value or not self._is_protected(exchange, name):
                continue
            old = before[name]
            plain = old is None or isinstance(old, (str, int, float))
            kept = Expectation("json-is", old, (name,), "protects_what_is_not_to_be_set")
            wanted = Expectation("json-is-not", value, (name,), "protects_what_is_not_to_be_set")
            # A new resource gets identifiers and times: only the sent value is a fault.
            expectation = kept if plain and request.method != "POST" else wanted
            message = f"the request sets {name!r}, which is not for callers to set"
            yield finding(self.code, request.endpoint, call, f"sets {name}", message, expectation)

    def _is_protected(self, exchange: Exchange, name: str) -> bool:
        declared = self._fields.get(exchange.request.endpoint, {})
        if name in declared:
            return declared[name].get("readOnly") is True
        return is_powerful(name) and not _is_read(exchange.reads, name)


def _is_read(reads: Iterable[Read], name: str) -> bool:
    """Say whether the handler read the field by its name."""
    return any(name in read.path for read in reads)
