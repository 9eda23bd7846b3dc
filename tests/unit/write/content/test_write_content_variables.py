from __future__ import annotations

import pytest

from pytest_evosearch.write.content.variables import participle


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("advance", "advanced"),
        ("verify", "verified"),
        ("ship", "shipped"),
        ("submit", "submitted"),
        ("transfer", "transferred"),
        ("cancel", "canceled"),
        ("order", "ordered"),
        ("widget", ""),
    ],
)
def test_participle_of_a_verb_at_the_end_of_an_address(verb: str, expected: str) -> None:
    assert participle(verb) == expected
