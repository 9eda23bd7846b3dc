"""Walks find faults that are planted behind several pages."""

from __future__ import annotations

import pytest

from benchmarks.pages import ANSWERS
from benchmarks.pages import FOLDER
from benchmarks.pages import PAGES
from benchmarks.pages import finished
from benchmarks.pages import search

SEEDS = (1, 2, 3, 4)
EVALUATIONS = 1000

FINDS = dict.fromkeys(("wizard", "forum", "board", "orders", "loans", "budgets", "bookings"), 2)
"""Application -> how many seeds are asked to find its fault.

With seeds 1 to 5 walks found that of the orders after 38 to 329 evaluations, of the loans after 62
to 590 (with 1500 to spend); without walks none did in the wizard and the forum in 600.  Those of
budgets and bookings were found with 5 and 4 of these seeds, in the median after 401 and 287.
`benchmarks.pages` measures the others, and nothing is asked of them here.
"""


@pytest.mark.slow("a search of hundreds of evaluations for each case")
@pytest.mark.parametrize("module", FINDS)
def test_walks_find_the_planted_fault(module: str) -> None:
    found = 0
    for seed in SEEDS:
        over = "answers" if module in ANSWERS else "pages"
        found += search(module, seed, EVALUATIONS, {"walks.over": over}).goal
        if found >= FINDS[module]:
            return
    raise AssertionError(f"{found} of {len(SEEDS)} seeds found it")


@pytest.mark.slow("three searches of sixty evaluations each")
def test_equal_searches_in_one_process_are_equal() -> None:
    """The shop asks for a number: a present time that was sent for it made every search differ."""

    def kept(module: str) -> dict[str, str]:
        loop = finished(module, 1, 60, {}, stop=lambda _loop: None)
        covered = loop.archive.covered.items()
        return {target: repr(one.individual) for target, one in covered}

    first = kept("shop")
    kept("board")
    assert kept("shop") == first


def test_every_application_is_in_a_table() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert modules == {*PAGES, *ANSWERS}
    assert set(FINDS) <= modules
