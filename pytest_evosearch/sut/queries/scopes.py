"""Which tables a statement reads, under which names, and which of its parts decides about rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.queries.parsing import expressions
from pytest_evosearch.sut.queries.parsing import part
from pytest_evosearch.sut.queries.row_predicates import PLACED
from pytest_evosearch.sut.queries.row_predicates import RowQuery

_LEFT_OUT = (
    "where",
    "group",
    "having",
    "order",
    "limit",
    "offset",
    "distinct",
    "qualify",
    "windows",
    "locks",
    "into",
    "hint",
    "fetch",
    "sort",
    "cluster",
    "distribute",
    "for_",
)
"""Parts of a statement that do not affect the candidate rows."""


class UnsupportedQueryError(Exception):
    """Says that the rows of a statement cannot be scored."""


@dataclass
class Scope:
    """The tables of one ``FROM``, and the expressions read from them."""

    tree: Any
    dialect: str
    parent: Scope | None = None
    items: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.depth: int = 0 if self.parent is None else self.parent.depth + 1
        self.names = {name.lower() for name in sources_of(self.tree)}

    def owner(self, column: Any) -> Scope:
        """Return the scope to which a column belongs."""
        name = column.table.lower()
        if not name or name in self.names or self.parent is None:
            return self
        return self.parent.owner(column)

    def place(self, node: Any) -> int:
        """Return the index of an expression's value in a row."""
        for column in node.find_all(expressions().Column):
            if not is_placeholder(column) and self.owner(column) is not self:
                raise UnsupportedQueryError
        return self.items.setdefault(node.sql(dialect=self.dialect), len(self.items))

    def place_if_own(self, node: Any) -> int | None:
        """Return the index of its value in a row; None when it needs rows of an outer query."""
        try:
            return self.place(node)
        except UnsupportedQueryError:
            return None

    def row_query(self, most: int) -> RowQuery:
        """Return a query for the rows, limited to `most`."""
        exp = expressions()
        tree = self.tree.copy()
        if not isinstance(tree, exp.Select):
            tree = exp.select("1").from_(tree.this)
        for name in _LEFT_OUT:
            tree.set(name, None)
        start, marker = tree.sql(dialect=self.dialect), "evo_items"
        tree.set("expressions", [exp.column(marker)])
        start = tree.limit(most).sql(dialect=self.dialect)
        text = start.replace(marker, ", ".join(self.items) or "1", 1)
        return RowQuery(text, most, may_fail=may_fail(self.tree.args.get("where")))


def may_fail(where: Any) -> bool:
    """Say whether a condition evaluates an expression that fails for some values."""
    exp = expressions()
    if where is None:
        return False
    harmless = (exp.Connector, exp.Exists, exp.Lower, exp.Upper, exp.Length, exp.Coalesce)
    return any(
        not isinstance(node, harmless) for node in where.find_all(exp.Func, exp.Div, exp.Mod)
    )


def sources_of(tree: Any) -> Iterator[str]:
    """Yield the names under which a statement reads tables."""
    exp = expressions()
    if not isinstance(tree, exp.Select):
        yield tree.this.alias_or_name
        return
    source = part(tree, "from")
    if source is not None:
        yield source.this.alias_or_name
    for join in tree.args.get("joins") or ():
        yield join.this.alias_or_name


def innermost(tree: Any) -> tuple[Any, bool]:
    """Return the query that selects rows, and whether an outer query always returns one."""
    exp = expressions()
    single = False
    for _ in range(3):
        if not isinstance(tree, exp.Select):
            break
        single = single or is_single_row(tree)
        source = part(tree, "from")
        only = source.this if source is not None else tree.expressions[0].unalias()
        simple = tree.args.get("where") is None and not tree.args.get("joins")
        within = only.this if isinstance(only, (exp.Subquery, exp.Exists)) else None
        if not simple or not isinstance(within, exp.Select):
            break
        single = single or source is None
        tree = within
    return tree, single


def is_single_row(tree: Any) -> bool:
    """Say whether a query returns one row whatever its tables hold: it sums them up."""
    exp = expressions()
    if tree.args.get("group") is not None:
        return False
    return any(
        one.find(exp.AggFunc) is not None and one.find(exp.Window) is None
        for one in tree.expressions
    )


def has_more_tables(tree: Any) -> bool:
    """Say whether a statement that changes one table reads others."""
    exp = expressions()
    if not isinstance(tree.this, exp.Table) or tree.this.args.get("joins"):
        return True
    return bool(part(tree, "from") or tree.args.get("using") or tree.args.get("tables"))


def is_placeholder(node: Any) -> bool:
    """Say whether an expression stands for a value that the statement is given."""
    return not node.table and PLACED.fullmatch(node.name) is not None
