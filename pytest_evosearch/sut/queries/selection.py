"""Turns the tree of a statement into a query for rows, and closures that judge them.

For each row, the database itself evaluates each condition, with its own collations, conversions and
functions. Distances need the values on both sides. The database evaluates every expression that is
no plain value or placeholder:

    SELECT id FROM item WHERE lower(name) = ? AND price > 5
    SELECT lower(name) = ?, lower(name), price > 5, price FROM item LIMIT 100

Rows of a subquery are read without its conditions, which are judged here for each outer row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.scores import Truthness
from pytest_evosearch.sut.queries.parsing import expressions
from pytest_evosearch.sut.queries.parsing import part
from pytest_evosearch.sut.queries.relations import LIKE
from pytest_evosearch.sut.queries.relations import MATCHES
from pytest_evosearch.sut.queries.relations import all_of
from pytest_evosearch.sut.queries.relations import any_of
from pytest_evosearch.sut.queries.row_predicates import PLACED
from pytest_evosearch.sut.queries.row_predicates import Judged
from pytest_evosearch.sut.queries.row_predicates import Operand
from pytest_evosearch.sut.queries.row_predicates import Predicate
from pytest_evosearch.sut.queries.row_predicates import Relation
from pytest_evosearch.sut.queries.row_predicates import Selection
from pytest_evosearch.sut.queries.row_predicates import Weigh
from pytest_evosearch.sut.queries.row_predicates import Wishing
from pytest_evosearch.sut.queries.row_predicates import corrected_by_database
from pytest_evosearch.sut.queries.row_predicates import flag
from pytest_evosearch.sut.queries.row_predicates import no_wishes
from pytest_evosearch.sut.queries.row_predicates import unfulfilled
from pytest_evosearch.sut.queries.row_predicates import weighed_once
from pytest_evosearch.sut.queries.row_predicates import weighing
from pytest_evosearch.sut.queries.row_predicates import wishes_of
from pytest_evosearch.sut.queries.scopes import Scope
from pytest_evosearch.sut.queries.scopes import UnsupportedQueryError
from pytest_evosearch.sut.queries.scopes import has_more_tables
from pytest_evosearch.sut.queries.scopes import innermost
from pytest_evosearch.sut.queries.scopes import is_placeholder
from pytest_evosearch.sut.queries.wishes import Wish

MOST_ROWS = 100
MOST_INNER_ROWS = 8
"""Most rows of all subqueries, which are judged once for each outer row."""

LEAST_ROWS = 8

MOST_WORK = 300
"""Most comparisons for one statement: they take about a millisecond."""

LONGEST_PREDICATE = 60
"""Most characters of a condition in the name of a target."""


def select(tree: Any, dialect: str) -> Selection:
    """Return the query and the judgement for a statement."""
    exp = expressions()
    tree, single = innermost(tree)
    if isinstance(tree, exp.Select):
        if part(tree, "from") is None:
            raise UnsupportedQueryError
    elif not isinstance(tree, (exp.Update, exp.Delete)) or has_more_tables(tree):
        raise UnsupportedQueryError
    compiler = _Compiler(dialect)
    scope = Scope(tree, dialect)
    where = tree.args.get("where")
    found: list[Predicate] = []
    weigh = None if where is None else compiler.condition(where.this, scope, found)
    predicates = tuple({one.name: one for one in reversed(found)}.values())[::-1]
    share = max(1, len(compiler.inner))
    work = sum(one.work for one in found) // share  # also those with one name
    most = min(MOST_ROWS, max(LEAST_ROWS, MOST_WORK // max(1, work)))
    queries = tuple(one.row_query(MOST_INNER_ROWS // share or 1) for one in compiler.inner)
    return Selection(weigh, predicates, scope.row_query(most), queries, single)


class _Compiler:
    """Turns conditions into closures; collects further queries for rows."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.inner: list[Scope] = []
        exp = expressions()
        self._relations: dict[type, str] = {
            exp.EQ: "==",
            exp.NEQ: "!=",
            exp.LT: "<",
            exp.LTE: "<=",
            exp.GT: ">",
            exp.GTE: ">=",
            exp.Like: LIKE,
            exp.ILike: LIKE,
            exp.RegexpLike: MATCHES,
        }

    def condition(
        self, node: Any, scope: Scope, into: list[Predicate], wanted: bool = True
    ) -> Weigh:
        """Compile a condition, and append its predicates to a list."""
        exp = expressions()
        node = node.unnest()
        if isinstance(node, (exp.And, exp.Or)):
            parts = [self.condition(one, scope, into, wanted) for one in node.flatten()]
            join = all_of if isinstance(node, exp.And) else any_of
            return lambda judged: join([weigh(judged) for weigh in parts])
        if isinstance(node, exp.Not):
            weigh = self.condition(node.this, scope, into, not wanted)
            return lambda judged: weigh(judged).inverted()
        predicate = self._predicate(node, scope, wanted)
        weigh = partial(weighed_once, predicate.weigh, len(into))
        into.append(replace(predicate, weigh=weigh))
        return weigh

    def _predicate(self, node: Any, scope: Scope, wanted: bool) -> Predicate:
        name = _name(node, self.dialect)
        nested = self._nested(node, scope)
        if nested is not None:
            work = (1 + sum(one.work for one in nested[2])) * MOST_INNER_ROWS
            return Predicate(name, wanted, *nested[:2], work=work)
        relations, all_needed = self._related(node, scope)
        if not relations:
            return Predicate(name, wanted, flag(scope.place(node)), no_wishes)
        place = scope.place_if_own(node)
        wishes = partial(wishes_of, relations)
        weigh = weighing(relations, all_needed, place)
        return Predicate(name, wanted, weigh, wishes, len(relations))

    def _related(self, node: Any, scope: Scope) -> tuple[tuple[Relation, ...], bool]:
        """Return the comparisons of a predicate, and whether all of them are needed."""
        exp = expressions()
        node = node.this if isinstance(node, exp.Escape) else node
        relation = self._relations.get(type(node))
        if relation is not None:
            if isinstance(node.expression, exp.Any):
                relation, right = "in", node.expression.this.unnest()
            else:
                right = node.expression
            return (
                Relation(relation, self._operand(node.this, scope), self._operand(right, scope)),
            ), True
        if isinstance(node, exp.Between):
            value = self._operand(node.this, scope)
            low, high = (self._operand(node.args[one], scope) for one in ("low", "high"))
            return (Relation(">=", value, low), Relation("<=", value, high)), True
        if isinstance(node, exp.In):
            value = self._operand(node.this, scope)
            if node.expressions:
                members = [self._operand(one, scope) for one in node.expressions[:MOST_ROWS]]
                return tuple(Relation("==", value, member) for member in members), False
            within = node.args.get("field")
            if within is not None:
                return (Relation("in", value, self._operand(within, scope)),), True
        return (), True

    def _operand(self, node: Any, scope: Scope) -> Operand:
        exp = expressions()
        node = node.unnest()
        inner = node.this if isinstance(node, exp.Cast) else node
        if isinstance(inner, exp.Column) and is_placeholder(inner):
            number = int(PLACED.fullmatch(inner.name)[1])  # type: ignore[index]
            return lambda judged: judged.values[number]
        if isinstance(node, exp.Literal):
            constant = node.this if node.is_string else _number(node.this)
            return lambda _judged: constant
        if isinstance(node, exp.Boolean):
            truth = bool(node.this)
            return lambda _judged: truth
        owner = scope.owner(node) if isinstance(node, exp.Column) else scope
        depth, place = owner.depth, owner.place(node)
        return lambda judged: judged.rows[depth][place]

    def _nested(
        self, node: Any, scope: Scope
    ) -> tuple[Weigh, Wishing, tuple[Predicate, ...]] | None:
        """Compile ``EXISTS (...)`` and ``IN (SELECT ...)``; None for any other predicate."""
        exp = expressions()
        if isinstance(node, exp.Exists):
            query, sought = node.this.unnest(), None
        elif isinstance(node, exp.In) and node.args.get("query") is not None:
            query, sought = node.args["query"].unnest(), node.this
        else:
            return None
        place = scope.place_if_own(node)
        try:
            inner = self._inner(query, sought, scope)
        except UnsupportedQueryError:
            if place is None:
                raise
            return flag(place), no_wishes, ()
        weigh = inner.weigh if place is None else corrected_by_database(inner.weigh, place)
        return weigh, inner.wishes, inner.predicates

    def _inner(self, query: Any, sought: Any, scope: Scope) -> _Subquery:
        exp = expressions()
        if scope.depth or not isinstance(query, exp.Select) or part(query, "from") is None:
            raise UnsupportedQueryError
        inner = Scope(query, self.dialect, scope)
        predicates: list[Predicate] = []
        parts = []
        if sought is not None:
            found = query.expressions[0].unalias()
            sides = self._operand(sought, scope), self._operand(found, inner)
            relations = (Relation("==", *sides),)
            weigh, wishes = weighing(relations, True, None), partial(wishes_of, relations)
            predicates.append(Predicate("", True, weigh, wishes))
            parts.append(weigh)
        if query.args.get("where") is not None:
            parts.append(self.condition(query.args["where"].this, inner, predicates))
        self.inner.append(inner)
        return _Subquery(len(self.inner) - 1, tuple(parts), tuple(predicates))


@dataclass(frozen=True)
class _Subquery:
    """Judges the rows of a subquery for one outer row."""

    number: int
    parts: tuple[Weigh, ...]
    predicates: tuple[Predicate, ...]

    def _truths(self, judged: Judged) -> list[tuple[Truthness, Judged]]:
        """Return how near each row of the subquery is; hints need it again."""
        known = judged.subqueries.get(self.number)
        if known is None:
            known = judged.subqueries[self.number] = self._found_truths(judged)
        return known

    def _found_truths(self, judged: Judged) -> list[tuple[Truthness, Judged]]:
        looks = [
            Judged((*judged.rows, row), judged.values, judged.inner, {}, {})
            for row in judged.inner[self.number]
        ]
        if not self.parts:
            return [(Truthness(COVERED, REACHED_EMPTY), look) for look in looks]
        return [(all_of([weigh(look) for weigh in self.parts]), look) for look in looks]

    def weigh(self, judged: Judged) -> Truthness:
        """Return how near the subquery is to having a row."""
        truths = [truth for truth, _look in self._truths(judged)]
        return any_of(truths) if truths else Truthness(REACHED_EMPTY, COVERED)

    def wishes(self, judged: Judged, wanted: bool) -> Iterator[Wish]:
        """Yield changes that make the subquery find its nearest row, or miss it."""
        truths = self._truths(judged)
        if not truths:
            return
        look = max(truths, key=lambda truth: truth[0].of_true)[1]
        for predicate in self.predicates:
            yield from unfulfilled(predicate, look, predicate.wanted is wanted)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _name(node: Any, dialect: str) -> str:
    """Return a condition in the form of its targets' names, without its values."""
    text = PLACED.sub("?", node.sql(dialect=dialect))
    text = re.sub(r"'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?(?!\w)", "?", text)
    return re.sub(r"\?(?:, \?)+", "?", re.sub(r"\s+", " ", text))[:LONGEST_PREDICATE]
