from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.write.answers.differences import JsonPath
from pytest_evosearch.write.answers.differences import changed_places

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("now", "before", "places"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, [("b",)]),
        ({"a": {"b": 2}}, {"a": {"b": 3}}, [("a", "b")]),
        ({"a": 1}, {}, [("a",)]),
        (["x", "y"], ["y"], [(0,)]),
        (
            [{"id": 1, "n": 1}, {"id": 2, "n": 5}],
            [{"id": 2, "n": 4}, {"id": 1, "n": 1}],
            [(1, "n")],
        ),
        ([{"id": 1}, {"id": 2}], [{"id": 1}], [(1,)]),
        ([], [1], []),
        (5, {"a": 1}, [()]),
    ],
)
def test_places_that_differ_are_told(now: object, before: object, places: list[JsonPath]) -> None:
    assert list(changed_places(now, before)) == places


@given(JSON)
def test_nothing_differs_from_itself(value: object) -> None:
    assert list(changed_places(value, value)) == []


@given(JSON, JSON)
def test_every_place_exists(now: object, before: object) -> None:
    for path in changed_places(now, before):
        part: object = now
        for step in path:
            part = part[step]  # type: ignore[index]
