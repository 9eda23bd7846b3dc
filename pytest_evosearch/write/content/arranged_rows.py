"""Statements by which a test puts rows into tables, as a colleague would write them.

from shop.models import Author, Book, db

with client.application.app_context():
author = Author(name="a")
db.session.add(author)
db.session.flush()
db.session.add(Book(title="b", author_id=author.id))
db.session.commit()
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line

WIDTH = 80
"""Characters of a line, without the indentation of the test's body and of the ``with``."""

_EXTENSION = 'extensions["sqlalchemy"]'


def row_statements(rows: Sequence[PlacedRow], client: str, taken: Collection[str]) -> list[str]:
    """Return the lines that put `rows` into their tables; `taken` names are no variables."""
    if not rows:
        return []
    session = rows[0].session
    lines = _imports(rows)
    if not session:
        lines.append(f"db = {client}.application.{_EXTENSION}")
    name = session.rpartition(".")[2] or "db"
    lines += [f"with {client}.application.app_context():"]
    variables = [_variable(row, taken) for row in rows]
    needed = {place for row in rows for place, _ in row.parents.values()}
    for at, row in enumerate(rows):
        lines += (f"    {line}" for line in _added(row, at in needed, variables, at, name))
    return [*lines, f"    {name}.session.commit()"]


def _imports(rows: Sequence[PlacedRow]) -> list[str]:
    names: dict[str, set[str]] = {}
    for path in (*(row.model for row in rows), rows[0].session):
        module, _, name = path.rpartition(".")
        if module:
            names.setdefault(module, set()).add(name)
    temporal = {kind for row in rows for kind in row.temporal.values()}
    lines = [] if not temporal else [f"from datetime import {', '.join(sorted(temporal))}", ""]
    modules = (f"from {one} import {', '.join(sorted(names[one]))}" for one in sorted(names))
    return [*lines, *modules, ""]


def _added(
    row: PlacedRow, is_needed: bool, variables: Sequence[str], at: int, name: str
) -> Iterator[str]:
    if not is_needed:
        yield from _wrapped(call(f"{name}.session.add", Item(_instance(row, variables))))
        return
    yield from _wrapped(_instance(row, variables), f"{variables[at]} = ")
    yield f"{name}.session.add({variables[at]})"
    yield f"{name}.session.flush()"


def _instance(row: PlacedRow, variables: Sequence[str]) -> Group:
    items = []
    for attribute, value in row.values.items():
        node = node_of(value)
        kind = row.temporal.get(attribute)
        if kind is not None and isinstance(value, str):
            node = call(f"{kind}.fromisoformat", Text(value))
        items.append(Item(node, f"{attribute}="))
    for attribute, (place, key) in row.parents.items():
        items.append(Item(Atom(f"{variables[place]}.{key}"), f"{attribute}="))
    return call(row.model.rpartition(".")[2], *items)


def _wrapped(node: Group, prefix: str = "", suffix: str = "", width: int = WIDTH) -> list[str]:
    """Return a call on one line, or with each argument on a line of its own."""
    line = f"{prefix}{one_line(node)}{suffix}"
    if len(line) <= width or not node.items:
        return [line]
    lines = [f"{prefix}{node.opening}"]
    comma = "," if len(node.items) > 1 else ""
    for item in node.items:
        if isinstance(item.value, Group):
            inner = _wrapped(item.value, item.prefix, comma, width - 4)
        else:
            inner = [f"{item.prefix}{one_line(item.value)}{comma}"]
        lines += (f"    {one}" for one in inner)
    return [*lines, f"{node.closing}{suffix}"]


def _variable(row: PlacedRow, taken: Collection[str]) -> str:
    name = snake_case(row.model.rpartition(".")[2])
    return f"{name}_row" if name in taken else name
