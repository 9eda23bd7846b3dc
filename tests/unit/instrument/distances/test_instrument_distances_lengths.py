"""The length that a condition requires of a text or of a collection."""

from __future__ import annotations

import pytest

from pytest_evosearch.instrument.distances.lengths import LENGTH
from pytest_evosearch.instrument.distances.lengths import items_of_length
from pytest_evosearch.instrument.distances.lengths import wishes_of_length


@pytest.mark.parametrize(
    ("relation", "wanted"), [("==", 3), (">=", 3), (">", 4), ("<", 2), ("!=", 4)]
)
def test_a_text_is_made_longer_and_of_a_collection_the_length_is_named(
    relation: str, wanted: int
) -> None:
    assert wishes_of_length("b", 1, relation, 3) == [("==", "b", "b" * wanted)]
    assert wishes_of_length([1], 1, relation, 3) == [(LENGTH, 1, wanted)]


@pytest.mark.parametrize("size", [1, -1, 10_000, 2.5, None])
def test_no_length_is_wished_that_it_has_or_cannot_have(size: object) -> None:
    assert wishes_of_length({"a"}, 1, "==", size) == []


def test_a_list_is_cut_or_filled_with_its_last_item() -> None:
    assert items_of_length([1, {"id": 2}], 3) == [1, {"id": 2}, {"id": 2}]
    assert items_of_length([1, 2], 1) == [1]
    assert items_of_length([], 2) == ["a", "a"]
