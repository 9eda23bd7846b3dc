"""Joins tests that differ only in their values to one parametrised test."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_functions import expected_of
from pytest_evosearch.write.units.unit_functions import has_fractions
from pytest_evosearch.write.units.unit_functions import is_expression
from pytest_evosearch.write.units.unit_functions import needs_tolerance
from pytest_evosearch.write.units.unit_functions import pattern_of
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

FEWEST_ROWS = 2

MOST_ROWS = 12
"""Most rows of one table."""

RESERVED = frozenset({"request", "expected", "message"})
"""Names that no argument's column may have."""


@dataclass(frozen=True)
class Form:
    """What the rows of one table have in common."""

    unit: str
    calls: tuple[tuple[str, tuple[str, ...]], ...]
    """Each call with the names of its arguments."""
    ending: str


def form_of(specimen: UnitSpecimen, spelling: Spelling) -> Form | None:
    """Return the form of a test; None for one that stands alone."""
    result = specimen.result
    if specimen.relation is not None:
        return None
    if specimen.fault or result.changed or result.printed or result.passed:
        return None
    if not is_expression(specimen.unit):
        return None
    if len(specimen.test) > 2 or specimen.unit.kind is Kind.CLASS:
        return None
    if result.raised is not None:
        ending = f"{result.raised.kind.name} {result.is_listed}"
    else:
        expected = expected_of(result.value, spelling)
        if expected is None or result.value is None:
            return None
        ending = (
            f"{expected.operator} {has_fractions(result.value)} {result.is_listed} {result.taken}"
        )
    calls = tuple((one.unit, tuple(one.values())) for one in specimen.test.calls)
    operator = specimen.unit.operator
    if operator is not None and (operator.is_loose or operator.is_statement):
        return None
    if not any(names for _unit, names in calls):
        return None
    return Form(specimen.unit.key, calls, ending)


def table_lines(
    name: str, rows: Sequence[UnitSpecimen], spelling: Spelling, layout: Layout
) -> list[str]:
    """Return the lines of one test with a row for each specimen; their forms are equal."""
    columns = columns_of(rows, spelling.taken)
    raised = rows[0].result.raised
    last = _last_column(rows, columns)
    lines = header_lines(name, rows, columns, last, spelling, layout)
    function = UnitFunction(rows[0], spelling, layout, columns)
    lines += function.arranged()
    if raised is not None:
        given = [Item(Atom(spelling.name(raised.kind)))]
        common = _messages(rows)
        pattern = last or (common.pop() if len(common) == 1 else "")
        given += [Item(Atom(pattern), "match=")] if pattern else []
        lines += layout.statement("with ", call("pytest.raises", *given), 1, ":")
        return [*lines, *layout.statement("", function.subject(), 2)]
    expected = expected_of(rows[0].result.value, spelling)
    assert expected is not None
    right = Atom(last)
    rounded = any(
        has_fractions(one.result.value) and needs_tolerance(one.result.value) for one in rows
    )
    tolerant = call("pytest.approx", right) if rounded else right
    return [
        *lines,
        *layout.assertion(Comparison(function.subject(), expected.operator, tolerant)),
    ]


def header_lines(
    name: str,
    rows: Sequence[UnitSpecimen],
    columns: Mapping[tuple[int, str], str],
    last: str,
    spelling: Spelling,
    layout: Layout,
) -> list[str]:
    """Return the decorator with the values of all rows, and the first line of the test."""
    names = [*columns.values(), *([last] if last else [])]
    header = tuple(Item(Text(one)) for one in names)
    shown = Group("(", header, ")") if len(names) > 1 else header[0].value
    table = Group("[", tuple(Item(_row(one, columns, last, spelling)) for one in rows), "]")
    decorator = layout.statement("@", call("pytest.mark.parametrize", shown, table))
    return [*decorator, f"def {name}({', '.join(names)}):"]


def columns_of(rows: Sequence[UnitSpecimen], imported: Iterable[str]) -> dict[tuple[int, str], str]:
    """Return index of a call, and argument -> name of its column, where values differ."""
    hidden = {*RESERVED, *imported}
    found: dict[tuple[int, str], str] = {}
    for at, first in enumerate(rows[0].test.calls):
        for name in first.values():
            values = {repr(one.test.calls[at].values()[name]) for one in rows}
            if len(values) > 1:
                unit = rows[0].units[first.unit].name.rpartition(".")[2].lower()
                found[at, name] = first_free([name, f"{unit}_{name}"], {*found.values(), *hidden})
    return found


def _messages(rows: Sequence[UnitSpecimen]) -> set[str]:
    """Return the patterns of the messages of all rows."""
    return {pattern_of(one.result.raised) for one in rows if one.result.raised}


def _last_column(rows: Sequence[UnitSpecimen], columns: Mapping[tuple[int, str], str]) -> str:
    """Return the name of the column with what is asserted; empty where nothing is."""
    if rows[0].result.end is End.RAISED:
        messages = _messages(rows)
        return "message" if all(messages) and len(messages) > 1 else ""
    return first_free(["expected", "result"], set(columns.values()))


def _row(
    specimen: UnitSpecimen,
    columns: Mapping[tuple[int, str], str],
    last: str,
    spelling: Spelling,
) -> Node:
    calls = specimen.test.calls
    nodes = [spelling.node(calls[at].values()[name]) for at, name in columns]
    if last:
        raised = specimen.result.raised
        nodes.append(
            Atom(pattern_of(raised)) if raised is not None else spelling.node(specimen.result.value)
        )
    return Group("(", tuple(map(Item, nodes)), ")") if len(nodes) > 1 else nodes[0]
