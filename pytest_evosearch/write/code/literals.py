"""Python values as source code: the nodes that `layout` prints.

A value tree is plain Python (dicts, lists, tuples, scalars). Two kinds of leaves represent code:
`Expression` (a variable, ``created.json["id"]``; `OpenFile` is one) and `Unstable` (``ANY`` with
the reason as a comment).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass

LONG_RUN = 10
"""Repetitions of a character from which ``"a" * 24`` reads better: people do not count that far."""


LONGEST_REST = 24
"""Most characters after the repetition; with more, the text is about something else."""


@dataclass(frozen=True)
class Expression:
    """A leaf of a value tree that is already code."""

    code: str


@dataclass(frozen=True)
class OpenFile(Expression):
    """A leaf that is an open file with known content: opened again for each call that sends it."""

    content: bytes


def open_file(content: bytes) -> OpenFile:
    """Return the leaf for a file with `content`."""
    return OpenFile(f"io.BytesIO({quoted(content)})", content)


@dataclass(frozen=True)
class Unstable:
    """A leaf of a value tree whose value differs between runs."""

    reason: str


@dataclass(frozen=True)
class Atom:
    """Source text that is never split over lines."""

    text: str


@dataclass(frozen=True)
class Text:
    """A string or bytes literal, which may be split into adjacent literals."""

    value: str | bytes


@dataclass(frozen=True)
class Template:
    """An f-string: texts, and the code of its fields."""

    parts: tuple[str | Expression, ...]


@dataclass(frozen=True)
class Item:
    """One element of a `Group`: ``"key": value`` or ``name=value``, perhaps with a comment."""

    value: Node
    prefix: str = ""
    comment: str = ""


@dataclass(frozen=True)
class Group:
    """Elements between brackets: a display or a call."""

    opening: str
    items: tuple[Item, ...]
    closing: str
    is_call: bool = False

    @cached_property
    def is_commented(self) -> bool:
        """Say whether a comment is inside, so that it cannot be written on one line."""
        return any(item.comment or has_comment(item.value) for item in self.items)

    @cached_property
    def on_one_line(self) -> str:
        """Return the code on one line, without comments.

        Layouts ask for it at each level of nesting.
        """
        inner = ", ".join(f"{item.prefix}{one_line(item.value)}" for item in self.items)
        lone_tuple = self.opening == "(" and len(self.items) == 1
        return f"{self.opening}{inner}{',' if lone_tuple else ''}{self.closing}"


Node: TypeAlias = "Atom | Text | Template | Group"


def call(function: str, *arguments: Item | Node) -> Group:
    """Return the node of a call of `function`."""
    items = tuple(given if isinstance(given, Item) else Item(given) for given in arguments)
    return Group(f"{function}(", items, ")", is_call=True)


def node_of(value: object) -> Node:
    """Return the node of a value tree."""
    if isinstance(value, Expression):
        return Atom(value.code)
    if isinstance(value, Unstable):
        return Atom("ANY")
    if isinstance(value, str):
        return _run(value) or Text(value)
    if isinstance(value, bytes):
        return Text(value)
    if isinstance(value, dict):
        return _dictionary(value)
    if isinstance(value, (list, tuple)):
        return _sequence(value)
    if isinstance(value, float) and not math.isfinite(value):
        return call("float", Text(str(value)))
    return Atom(repr(value).replace("e+", "e"))


def _run(text: str) -> Node | None:
    """Return ``"a" * 24`` or ``"a" * 24 + "@b.de"`` for a text that begins with a repetition."""
    rest = text.lstrip(text[:1])
    length = len(text) - len(rest)
    if length < LONG_RUN or len(rest) > LONGEST_REST or (rest and not text[0].isalnum()):
        return None
    run = f"{quoted(text[0])} * {length}"
    return Atom(f"{run} + {quoted(rest)}" if rest else run)


def _dictionary(value: dict[object, object]) -> Group:
    return Group("{", tuple(_entry(key, element) for key, element in value.items()), "}")


def _entry(key: object, element: object) -> Item:
    if isinstance(key, Expression):  # ``**headers``: a key without a value
        return Item(Atom(key.code))
    return Item(node_of(element), f"{one_line(node_of(key))}: ", _comment(element))


def _sequence(value: Iterable[object]) -> Group:
    items = tuple(Item(node_of(element), comment=_comment(element)) for element in value)
    return Group("(", items, ")") if isinstance(value, tuple) else Group("[", items, "]")


def _comment(element: object) -> str:
    return element.reason if isinstance(element, Unstable) else ""


def one_line(node: Node) -> str:
    """Return the code of `node` on one line, without comments."""
    if isinstance(node, Atom):
        return node.text
    if isinstance(node, Text):
        return quoted(node.value)
    if isinstance(node, Template):
        return template_code(node.parts)
    return node.on_one_line


def has_comment(node: Node) -> bool:
    """Say whether `node` contains a comment, so that it cannot be written on one line."""
    return isinstance(node, Group) and node.is_commented


def quoted(value: str | bytes) -> str:
    """Return a literal in black's quotes: double, unless that needs more escapes."""
    if isinstance(value, bytes):
        return "b" + _in_quotes("".join(map(chr, value)), _escape_byte)
    if value.isprintable() and '"' not in value and "\\" not in value:  # a quick way for most texts
        return f'"{value}"'
    return _in_quotes(value, _escape_character)


def _in_quotes(text: str, escape: Callable[[str], str]) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'
    body = "".join("\\" + one if one == quote else escape(one) for one in text)
    return quote + body + quote


def _escape_character(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    return repr(character)[1:-1]


def _escape_byte(character: str) -> str:
    if character in "'\"":
        return character
    return repr(bytes([ord(character)]))[2:-1]


def subscripts(path: Sequence[str | int]) -> str:
    """Return ``["errors"][0]`` for the path ("errors", 0)."""
    return "".join(f"[{quoted(key) if isinstance(key, str) else key}]" for key in path)


def template_code(parts: Iterable[str | Expression]) -> str:
    """Return an f-string, or a plain literal without fields."""
    listed = list(parts)
    if all(isinstance(part, str) for part in listed):
        return quoted("".join(part for part in listed if isinstance(part, str)))
    body = "".join(_template_part(part) for part in listed)
    return f'f"{body}"'


def _template_part(part: str | Expression) -> str:
    if isinstance(part, Expression):
        # Python before 3.12 does not allow the f-string's own quotes inside it.
        return "{" + part.code.replace('"', "'") + "}"
    doubled = part.replace("{", "{{").replace("}", "}}")
    return "".join('\\"' if one == '"' else _escape_character(one) for one in doubled)


def display_width(text: str) -> int:
    """Return the number of columns of `text`, as black and ruff count them."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
