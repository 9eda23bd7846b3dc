"""What the command for needles says of a measurement."""

from __future__ import annotations

import pytest

from benchmarks.needles import Needle
from benchmarks.needles import goal_line
from benchmarks.needles import main
from benchmarks.needles import row

NEEDLE = Needle("date_window", 2000, found=9)
NINE = [True] * 6 + [False] + [True] * 3


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (NINE, ("date_window: 9 of 10, missed by 7", True)),
        ([True] * 10, ("date_window: 10 of 10; its declaration says 9", False)),
        ([False], ("date_window: 0 of 1, missed by 1", True)),
    ],
)
def test_declaration_is_held_against_ten_seeds(outcomes, expected) -> None:
    assert row(NEEDLE, outcomes) == expected


def test_goal_is_the_line_that_is_marked() -> None:
    assert goal_line("date_window") > 1


@pytest.mark.slow("a search runs in a process of its own")
def test_command_measures_what_is_chosen(capsys) -> None:
    assert main(["--only", "redirected_paste", "--seeds", "1"]) == 0
    assert capsys.readouterr().out.startswith("redirected_paste: ")
