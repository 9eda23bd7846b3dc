"""Writes statements of a test that store rows in tables, in the style of a person.

from shop.models import Author, Book, db

with client.application.app_context():
author = Author(name="a")
db.session.add(author)
db.session.flush()
db.session.add(Book(title="b", author_id=author.id))
db.session.commit()
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Sequence
from itertools import groupby

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.row_store import ADD
from pytest_evosearch.core.row_store import CREATE
from pytest_evosearch.core.row_store import STATEMENT
from pytest_evosearch.core.row_store import Constructor
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.core.row_store import constructor_of
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line

WIDTH = 80
"""Characters of a line, without the indentation of the test's body and of the ``with``."""


def row_statements(rows: Sequence[PlacedRow], client: str, taken: Collection[str]) -> list[str]:
    """Return the lines that store `rows`; names in `taken` are not used as variables."""
    if not rows:
        return []
    writing = _Writing(rows, client, taken)
    lines = [*_imports(rows)]
    for store, places in groupby(range(len(rows)), lambda at: rows[at].store):
        lines += writing.block(store, list(places))
    return lines


def _imports(rows: Sequence[PlacedRow]) -> list[str]:
    names: dict[str, set[str]] = {}
    whole = set()
    for path in (
        *(row.model for row in rows if row.store.style != STATEMENT),
        *(path for row in rows for path in row.store.imports),
        *(kind for row in rows for kind in row.temporal.values() if "." in kind),
    ):
        module, _, name = path.rpartition(".")
        if module:
            names.setdefault(module, set()).add(name)
        elif path:
            whole.add(path)
    for constructor in (_constructor(row, one) for row in rows for one in row.values):
        if constructor is not None:
            names.setdefault(constructor.module, set()).add(constructor.imported)
    lines = [f"import {one}" for one in sorted(whole)]
    for group in _GROUPS:
        found = [one for one in sorted(names) if group(one)]
        lines += [f"from {one} import {', '.join(sorted(names[one]))}" for one in found]
        if lines and lines[-1]:
            lines.append("")
    return lines


def _is_of_python(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def _is_installed(module: str) -> bool:
    return module.partition(".")[0] == "sqlalchemy"


def _is_of_the_project(module: str) -> bool:
    return not (_is_of_python(module) or _is_installed(module))


_GROUPS = (_is_of_python, _is_installed, _is_of_the_project)


class _Writing:
    """Writes the rows of one call."""

    def __init__(self, rows: Sequence[PlacedRow], client: str, taken: Collection[str]) -> None:
        self._rows = rows
        self._client = client
        self._needed = {place for row in rows for place, _ in row.parents.values()}
        self._variables = _variables(rows, self._needed, taken)

    def block(self, store: RowStore, places: Sequence[int]) -> Iterator[str]:
        """Yield the lines that store rows through one store."""
        yield from map(self._filled, store.before)
        indent = ""
        for head in self._heads(store):
            yield f"{indent}with {head}:"
            indent += "    "
        lines = [*map(self._filled, store.inside)]
        for at in places:
            lines += self._added(store, at)
        lines += map(self._filled, store.ending)
        yield from (f"{indent}{line}" for line in lines)

    def _filled(self, text: str) -> str:
        return text.replace("{client}", self._client)

    def _heads(self, store: RowStore) -> list[str]:
        """Return the context managers that a line enters."""
        contexts = [self._filled(context) for context in store.contexts]
        together = ", ".join(contexts)
        return [together] if contexts and len(together) <= WIDTH else contexts

    def _added(self, store: RowStore, at: int) -> Iterator[str]:
        row, variable = self._rows[at], self._variables[at]
        if store.style == STATEMENT:
            yield from self._executed(store, at)
        elif store.style == CREATE:
            prefix = f"{variable} = " if at in self._needed else ""
            yield from wrapped(self._instance(row, ".create", by_key=False), prefix)
        elif at in self._needed:
            yield from wrapped(self._instance(row), f"{variable} = ")
            yield f"{store.name}.{ADD}({variable})"
            yield f"{store.name}.flush()"
        else:
            yield from wrapped(call(f"{store.name}.{ADD}", Item(self._instance(row))))

    def _instance(self, row: PlacedRow, method: str = "", by_key: bool = True) -> Group:
        items = []
        for attribute, value in row.values.items():
            items.append(Item(_node(row, attribute, value), f"{attribute}="))
        for attribute, (place, key) in row.parents.items():
            variable = self._variables[place]
            items.append(Item(Atom(f"{variable}.{key}" if by_key else variable), f"{attribute}="))
        return call(f"{row.model.rpartition('.')[2]}{method}", *items)

    def _executed(self, store: RowStore, at: int) -> Iterator[str]:
        """Yield the statement that inserts a row, and the one that reads its key for others."""
        row = self._rows[at]
        keys = [key for one in self._rows for place, key in one.parents.values() if place == at]
        columns = (*row.values, *row.parents)
        values = [Item(node_of(value)) for value in row.values.values()]
        values += [Item(Atom(self._key(place))) for place, _ in row.parents.values()]
        text = Text(store.insertion(row.model, columns, keys[0] if keys else ""))
        arguments = [Item(text)]
        if values:
            arguments.append(Item(Group("(", tuple(values), ")")))
        statement = call(f"{store.name}.execute", *arguments)
        taking = ".fetchone()[0]" if store.returns_keys else ".lastrowid"
        if not keys:
            yield from wrapped(statement)
        elif store.name == "cursor":
            yield from wrapped(statement)
            yield f"{self._key(at)} = cursor{taking}"
        else:
            yield from wrapped(statement, f"{self._key(at)} = ", taking)

    def _key(self, place: int) -> str:
        return f"{singular(self._variables[place])}_id"


def _node(row: PlacedRow, attribute: str, value: object) -> Node:
    kind = row.temporal.get(attribute, "")
    if "." in kind and isinstance(value, str):
        return Atom(f"{kind.rpartition('.')[2]}.{value}")
    constructor = _constructor(row, attribute)
    if constructor is None:
        return node_of(value)
    prefix = f"{constructor.keyword}=" if constructor.keyword else ""
    return call(constructor.call, Item(node_of(value), prefix))


def _constructor(row: PlacedRow, attribute: str) -> Constructor | None:
    """Return the constructor for the value of an attribute, None where a literal is enough."""
    found = constructor_of(row.temporal.get(attribute, ""))
    return found if found is not None and found.takes(row.values[attribute]) else None


def wrapped(node: Group, prefix: str = "", suffix: str = "", width: int = WIDTH) -> list[str]:
    """Return the lines of a call: one, or one for each argument."""
    line = f"{prefix}{one_line(node)}{suffix}"
    if len(line) <= width or not node.items:
        return [line]
    lines = [f"{prefix}{node.opening}"]
    comma = "," if len(node.items) > 1 or node.opening == "(" else ""
    for item in node.items:
        if isinstance(item.value, Group):
            inner = wrapped(item.value, item.prefix, comma, width - 4)
        else:
            inner = [f"{item.prefix}{one_line(item.value)}{comma}"]
        lines += (f"    {one}" for one in inner)
    return [*lines, f"{node.closing}{suffix}"]


def _variables(
    rows: Sequence[PlacedRow], needed: Collection[int], taken: Collection[str]
) -> list[str]:
    """Return a variable for each row; those of the `needed` ones are different."""
    used = {*taken}
    variables = []
    for place, row in enumerate(rows):
        name = snake_case(row.model.rpartition(".")[2])
        variables.append(first_free((name, f"{name}_row", f"other_{name}"), used))
        used |= {variables[-1]} if place in needed else set()
    return variables
