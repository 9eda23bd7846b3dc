"""Finds the columns of a parametrised test: the values that differ between tests."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from dataclasses import field
from typing import TypeGuard

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.free_names import is_identifier
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.users.found_users import COMMON_NAMES
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import OpenFile
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.content.assertions import holds_expression
from pytest_evosearch.write.content.assertions import holds_unstable

_RESERVED = {
    *vars(builtins),
    *COMMON_NAMES,
    *("response", "auth", "db", "math", "io", "re", "ANY", "piece", "xml"),
}
"""Names that a written test may use for other things."""


class NotMergeable(Exception):
    """Says that tests do not make one readable table."""


@dataclass
class Table:
    """The columns so far: name -> one value for each row."""

    taken: set[str]
    subject: str
    columns: dict[str, list[object]] = field(default_factory=dict)

    def hole(self, values: Sequence[object], hint: str) -> Expression:
        """Return the variable of a column with `values`; create it unless it exists."""
        if any(holds_unstable(value) or holds_expression(value) for value in values):
            raise NotMergeable
        wanted = signature(values)
        for name, column in self.columns.items():
            if signature(column) == wanted:
                return Expression(name)
        name = self._free_name(hint)
        self.columns[name] = list(values)
        return Expression(name)

    def _free_name(self, hint: str) -> str:
        name = snake_case(hint) or "value"
        # Keys of a response that say nothing about their values.
        if name in ("json", "body", "args"):
            name = "expected"
        if name == "id":
            name = f"{self.subject}_id"
        elif name in _RESERVED or not is_identifier(name):
            name = f"{name}_value"
        if name in self.taken or name in self.columns:
            name = f"expected_{name}"
        if name in self.taken or name in self.columns or not is_identifier(name):
            raise NotMergeable
        return name


def signature(values: Sequence[object]) -> list[tuple[type, str]]:
    """Return a comparable form of a sequence of values, with their types."""
    return [(type(value), one_line(node_of(value))) for value in values]


def of_one_type(values: Sequence[object]) -> list[object]:
    """Return URL values as numbers where all can be, otherwise as texts."""
    scalars = [value for value in values if isinstance(value, (str, int, float))]
    if len(scalars) < len(values) or any(isinstance(value, bool) for value in values):
        return list(values)
    numbers = [_number(value) for value in scalars]
    if all(number is not None for number in numbers):
        return list(numbers)
    return [str(value) for value in scalars]


def _number(value: str | float) -> int | float | None:
    """Return the number for the text `value`, None when it is not one."""
    for kind in (int, float):
        try:
            number = kind(str(value))
        except (ValueError, OverflowError):
            continue
        # An integer is finite, and may be too large for a float.
        if repr(number) == str(value) and (isinstance(number, int) or math.isfinite(number)):
            return number
    return None


def anti_unify(values: Sequence[object], table: Table, hint: str) -> object:
    """Anti-unify value trees: common parts stay, differences become columns."""
    first = values[0]
    if len(set(signature(values))) == 1 and not isinstance(first, Expression):
        return first
    if all(value == first for value in values) and holds_expression(first):
        return first
    if all(isinstance(value, dict) for value in values):
        dictionaries = [value for value in values if isinstance(value, dict)]
        if all(value.keys() == dictionaries[0].keys() for value in dictionaries):
            return {
                key: anti_unify([value[key] for value in dictionaries], table, str(key))
                for key in dictionaries[0]
            }
    if all(isinstance(value, list) for value in values):
        lists = [value for value in values if isinstance(value, list)]
        if all(len(value) == len(lists[0]) for value in lists):
            return [anti_unify(parts, table, hint) for parts in zip(*lists, strict=True)]
    files = [value for value in values if isinstance(value, OpenFile)]
    if len(files) == len(values):
        content = table.hole([file.content for file in files], "content")
        return Expression(f"io.BytesIO({content.code})")
    uploads = [value for value in values if _is_upload(value)]
    if len(uploads) == len(values) and len({len(upload) for upload in uploads}) == 1:
        hints = ("content", "filename", "content_type")
        parts = zip(zip(*uploads, strict=True), hints, strict=False)
        return tuple(anti_unify(part, table, name) for part, name in parts)
    return table.hole(values, hint)


def _is_upload(value: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], OpenFile)
