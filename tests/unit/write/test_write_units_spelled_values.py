"""How values of units are spelled."""

from __future__ import annotations

import pytest

from pytest_evosearch.write.units.spelled_values import Spelling


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({10, 9, -1}, "{-1, 9, 10}"),
        ({"b", "a", 10, 2.5}, '{2.5, 10, "a", "b"}'),
        (frozenset({2, 10}), "frozenset({2, 10})"),
        (set(), "set()"),
        (frozenset(), "frozenset()"),
    ],
)
def test_numbers_of_a_set_are_sorted_by_size(value: object, code: str) -> None:
    assert Spelling("shop").code(value) == code
