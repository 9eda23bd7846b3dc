"""Values as text: short, and without a line of the application's code."""

from __future__ import annotations

import datetime
import enum
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.core.shown import LONGEST_COLLECTION
from pytest_evosearch.core.shown import shortened
from pytest_evosearch.core.shown import shown


class Hostile(str):
    __slots__ = ()

    def __repr__(self) -> str:
        raise AssertionError


class Mapping(dict[str, object]):
    def __iter__(self) -> object:
        raise AssertionError

    def items(self) -> object:
        raise AssertionError

    def __len__(self) -> int:
        raise AssertionError


class Meta(type):
    @property
    def __name__(cls) -> str:
        raise AssertionError


class Strange(metaclass=Meta):
    pass


class Colour(enum.Enum):
    RED = 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Hostile("x"), "<Hostile>"),
        ((1, Hostile("x")), "(1, <Hostile>)"),
        (tuple(range(9)), "(0, 1, 2, 3, ...)"),
        (Mapping(a=1, b=[None]), "{'a': 1, 'b': [None]}"),
        (OrderedDict(a={}), "{'a': {}}"),
        ([[[[1]]]], "[[[<list>]]]"),
        (dict, "dict"),
        (Strange(), "<Strange>"),
        (Colour.RED, "<Colour>"),
        (datetime.date(2024, 2, 29), "datetime.date(2024, 2, 29)"),
        pytest.param(1 << 20_000, "<int of 20001 bits>", id="huge"),
    ],
)
def test_values_are_shown_without_running_the_applications_code(
    value: object, expected: str
) -> None:
    assert shown(value) == expected


def test_a_class_is_shown_by_the_name_that_it_was_given() -> None:
    assert shown((Strange, int)) == "(Strange, int)"


@given(st.recursive(st.text() | st.integers() | st.binary(), lambda inner: st.tuples(inner, inner)))
def test_shown_values_are_bounded(value: object) -> None:
    assert 0 < len(shown(value)) <= LONGEST_COLLECTION


def test_shortened_text_says_so() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcd", 3) == "ab…"
