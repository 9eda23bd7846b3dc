"""Joins tests that differ only in their values to one parametrised test."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_expectations import expected_of
from pytest_evosearch.write.units.unit_expectations import has_fractions
from pytest_evosearch.write.units.unit_expectations import is_importable
from pytest_evosearch.write.units.unit_expectations import needs_tolerance
from pytest_evosearch.write.units.unit_expectations import pattern_of
from pytest_evosearch.write.units.unit_expectations import reading
from pytest_evosearch.write.units.unit_expectations import shown_attributes
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_functions import is_expression
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
    if specimen.fault or result.changed or result.printed or result.passed or result.files:
        return None
    if result.called or result.alike:
        return None
    if not is_expression(specimen.unit):
        return None
    if len(specimen.test) > 2 or specimen.variables:
        return None
    ending = _ending(result, spelling)
    if not ending:
        return None
    calls = tuple((one.unit, tuple(one.values())) for one in specimen.test.calls)
    operator = specimen.unit.operator
    if operator is not None and (operator.is_loose or operator.is_statement):
        return None
    if not any(names for _unit, names in calls):
        return None
    return Form(specimen.unit.key, calls, ending)


def _ending(result: Result, spelling: Spelling) -> str:
    """Return what the rows of one table have in common at their end; empty for no table."""
    value = result.value
    if result.raised is not None:
        return f"{result.raised.kind.name} {result.is_listed}"
    if isinstance(value, Instance) and value.elements is None and is_importable(value.kind):
        shown = shown_attributes(value, spelling)
        is_exact = all(one.is_exact for one in shown.values())
        return f"{value.kind} {[*shown]}" if is_exact else ""
    expected = expected_of(value, spelling)
    if expected is None or value is None:
        return ""
    return f"{expected.operator} {has_fractions(value)} {result.is_listed} {result.taken}"


def table_lines(
    name: str, rows: Sequence[UnitSpecimen], spelling: Spelling, layout: Layout
) -> list[str]:
    """Return the lines of one test with a row for each specimen; their forms are equal."""
    columns = columns_of(rows, spelling.taken)
    function = UnitFunction(rows[0], spelling, layout, columns)
    raised, value = rows[0].result.raised, rows[0].result.value
    if isinstance(value, Instance):
        return _lines_of_objects(name, rows, function, columns)
    last = _last_column(rows, columns)
    nodes = [_node_of_end(one, spelling) for one in rows]
    lines = header_lines(name, rows, columns, {last: nodes} if last else {}, spelling, layout)
    lines += function.arranged()
    if raised is not None:
        given = [Item(Atom(spelling.name(raised.kind)))]
        common = _messages(rows)
        pattern = last or (common.pop() if len(common) == 1 else "")
        given += [Item(Atom(pattern), "match=")] if pattern else []
        lines += layout.statement("with ", call("pytest.raises", *given), 1, ":")
        return [*lines, *layout.statement("", function.subject(), 2)]
    expected = expected_of(value, spelling)
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


def _lines_of_objects(
    name: str,
    rows: Sequence[UnitSpecimen],
    function: UnitFunction,
    columns: Mapping[tuple[int, str], str],
) -> list[str]:
    """Return a test of objects of one class; attributes that differ have columns."""
    spelling, layout = function.spelling, function.layout
    values = [one.result.value for one in rows]
    told = [shown_attributes(one, spelling) for one in values if isinstance(one, Instance)]
    cells: dict[str, list[Node]] = {}
    assertions: list[str] = []
    for attribute, first in told[0].items():
        expected = [one[attribute] for one in told]
        right, operator = first.right, first.operator
        if len({one_line(one.right) for one in expected}) > 1:
            taken = {*cells, *columns.values(), *RESERVED, *spelling.taken, "result"}
            column = first_free([attribute.strip("_"), f"expected_{attribute.strip('_')}"], taken)
            cells[column], right = [one.right for one in expected], Atom(column)
            operator = operator if len({one.operator for one in expected}) == 1 else "=="
        read = Atom(reading("result", attribute))
        assertions += layout.assertion(Comparison(read, operator, right))
    lines = header_lines(name, rows, columns, cells, spelling, layout) + function.arranged()
    made, kind = function.subject(), rows[0].result.value
    assert isinstance(kind, Instance)
    if not assertions:
        return [*lines, *layout.assertion(function.of_kind(made, kind.kind))]
    lines += [*layout.statement("result = ", made, 1), ""]
    if rows[0].unit.kind is not Kind.CLASS:
        lines += layout.assertion(function.of_kind(Atom("result"), kind.kind))
    return [*lines, *assertions]


def header_lines(
    name: str,
    rows: Sequence[UnitSpecimen],
    columns: Mapping[tuple[int, str], str],
    cells: Mapping[str, Sequence[Node]],
    spelling: Spelling,
    layout: Layout,
) -> list[str]:
    """Return the decorator with the values of all rows, and the first line of the test.

    `cells` are the columns of what is asserted.
    """
    names = [*columns.values(), *cells]
    header = tuple(Item(Text(one)) for one in names)
    shown = Group("(", header, ")") if len(names) > 1 else header[0].value
    ends = list(zip(*cells.values(), strict=True)) or [()] * len(rows)
    lines = [_row(one, columns, end, spelling) for one, end in zip(rows, ends, strict=True)]
    table = Group("[", tuple(map(Item, lines)), "]")
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


def _node_of_end(specimen: UnitSpecimen, spelling: Spelling) -> Node:
    raised = specimen.result.raised
    if raised is not None:
        return Atom(pattern_of(raised))
    return spelling.node(specimen.result.value)


def _row(
    specimen: UnitSpecimen,
    columns: Mapping[tuple[int, str], str],
    end: Sequence[Node],
    spelling: Spelling,
) -> Node:
    calls = specimen.test.calls
    nodes = [*(spelling.node(calls[at].values()[name]) for at, name in columns), *end]
    return Group("(", tuple(map(Item, nodes)), ")") if len(nodes) > 1 else nodes[0]
