"""Texts of GraphQL: one operation with its variables and its selection."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass

Type: TypeAlias = "Mapping[str, Any]"
"""A type, or a reference to one, in the form of introspection."""

DEPTHS = (0, 1, 2)
"""Levels of objects inside the requested object, from the plainest selection to the widest."""

MOST_FIELDS = 40
"""Most fields of one selection; types of large schemas refer to one another without end."""

MOST_TYPES = 4
"""Most types of a union or an interface that are requested."""

DEEPEST = 6
"""Most levels in all: a connection has two before its first useful field."""

_OBJECTS = ("OBJECT", "INTERFACE", "UNION")
_OUTERMOST = re.compile(
    r"\s*(?:(query|mutation)\b[^{(]*(?:\([^)]*\))?[^{]*)?\{\s*(?:\w+\s*:\s*)?(\w+)"
)


@dataclass(frozen=True)
class Argument:
    """An argument of a field: the variable of the same name fills it."""

    name: str
    type_name: str
    """Type in declared form: ``[ID!]!``."""


@dataclass(frozen=True)
class Operation:
    """One field of ``Query`` or ``Mutation``, and all selections that are tried."""

    kind: str
    """``query`` or ``mutation``."""
    field: str
    arguments: tuple[Argument, ...] = ()
    selections: tuple[str, ...] = ("",)
    """What follows the field, with braces; the plainest first, empty for a scalar."""

    @property
    def coordinate(self) -> str:
        """The unique name of the operation: ``mutation.createUser``."""
        return f"{self.kind}.{self.field}"

    def document(self, selection: int, sent: Collection[str]) -> str:
        """Return the text of the operation with a selection and the variables that are `sent`."""
        given = [one for one in self.arguments if one.name in sent]
        declared = ", ".join(f"${one.name}: {one.type_name}" for one in given)
        passed = ", ".join(f"{one.name}: ${one.name}" for one in given)
        head = (
            f"{self.kind} ({declared}) " if given else "" if self.kind == "query" else "mutation "
        )
        return (
            f"{head}{{ {self.field}{f'({passed})' if given else ''}{self._selected(selection)} }}"
        )

    def _selected(self, selection: int) -> str:
        text = self.selections[min(selection, len(self.selections) - 1)]
        return f" {text}" if text else ""


def coordinate_in(document: str) -> str:
    """Return the operation that a document contains, empty for none."""
    found = _OUTERMOST.match(document)
    return f"{found[1] or 'query'}.{found[2]}" if found else ""


def spelled(reference: Type) -> str:
    """Return a type in its written form: ``[Int!]``."""
    inner = reference.get("ofType")
    if reference.get("kind") == "NON_NULL" and inner:
        return f"{spelled(inner)}!"
    if reference.get("kind") == "LIST" and inner:
        return f"[{spelled(inner)}]"
    return str(reference.get("name"))


def bare(reference: Type) -> Type:
    """Return the type inside lists and exclamation marks."""
    while reference.get("ofType"):
        reference = reference["ofType"]
    return reference


def is_required(value: Type) -> bool:
    """Say whether an argument or an input field is required."""
    return value["type"].get("kind") == "NON_NULL" and value.get("defaultValue") is None


class Selections:
    """Writes selections for the types of a schema."""

    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = types
        self._left = 0

    def of(self, reference: Type) -> tuple[str, ...]:
        """Return the selections of a type, each once, the plainest first."""
        if bare(reference).get("kind") not in _OBJECTS:
            return ("",)
        texts = []
        for depth in DEPTHS:
            self._left = MOST_FIELDS
            texts.append(self._braced(str(bare(reference)["name"]), depth, ()))
        return tuple(dict.fromkeys(texts))

    def _braced(self, name: str, depth: int, above: tuple[str, ...]) -> str:
        definition = self._types.get(name, {})
        if definition.get("kind") == "OBJECT":
            parts = list(self._fields(definition, depth, above))
        else:
            parts = ["__typename", *self._alternatives(definition, depth, above)]
        return f"{{ {' '.join(parts) or '__typename'} }}"

    def _alternatives(self, definition: Type, depth: int, above: tuple[str, ...]) -> Iterator[str]:
        """Yield a fragment for each of a few types; one name has one type in all of them."""
        known: dict[str, str] = {}
        for possible in (definition.get("possibleTypes") or ())[:MOST_TYPES]:
            name = str(possible["name"])
            fitting = [
                one
                for one in self._types.get(name, {}).get("fields") or ()
                if known.setdefault(one["name"], spelled(one["type"])) == spelled(one["type"])
            ]
            parts = list(self._fields({"name": name, "fields": fitting}, depth, above))
            if parts:
                yield f"... on {name} {{ {' '.join(parts)} }}"

    def _fields(self, definition: Type, depth: int, above: tuple[str, ...]) -> Iterator[str]:
        """Yield the scalar fields of an object, then its objects."""
        above = (*above, str(definition.get("name")))
        free = [one for one in definition.get("fields") or () if not _wants_something(one)]
        objects = [one for one in free if bare(one["type"]).get("kind") in _OBJECTS]
        for one in free:
            if one not in objects and self._left > 0:
                self._left -= 1
                yield str(one["name"])
        for one in objects:
            inner = str(bare(one["type"])["name"])
            below = depth if _only_wraps(definition) and inner != "PageInfo" else depth - 1
            if below >= 0 and inner not in above and len(above) < DEEPEST and self._left > 0:
                self._left -= 1
                yield f"{one['name']} {self._braced(inner, below, above)}"


def _wants_something(field: Type) -> bool:
    return any(is_required(argument) for argument in field.get("args") or ())


def _only_wraps(definition: Type) -> bool:
    """Say whether an object only wraps another one: a payload, a connection, an edge."""
    return not any(
        field["name"] in ("id", "_id") or bare(field["type"]).get("name") == "ID"
        for field in definition.get("fields") or ()
    )
