from __future__ import annotations

import pytest

from pytest_evosearch.write.answers.today import names_today

NOON = 1795262400.0
"""2026-11-21 12:00 in Greenwich."""


@pytest.mark.parametrize(
    "text",
    ["by Ada on 2026-11-21", "21.11.2026 10:00", "11/22/2026", "Nov 20", "21 November 2026"],
)
def test_today_and_its_neighbours_are_known_in_many_forms(text: str) -> None:
    assert names_today(text, NOON)


@pytest.mark.parametrize("text", ["2026-11-23", "2018-01-01", "November", "21"])
def test_other_days_are_not_today(text: str) -> None:
    assert not names_today(text, NOON)
