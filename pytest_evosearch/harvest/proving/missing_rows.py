"""Proves that a refusal or a crash comes of a row that nothing has stored.

tables    those of the statements in the call under test that have found no row
attempt   the same call with such a row, that has what is asked for; numbers that ask for a row
          are 1, as the first row of a table has it
proof     the attempt is not refused, or runs more of the code for another answer, and the
          changed numbers alone end nothing
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from collections.abc import Mapping

from pytest_evosearch.core.targets import STATEMENT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import tables_of
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.harvest.proving.repairs import FIRST_IDENTIFIER
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import Cause

UNKNOWN_IDENTIFIER = 987654
"""A number that hardly a table of a test has a row for."""


def tables_without_rows(found: FullEvaluation[Individual]) -> dict[str, None]:
    """Return the tables in which the last call of a test has found nothing."""
    missed = [one for one in sorted(found.covered_by_call[-1]) if _finds_nothing(one)]
    return {table: None for target in missed for table in tables_of(target)}


def _finds_nothing(target: TargetId) -> bool:
    return kind_of(target) == STATEMENT and target.endswith(" none")


def storing_what_is_asked_for(
    rows: RowComposer, individual: Individual, act: Exchange, tables: Mapping[str, None]
) -> Iterator[tuple[str, Individual, Individual]]:
    """Yield a model, the test with such a row, and the same test without it."""
    plain = numbered = individual.calls[-1]
    for given in filter(_is_number_of_a_row, plain.inputs):
        numbered = _asking(numbered, given, FIRST_IDENTIFIER)
    held = _asked_for(act.request)
    for call in dict.fromkeys((plain, numbered)):
        for model, stored in rows.missing_from(call, tables, held):
            at = len(individual) - 1
            yield model, individual.with_call(at, stored), individual.with_call(at, call)


def _asked_for(request: Request) -> dict[str, object]:
    """Return the values that a request sends, by their names; by none, who or what it asks for.

    That is the user of basic authorization, or else the last text of the path.
    """
    held = {name: value for (_, name), value in slots_of(request).items() if value != LINKED}
    texts = [one for one in request.path.values() if isinstance(one, str) and not one.isdigit()]
    texts += filter(None, [basic_user(request)])
    return {**held, "": texts[-1]} if texts else held


def basic_user(request: Request) -> str:
    """Return the user of a request with basic authorization; empty without one."""
    sent = slots_of(request).get(("header", "authorization"))
    kind, _, credentials = str(sent or "").partition(" ")
    if kind.lower() != "basic":
        return ""
    try:
        return base64.b64decode(credentials).decode().partition(":")[0]
    except (binascii.Error, ValueError):
        return ""


def asking_for(individual: Individual, identifier: int) -> Iterator[tuple[Cause, Individual]]:
    """Yield the test with another number in place of one that asks for a row, and that number."""
    last = individual.calls[-1]
    for given in filter(_is_number_of_a_row, last.inputs):
        cause = Cause(given.location.value, given.name, given.gene.value(), identifier)
        if str(cause.value) != str(identifier):
            yield cause, individual.with_call(len(individual) - 1, _asking(last, given, identifier))


def _asking(call: Call, given: Input, identifier: int) -> Call:
    return call.with_input(given.with_gene(ConstantGene(identifier)))


def asked_by(stored: Individual, request: Request) -> str:
    """Return the one input of a body or query under whose name a stored row has its value."""
    rows = [one.gene.value() for one in stored.calls[-1].inputs if one.location is Location.ROW]
    row = rows[-1] if rows and isinstance(rows[-1], dict) else {}
    slots = slots_of(request).items()
    names = [name for (_, name), value in slots if name in row and row[name] == value]
    if not names and basic_user(request) and basic_user(request) in row.values():
        return USER
    return names[0] if len(names) == 1 and not request.path else ""


def _is_number_of_a_row(given: Input) -> bool:
    is_sent = given.location in (Location.PATH, Location.QUERY, Location.FORM)
    asks = given.location is Location.PATH or identifies(given.name)
    return is_sent and asks and str(given.gene.value()).removeprefix("-").isdigit()
