from __future__ import annotations

import json
from dataclasses import replace

from pytest_evosearch.report.html import html_page
from pytest_evosearch.report.json_report import json_report
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.report.page_visits import PageProblem
from pytest_evosearch.report.page_visits import ScreenRow
from pytest_evosearch.report.page_visits import WalkSummary
from pytest_evosearch.report.screen_map import COLUMN
from pytest_evosearch.report.screen_map import MARGIN
from pytest_evosearch.report.screen_map import MOST_DRAWN
from pytest_evosearch.report.screen_map import depths_of
from pytest_evosearch.report.screen_map import screen_map

SCREENS = (
    ScreenRow("start", 0, (("GET /", 3),), (1,)),
    ScreenRow("GET / 200", 3, (("GET /cart", 2), ("GET /<b>", 0)), (1, 2), (1, 2)),
    ScreenRow("GET /cart 200 of a very long name", 2, (), (1,), (2,)),
)
OUTCOME = Outcome(ExitReason.BUDGET, 1, effort=Effort(walks=WalkSummary(2, 3, SCREENS)))


def test_screens_stand_in_the_column_of_their_depth() -> None:
    drawn = screen_map(SCREENS)
    assert drawn is not None
    assert [box.x for box in drawn.boxes] == [MARGIN, MARGIN + COLUMN, MARGIN + 2 * COLUMN]
    assert [box.note for box in drawn.boxes] == [
        "1 of 1 actions",
        "1 of 2 actions",
        "0 of 0 actions",
    ]
    assert drawn.boxes[2].label == "GET /cart 200 of a…"
    assert (drawn.least, drawn.greatest) == (0.5, 1.0)
    assert len(drawn.lines) == 3


def test_a_screen_is_a_picture_or_an_outline() -> None:
    actions = tuple((f"POST /orders/{{id}}/step number {number}", 0) for number in range(8))
    shown = (ScreenRow("a", 1, actions), ScreenRow("b", 1, actions, picture="cGlj"))
    drawn = screen_map(shown)
    assert drawn is not None
    outlined, pictured = drawn.boxes
    assert (outlined.has_picture, len(outlined.outline)) == (False, 6)
    assert outlined.outline[0] == "POST /orders/{id}/step n…"
    assert outlined.outline[-1] == "3 more"
    assert (pictured.has_picture, pictured.outline) == (True, ())


def test_each_picture_stands_once_in_the_page() -> None:
    screens = (*SCREENS, ScreenRow("b", 1, (("GET /", 0),), picture="cGljdHVyZQ"))
    problem = PageProblem("uncaught error", "x", "/", place="x /", picture="ZmF1bHQ")
    browser = BrowserSummary(1, 2, (problem,))
    effort = Effort(walks=WalkSummary(2, 3, screens), browser=browser)
    fault = FaultRow("uncaught-error", "GET /", "uncaught error", "", "x", way="x /")
    page = html_page(replace(OUTCOME, effort=effort, faults=(fault,)))
    assert page.count("data:image/jpeg;base64,cGljdHVyZQ") == 1
    assert page.count('<use href="#picture-4"/>') == 2
    assert page.count('src="data:image/jpeg;base64,ZmF1bHQ"') == 1


def test_a_screen_that_nothing_leads_to_stands_last() -> None:
    assert depths_of((*SCREENS, ScreenRow("lost", 1))) == [0, 1, 2, 3]


def test_large_maps_are_drawn_in_part() -> None:
    many = tuple(ScreenRow(f"s{number}", 1, (), (number + 1,)) for number in range(99))
    drawn = screen_map((*many, ScreenRow("end", 1)))
    assert drawn is not None
    assert (len(drawn.boxes), drawn.undrawn) == (MOST_DRAWN, 100 - MOST_DRAWN)


def test_the_page_and_the_json_show_the_map_and_escape_names() -> None:
    page = html_page(OUTCOME)
    assert "the longest path without a repeated screen has 3" in page
    assert "50% to 100% were tried" in page
    assert "GET /&lt;b&gt;</span> never" in page
    written = json.loads(json_report(OUTCOME))["walks"]
    assert written["longest_path"] == 3
    assert written["screens"][1]["actions"] == {"GET /cart": 2, "GET /<b>": 0}


def test_without_walks_the_page_says_nothing_of_screens() -> None:
    assert 'id="screens"' not in html_page(replace(OUTCOME, effort=Effort()))
    assert screen_map(()) is None
