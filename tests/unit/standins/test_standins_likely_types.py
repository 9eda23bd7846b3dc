"""Which class of the code has what was asked of a value."""

from __future__ import annotations

from typing import Protocol

from pytest_evosearch.standins.asked import Node
from pytest_evosearch.standins.likely_types import likeliest


class Token(tuple[str, str]):
    __slots__ = ()

    @property
    def type(self) -> str:
        return self[0]


class Place:
    def __init__(self, line: int) -> None:
        self.line = abs(line)


class Matching(Protocol):
    def __call__(self, text: str) -> str: ...


def class_with(name: str) -> type | None:
    node = Node("value")
    node.attribute(name)
    return likeliest(node, [Matching, Place, Token])[1]


def test_a_class_has_what_its_constructor_sets() -> None:
    assert class_with("line") is Place


def test_a_class_has_not_what_its_constructor_calls() -> None:
    assert class_with("type") is Token  # that of protocols calls type()
    assert class_with("abs") is None
