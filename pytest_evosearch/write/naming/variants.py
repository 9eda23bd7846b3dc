"""Merges tests that differ in a few values into one parametrised test."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.assertions import holds_expression
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.faults import common_mark
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.written_calls import PathValue
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.content.xml_facts import COUNT
from pytest_evosearch.write.naming.row_ids import with_ids
from pytest_evosearch.write.naming.table_columns import NotMergeable
from pytest_evosearch.write.naming.table_columns import Table
from pytest_evosearch.write.naming.table_columns import anti_unify
from pytest_evosearch.write.naming.table_columns import of_one_type
from pytest_evosearch.write.naming.table_columns import signature

MOST_INPUTS = 4
"""Most columns for inputs: more make the table harder to read than separate tests."""

MOST_OUTCOMES = 2
"""Most columns for expected values."""

WIDEST_ROW = 120
"""Most characters of a row on one line."""

CHANGE = "change"
"""Name of the column with a row's changes to a usual body."""

SMALLEST_BASE = 3
"""Fewest fields of a body that is written once with changes, instead of in every row."""

MOST_CHANGES = 2

_OPTIONAL_KEYWORDS = ("data", "query_string")
"""Keywords that can be an empty dict instead of being omitted."""

_NO_JSON = None
"""The test client's value for no body; a JSON ``null`` is written as text."""


def shape_of(
    test: WrittenTest, strict: bool, of_family: bool = False, of_fault: bool = False
) -> tuple[object, ...] | None:
    """Return the key that tests must share to be merged, None for a separate test.

    A `strict` shape includes the names of the sent fields. With `of_family`, it omits the method
    and the path of the last call. Tests of a fault have a shape only with `of_fault`; only these
    may be families with preparing calls.
    """
    single = len(test.calls) == 1
    if test.rows is not None or (of_family and not single and not of_fault):
        return None
    if (test.mark is not None) is not of_fault:
        return None
    if any(
        statement.startswith(
            (f"{call.client}.set_cookie", f"with {call.client}.session_transaction")
        )
        for call in test.calls
        for statement in call.before
    ):
        return None
    shapes = (
        *(_call_shape(call, strict, of_family=False) for call in test.calls[:-1]),
        _call_shape(test.calls[-1], strict, of_family),
    )
    return (test.fixtures, *(shapes[0] if single else shapes))


def _call_shape(call: WrittenCall, strict: bool, of_family: bool) -> tuple[object, ...]:
    target = () if of_family else (call.method, _pieces(call))
    status = next((fact.value for fact in call.facts if fact.kind == "status"), None)
    facts = tuple((fact.kind, fact.path) for fact in call.facts)
    # An empty body and no body are refused alike.
    optional = (*_OPTIONAL_KEYWORDS, "json") if call.status >= 400 else _OPTIONAL_KEYWORDS
    fields = tuple(
        (keyword, tuple(sorted(map(str, value))) if strict and isinstance(value, dict) else ())
        for keyword, value in call.arguments
        if strict or keyword not in optional
    )
    return (target, fields, call.before, call.mailed, status, facts)


def merge(
    tests: Sequence[WrittenTest],
    subject: str,
    labels: Sequence[str],
    bases: Sequence[object] = (),
) -> WrittenTest | None:
    """Return one parametrised test for `tests` of one shape, None when it would read badly.

    `subject` is the singular noun of the endpoint. `labels` say what is special about each test,
    and become ids where pytest's own are not informative. `bases` are bodies of successful calls:
    variants of one are written as changes to it.
    """
    places = _differing(tests)
    variables = {call.variable for call in tests[0].calls}
    table = Table({*tests[0].fixtures, "response", *variables}, subject)
    if not places:
        return None
    calls = list(tests[0].calls)
    try:
        variants = [test.calls[places[0]] for test in tests]
        variable = _method_column(variants, table)
        path = _merged_path(variants, table)
        arguments = _merged_arguments(variants, table, bases)
        inputs = len(table.columns)
        calls[places[0]] = replace(
            variants[0],
            path=path,
            arguments=arguments,
            facts=_merged_facts(variants, table),
            method_variable=variable,
        )
        for place in places[1:]:
            calls[place] = _with_merged_facts([test.calls[place] for test in tests], table)
    except NotMergeable:
        return None
    if not 0 < inputs <= MOST_INPUTS or len(table.columns) - inputs > MOST_OUTCOMES:
        return None
    rows = with_ids(table.columns, _telling_labels(labels, variants))
    if any(len(one_line(node_of(row))) > WIDEST_ROW for row in rows.values):
        return None
    mark = common_mark([test.mark for test in tests])
    return replace(tests[0], calls=tuple(calls), rows=rows, mark=mark)


def _telling_labels(labels: Sequence[str], calls: Sequence[WrittenCall]) -> list[str]:
    """Return the labels; empty where one only names inputs that other rows share.

    A label about a review's stars does not distinguish two reviews with equal stars, and
    ``with_stars`` does not distinguish two reviews with stars.
    """
    sent = [dict(_inputs_of(call)) for call in calls]
    names = dict.fromkeys(name for one in sent for name in one)
    shared = {name for name in names if all(one.get(name) == sent[0].get(name) for one in sent)}
    usual = {f"with_{snake_case(name)}" for name in names if all(name in one for one in sent)}
    return [
        ""
        if label in usual
        or (_is_about(label, shared) and not _is_about(label, names.keys() - shared))
        else label
        for label in labels
    ]


def _inputs_of(call: WrittenCall) -> Iterator[tuple[str, object]]:
    """Yield the names of a call's inputs, with comparable values."""
    given = [(part.name, part.value) for part in call.path if isinstance(part, PathValue)]
    documents = [value for _keyword, value in call.arguments if isinstance(value, dict)]
    given += [(str(name), value) for document in documents for name, value in document.items()]
    for name, value in given:
        yield name, signature([value])


def _is_about(label: str, names: AbstractSet[str]) -> bool:
    return any(mentions(label.replace("_", " "), name) for name in names)


def _differing(tests: Sequence[WrittenTest]) -> list[int]:
    """Return the indexes of the calls in which tests of one shape differ."""
    return [
        place
        for place, calls in enumerate(zip(*(test.calls for test in tests), strict=True))
        if any(repr(call) != repr(calls[0]) for call in calls)
    ]


def _with_merged_facts(calls: Sequence[WrittenCall], table: Table) -> WrittenCall:
    """Return a later call of several tests: only its expected response may differ."""
    if any(repr(replace(call, facts=calls[0].facts)) != repr(calls[0]) for call in calls):
        raise NotMergeable
    return replace(calls[0], facts=_merged_facts(calls, table))


def _method_column(calls: Sequence[WrittenCall], table: Table) -> str:
    """Return the variable for the method of the calls, empty when they have one method."""
    methods = [call.method for call in calls]
    return "" if len(set(methods)) == 1 else table.hole(methods, "method").code


def _merged_arguments(
    calls: Sequence[WrittenCall], table: Table, bases: Sequence[object]
) -> tuple[tuple[str, object], ...]:
    keywords = dict.fromkeys(keyword for call in calls for keyword, _ in call.arguments)
    merged = []
    for keyword in keywords:
        left_out: object = _NO_JSON if keyword == "json" else {}
        values: Sequence[object] = [dict(call.arguments).get(keyword, left_out) for call in calls]
        changed = _as_changes(values, bases) if keyword in ("json", "data") else None
        if changed is not None:
            base, changes = changed
            change = table.hole(changes, CHANGE)
            value: object = {**base, Expression(f"**{change.code}"): None}
        else:
            if keyword == "query_string":
                values = _uniform_queries(values)
            column = "payload" if keyword == "json" else keyword.removesuffix("_string")
            value = anti_unify(values, table, column)
        merged.append((keyword, value))
    return tuple(merged)


def _uniform_queries(values: Sequence[object]) -> Sequence[object]:
    """Return dicts of query arguments in which each argument has one type."""
    queries = [dict(value) for value in values if isinstance(value, dict)]
    if len(queries) < len(values):
        return values
    for name in dict.fromkeys(name for query in queries for name in query):
        holders = [query for query in queries if name in query]
        for query, value in zip(holders, of_one_type([one[name] for one in holders]), strict=True):
            query[name] = value
    return queries


def _as_changes(
    values: Sequence[object], bases: Sequence[object]
) -> tuple[dict[object, object], list[object]] | None:
    """Return a successful body and each row's changes to it, None unless that is simpler.

    It is simpler when the rows differ in several fields in total, but in at most two each.
    """
    for base in bases:
        if not isinstance(base, dict) or len(base) < SMALLEST_BASE or holds_expression(values):
            continue
        rows = [value for value in values if isinstance(value, dict)]
        if len(rows) < len(values) or any(row.keys() != base.keys() for row in rows):
            continue
        changes = [
            {key: row[key] for key in base if not _same(row[key], base[key])} for row in rows
        ]
        touched = {key for change in changes for key in change}
        if len(touched) > 1 and all(1 <= len(change) <= MOST_CHANGES for change in changes):
            return base, list(changes)
    return None


def _same(one: object, other: object) -> bool:
    return signature([one]) == signature([other])


def _merged_path(calls: Sequence[WrittenCall], table: Table) -> tuple[str | PathValue, ...]:
    if any(_pieces(call) != _pieces(calls[0]) for call in calls):
        paths = [path_text(call) for call in calls]
        return (PathValue("path", table.hole(paths, "path")),)
    merged: list[str | PathValue] = []
    for place, part in enumerate(calls[0].path):
        if isinstance(part, PathValue):
            values = of_one_type([_path_value(call, place) for call in calls])
            merged.append(PathValue(part.name, anti_unify(values, table, part.name)))
        else:
            merged.append(part)
    return tuple(merged)


def _path_value(call: WrittenCall, place: int) -> object:
    part = call.path[place]
    return part.value if isinstance(part, PathValue) else part


def _pieces(call: WrittenCall) -> tuple[str, ...]:
    return tuple(part.name if isinstance(part, PathValue) else part for part in call.path)


def path_text(call: WrittenCall) -> str:
    """Return the full path of a call; raise `NotMergeable` when it contains a variable."""
    values = [part.value if isinstance(part, PathValue) else part for part in call.path]
    if any(isinstance(value, Expression) for value in values):
        raise NotMergeable
    return "".join(map(str, values))


def _merged_facts(calls: Sequence[WrittenCall], table: Table) -> tuple[Fact, ...]:
    merged = []
    for place, fact in enumerate(calls[0].facts):
        values = [call.facts[place].value for call in calls]
        refused = calls[0].method != "GET" or calls[0].status >= 400
        merged.append(replace(fact, value=_merged_outcome(fact, values, table, refused)))
    return tuple(merged)


def _merged_outcome(fact: Fact, values: Sequence[object], table: Table, refused: bool) -> object:
    """Prefer few columns: a body with many differences becomes one column as a whole."""
    before = dict(table.columns)
    hint = "message" if fact.kind == "contains" and refused else outcome_hint(fact)
    merged = anti_unify(values, table, hint)
    if len(table.columns) - len(before) > 1:
        table.columns.clear()
        table.columns.update(before)
        return table.hole(values, "expected")
    return merged


def outcome_hint(fact: Fact) -> str:
    """Return the name for a column of expected values."""
    if fact.kind in ("contains", "lacks"):
        return "text" if fact.kind == "contains" else "gone"
    if fact.kind.startswith(XML):
        path, name = map(str, fact.path)
        return name or ("length" if fact.kind == COUNT else path.rpartition("/")[2]) or "expected"
    if fact.kind in ("location", "length", "mimetype"):
        return fact.kind
    if fact.kind == "json":
        keys = [step for step in fact.path if isinstance(step, str)]
        return keys[-1] if keys else "expected"
    return "expected"
