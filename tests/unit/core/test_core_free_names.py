"""Names are the first candidates that are free, and numbers are the last resort."""

from __future__ import annotations

import pytest

from pytest_evosearch.core.free_names import first_free
from pytest_evosearch.core.free_names import is_identifier


@pytest.mark.parametrize(
    ("candidates", "taken", "name"),
    [
        (("created", "created_item"), (), "created"),
        (("created", "created_item"), ("created",), "created_item"),
        (("created", "created_item"), ("created", "created_item"), "created_2"),
        (("import", "imported"), (), "imported"),
        (("item",), ("item", "item_2"), "item_3"),
        (("2nd",), ("2nd",), "2nd_2"),
    ],
)
def test_the_first_candidate_that_is_free_is_chosen(candidates, taken, name) -> None:
    assert first_free(candidates, taken) == name


@pytest.mark.parametrize(("name", "possible"), [("item", True), ("class", False), ("2nd", False)])
def test_keywords_and_numbers_are_no_variables(name: str, possible: bool) -> None:
    assert is_identifier(name) is possible
