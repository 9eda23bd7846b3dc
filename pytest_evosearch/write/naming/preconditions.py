"""Says which condition of a request failed or was missing: statuses 412 and 428 are about it.

The headers that make a request conditional all begin with ``If-`` (RFC 9110, section 13.1).
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.proven_conditions import Condition
from pytest_evosearch.write.naming.proven_conditions import Evidence

FAILED = 412
"""The status for a condition that does not hold (RFC 9110, section 15.5.13)."""

REQUIRED = 428
"""The status for a request that has to be conditional (RFC 6585, section 3)."""

_BEGINNING = "if-"


def precondition(exchange: Exchange, siblings: Sequence[Exchange]) -> Condition | None:
    """Return what is wrong with the condition of a request; None where nothing says so.

    What is missing is known from `siblings`, the other calls of the endpoint.
    """
    if exchange.status == FAILED:
        return _failed(exchange)
    return _required(siblings) if exchange.status == REQUIRED else None


def _failed(exchange: Exchange) -> Condition | None:
    slots = slots_of(exchange.request)
    sent = [slot for slot in slots if _is_condition(slot)]
    if len(sent) != 1:
        return None
    adjective = "outdated" if slots[sent[0]] == LINKED else "wrong"
    return Condition(f"{adjective}_{snake_case(sent[0][1])}", "invalid", Evidence.NAMED)


def _required(siblings: Sequence[Exchange]) -> Condition | None:
    sent = {slot for other in siblings for slot in slots_of(other.request) if _is_condition(slot)}
    if len(sent) != 1:
        return None
    return Condition(f"missing_{snake_case(sent.pop()[1])}", "missing", Evidence.NAMED)


def _is_condition(slot: Slot) -> bool:
    return slot[0] == "header" and slot[1].startswith(_BEGINNING)
