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


@pytest.mark.parametrize("unit", [1, 10**3, 10**6, 10**9])
def test_time_of_a_file_is_known_in_each_unit(unit: int) -> None:
    changed = (int(NOON) - 3600) * unit
    assert names_today(f'"{changed}-1a"', NOON)
    assert not names_today(str(changed - 2 * 86400 * unit), NOON)


@pytest.mark.parametrize("text", ["4006381333931", "179526240", "17952624001795262400"])
def test_other_long_numbers_are_not_today(text: str) -> None:
    assert not names_today(text, NOON)
