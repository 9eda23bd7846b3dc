"""The text of a test that states a relation between units, with a row for each value."""

from __future__ import annotations

from pytest_evosearch.problem.units.related_pairs import Relates
from pytest_evosearch.problem.units.related_pairs import Relation
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.units.spelled_values import Spelling
from pytest_evosearch.write.units.unit_functions import UnitFunction
from pytest_evosearch.write.units.unit_names import name_of_unit
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen
from pytest_evosearch.write.units.unit_tables import columns_of
from pytest_evosearch.write.units.unit_tables import header_lines


def relation_lines(
    name: str, specimen: UnitSpecimen, relation: Relation, spelling: Spelling, layout: Layout
) -> list[str]:
    """Return the lines of the test."""
    rows = specimen.rows
    columns = columns_of(rows, spelling.taken)
    function = UnitFunction(rows[0], spelling, layout, columns)
    lines = header_lines(name, rows, columns, {}, spelling, layout) + function.arranged()
    first, given = function.subject(), function.given_nodes()
    if relation.kind is Relates.IDEMPOTENT:
        lines += layout.statement("once = ", first, 1)
        again = function.called_with(relation.second, [Atom("once")])
        return lines + layout.assertion(Comparison(again, "==", Atom("once")))
    if relation.kind is Relates.EQUIVALENT:
        other = Atom(f"({one_line(function.called_with(relation.second, given))})")
        return lines + layout.assertion(Comparison(first, "==", other))
    back = function.called_with(relation.second, [first])
    before: Node = Atom(function.object_name) if relation.of_object else given[0]
    if any(isinstance(one, float) for row in rows for one in row.test.act.values().values()):
        before = call("pytest.approx", before)
    return lines + layout.assertion(Comparison(back, "==", before))


def name_of_relation(relation: Relation) -> str:
    """Return the name of the test: what reverts, repeats or equals what."""
    first = name_of_unit(relation.first)
    last = name_of_unit(relation.second).removeprefix("test_")
    if relation.kind is Relates.IDEMPOTENT:
        return f"{first}_twice_is_as_once"
    if relation.kind is Relates.EQUIVALENT:
        return f"{first}_equals_its_operator"
    return f"test_{last}_reverts_{first.removeprefix('test_')}"
