"""Prints statements in black's style, so that no formatter changes them.

Black's "magic trailing comma" keeps the split form stable, so three rules are enough. Code that
fits stays on one line. Arguments of a call that fit on one indented line are written on it. All
other code has one element a line, with a comma after each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Group
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Template
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import display_width
from pytest_evosearch.write.code.literals import has_comment
from pytest_evosearch.write.code.literals import one_line
from pytest_evosearch.write.code.literals import quoted
from pytest_evosearch.write.code.literals import template_code

BLACK_LINE_LENGTH = 88
"""Black's own default, in columns."""

INDENT = 4


@dataclass(frozen=True)
class Comparison:
    """``left operator right``, the subject of an assertion."""

    left: Node
    operator: str
    right: Node


@dataclass(frozen=True)
class Layout:
    """Prints nodes within a line length, in columns, with the preferred quotes."""

    line_length: int = BLACK_LINE_LENGTH
    quote: str = '"'

    def statement(self, prefix: str, node: Node, depth: int = 0, suffix: str = "") -> list[str]:
        """Return the lines of ``prefix node suffix``, indented `depth` times."""
        return self.requoted(self._lines(" " * INDENT * depth, prefix, node, suffix))

    def requoted(self, lines: Sequence[str]) -> list[str]:
        """Return lines of code with the preferred quotes where that needs no escape."""
        if self.quote == '"':
            return list(lines)
        return [_LITERAL.sub(_single_quoted, line) for line in lines]

    def assertion(self, subject: Comparison | Node, depth: int = 1) -> list[str]:
        """Return the lines of an ``assert`` statement."""
        return self.requoted(self._assertion(subject, depth))

    def _assertion(self, subject: Comparison | Node, depth: int) -> list[str]:
        if not isinstance(subject, Comparison):
            return self._lines(" " * INDENT * depth, "assert ", subject, "")
        margin = " " * INDENT * depth
        left = f"{one_line(subject.left)} {subject.operator} "
        flat = f"{margin}assert {left}{one_line(subject.right)}"
        if has_comment(subject.right) or self._fits(flat):
            return self._lines(margin, f"assert {left}", subject.right, "")
        if isinstance(subject.left, Group) and not self._fits(f"{margin}assert {left}["):
            return self._broken_call(margin, subject.left, subject)
        if isinstance(subject.right, Group) and subject.right.items:
            return self._lines(margin, f"assert {left}", subject.right, "")
        return self._bracketed_comparison(margin, left, subject)

    def _broken_call(self, margin: str, call: Group, subject: Comparison) -> list[str]:
        """Return a comparison whose left side alone is too long for a line."""
        right = f" {subject.operator} {one_line(subject.right)}"
        if self._fits(f"{margin}{call.closing}{right}"):
            return self._lines(margin, "assert ", call, right)
        inner = margin + " " * INDENT
        before = self._lines(inner, "", call, "")
        after = self._lines(inner, f"{subject.operator} ", subject.right, "")
        return [f"{margin}assert (", *before, *after, f"{margin})"]

    def _bracketed_comparison(self, margin: str, left: str, subject: Comparison) -> list[str]:
        inner = margin + " " * INDENT
        flat = f"{inner}{left}{one_line(subject.right)}"
        if self._fits(flat):
            return [f"{margin}assert (", flat, f"{margin})"]
        if isinstance(subject.right, Text):
            return self._lines(margin, f"assert {left}", subject.right, "")
        right = f"{subject.operator} {one_line(subject.right)}"
        if isinstance(subject.left, Text) and not self._fits(f"{inner}{one_line(subject.left)}"):
            return self._lines(margin, "assert ", subject.left, f" {right}")
        before = one_line(subject.left)
        return [f"{margin}assert (", f"{inner}{before}", f"{inner}{right}", f"{margin})"]

    def _fits(self, line: str) -> bool:
        return display_width(line) <= self.line_length

    def _lines(self, margin: str, prefix: str, node: Node, suffix: str) -> list[str]:
        flat = f"{margin}{prefix}{one_line(node)}{suffix}"
        if not has_comment(node) and self._fits(flat):
            return [flat]
        if isinstance(node, Group) and node.items:
            return self._exploded(margin, prefix, node, suffix)
        if isinstance(node, (Text, Template)):
            return self._broken_text(margin, prefix, node, suffix) or [flat]
        return [flat]

    def _exploded(self, margin: str, prefix: str, group: Group, suffix: str) -> list[str]:
        inner = margin + " " * INDENT
        opened, closed = f"{margin}{prefix}{group.opening}", f"{margin}{group.closing}{suffix}"
        body = ", ".join(f"{item.prefix}{one_line(item.value)}" for item in group.items)
        if group.is_call and not has_comment(group) and self._fits(inner + body):
            return [opened, inner + body, closed]
        if group.is_call and len(group.items) == 1 and isinstance(group.items[0].value, Text):
            # The brackets of the call are enough for adjacent literals.
            return [opened, *self._adjacent(inner, group.items[0]), closed]
        lines = [line for item in group.items for line in self._item(inner, item)]
        return [opened, *lines, closed]

    def _adjacent(self, margin: str, item: Item) -> list[str]:
        if item.prefix or not isinstance(item.value, Text):
            return self._item(margin, item)
        room = max(self.line_length - len(margin), 20)
        return [margin + piece for piece in _pieces(item.value, room)]

    def _item(self, margin: str, item: Item) -> list[str]:
        lines = self._lines(margin, item.prefix, item.value, ",")
        if not item.comment:
            return lines
        commented = f"{lines[-1]}  # {item.comment}"
        if self._fits(commented):
            return [*lines[:-1], commented]
        return [f"{margin}# {item.comment}", *lines]

    def _broken_text(
        self, margin: str, prefix: str, node: Text | Template, suffix: str
    ) -> list[str]:
        """Return adjacent literals in brackets, [] when one line is as good."""
        inner = margin + " " * INDENT
        room = max(self.line_length - len(inner), 20)
        pieces = [inner + piece for piece in _pieces(node, room)]
        if len(pieces) == 1 and not isinstance(node, Text):
            return []
        return [f"{margin}{prefix}(", *pieces, f"{margin}){suffix}"]


_LITERAL = re.compile(r"""(f?)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|#.*""")
"""A string literal, or a comment, whose quotes do not count."""

_REPLACEMENT_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*\}")


def _single_quoted(match: re.Match[str]) -> str:
    literal = match[2] or ""
    body = literal[1:-1]
    if not literal.startswith('"'):
        return match[0]
    text = _REPLACEMENT_FIELD.sub("", body) if match[1] else body
    if re.search(r"""['"]""", text):
        return match[0]
    # The remaining quotes are those of keys inside the fields of an f-string.
    return f"{match[1]}'{body.replace(chr(39), chr(34))}'"


SURELY_TOO_LONG = 8
"""Characters for each column that never fit: some characters take no column."""


def _pieces(node: Text | Template, room: int) -> Iterator[str]:
    if isinstance(node, Template):
        yield from _template_pieces(node, room)
    elif isinstance(node.value, bytes):
        yield from (quoted(piece) for piece in _byte_pieces(node.value, room))
    else:
        yield from (quoted(piece) for piece in _text_pieces(node.value, room))


def _text_pieces(text: str, room: int) -> Iterator[str]:
    """Split `text` into pieces of at most `room` columns with quotes, at spaces if possible."""
    rest = text
    # A long rest cannot fit, so it is not quoted as a whole for each piece.
    while len(rest) > SURELY_TOO_LONG * room or display_width(quoted(rest)) > room:
        cut = _longest_fitting(rest, room)
        cut = _break_before(rest, cut)
        yield rest[:cut]
        rest = rest[cut:]
    if rest or not text:
        yield rest


def _break_before(text: str, cut: int) -> int:
    """Return the last natural place before `cut` to split a line, otherwise `cut`."""
    opened = text.rfind("{ ", cut // 3, cut)  # as in a GraphQL query
    if opened >= 0:
        return opened + 2
    for separators in (" ", "/&?,;"):
        place = max(text.rfind(separator, cut // 2, cut) for separator in separators)
        if place >= 0:
            return place + 1
    return cut


def _byte_pieces(data: bytes, room: int) -> Iterator[bytes]:
    rest = data
    while len(rest) > room or len(quoted(rest)) > room:
        cut = max(1, room // 4)
        while cut < len(rest) and len(quoted(rest[: cut + 1])) <= room:
            cut += 1
        yield rest[:cut]
        rest = rest[cut:]
    if rest or not data:
        yield rest


def _longest_fitting(text: str, room: int) -> int:
    """Return the largest number of characters whose literal fits, at least 1."""
    low, high = 1, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        if display_width(quoted(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return low


def _template_pieces(node: Template, room: int) -> Iterator[str]:
    """Group the parts of an f-string into literals of at most `room` columns, where possible."""
    gathered: list[str | Expression] = []
    for part in node.parts:
        if gathered and len(template_code([*gathered, part])) > room:
            yield template_code(gathered)
            gathered = []
        gathered.append(part)
    if gathered:
        yield template_code(gathered)


def height(value: Node, line_length: int = BLACK_LINE_LENGTH) -> int:
    """Return how many lines ``    assert response.json == value`` would take."""
    return len(Layout(line_length).assertion(Comparison(Atom("response.json"), "==", value)))
