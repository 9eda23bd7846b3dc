"""What the page shows, before it is markup."""

from __future__ import annotations

import re

import pytest
import report_samples as samples
from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.report.page_model import heat_map
from pytest_evosearch.report.page_model import miss_groups
from pytest_evosearch.report.page_model import phrase
from pytest_evosearch.report.page_model import tiles
from pytest_evosearch.report.plain_text import first_line
from pytest_evosearch.report.plain_text import plain
from pytest_evosearch.report.plot import MOST_POINTS
from pytest_evosearch.report.plot import plots_of
from pytest_evosearch.report.plot import thinned
from pytest_evosearch.report.source_views import source_views

POINTS = st.lists(
    st.tuples(st.floats(0, 1e5), st.integers(0, 10**7), st.integers(0, 10**6)), min_size=1
)


@given(POINTS)
def test_plots_stay_inside_their_box(points: list[tuple[float, int, int]]) -> None:
    timeline = sorted(points)
    timeline = [(moment, count, index) for index, (moment, count, _) in enumerate(timeline)]
    for plot in plots_of(timeline):
        for command, number in re.findall(r"([MHV])([-\d.]+)", plot.line):
            if command == "V":
                assert 0 <= float(number) <= plot.bottom
            else:
                assert plot.left <= float(number) <= plot.right
        assert 2 <= len(plot.up) <= 12
        assert 1 <= len(plot.across) <= 16


@given(POINTS, st.integers(1, 50))
def test_thinned_timelines_keep_first_and_last(
    points: list[tuple[float, int, int]], most: int
) -> None:
    kept = thinned(points, most)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert len(kept) <= most + 1


def test_no_plot_of_nothing_and_few_points_of_much() -> None:
    assert plots_of([]) == []
    (wide, _narrow) = plots_of([(step / 10, step, step) for step in range(10_000)])
    assert wide.line.count("H") <= MOST_POINTS + 2
    assert len(wide.table) <= 11


def test_all_but_one_line_is_not_100_percent() -> None:
    coverage = MeasuredCoverage(999, 1000, 0, 0)
    outcome = Outcome(samples.EMPTY.reason, seed=1, suite=SuiteSummary(coverage=coverage))
    values = {tile.label: tile.value for tile in tiles(outcome)}
    assert values["Lines"] == "99%"
    assert values["Branches"] == "0"


def test_heat_counts_what_the_search_saw_and_the_tests_that_show_it() -> None:
    heat = heat_map(samples.ordinary(16))
    row = next(row for row in heat.rows if row.path == "/api/orders")
    cell = next(cell for cell in row.cells if cell.status == 201)
    assert (cell.answers, cell.tests) == (400, 3)
    assert cell.level == 3
    assert cell.family == 2
    never = heat.rows[-1]
    assert (never.calls, never.tests) == (0, 0)
    assert not any(cell.answers for cell in never.cells)
    assert {cell.level for cell in never.cells} == {0}


def test_heat_shows_a_status_that_no_test_shows_and_one_that_was_not_counted() -> None:
    row = EndpointRow("GET /", (200, 404), 9, 0, answers={200: 9})
    (shown,) = heat_map(
        Outcome(samples.EMPTY.reason, seed=1, discovery=Discovery(endpoints=(row,)))
    ).rows
    assert [(cell.answers, cell.tests) for cell in shown.cells] == [(9, 0), (1, 0)]


@pytest.mark.parametrize(
    ("status", "expected"), [(404, "Not Found"), (0, "no answer"), (999, "not a standard status")]
)
def test_phrase(status: int, expected: str) -> None:
    assert phrase(status) == expected


def test_targets_that_share_file_and_reason_share_a_row() -> None:
    rows = (
        UncoveredRow("line shop/pricing.py:9", 0.0, "left", "cut-short"),
        UncoveredRow("line shop/pricing.py:10", 0.0, "left", "cut-short"),
        UncoveredRow("line shop/other.py:10", 0.0, "left", "cut-short"),
        UncoveredRow("branch shop/pricing.py:9 true", 0.4, "left", "cut-short", "near"),
        UncoveredRow("branch shop/pricing.py:9 true", 0.9, "never", "condition"),
        UncoveredRow("something else", 0.0, "why", "a kind of tomorrow"),
    )
    outcome = Outcome(
        samples.EMPTY.reason,
        seed=1,
        targets=TargetSummary(uncovered=rows, sources=(samples.pricing(),)),
    )
    groups = miss_groups(outcome)
    assert [group.targets for group in groups] == [1, 4, 1]
    places = [[(miss.place, miss.side) for miss in group.misses] for group in groups]
    assert places == [
        [("shop/pricing.py:9", "true")],
        [
            ("shop/pricing.py:9", "true"),
            ("shop/pricing.py:9-10", "2 targets"),
            ("shop/other.py:10", ""),
        ],
        [("something else", "")],
    ]
    assert groups[0].misses[0].code.startswith("if code == ")
    assert groups[0].misses[0].link == "#file-1-9"
    assert groups[1].misses[2].link == ""


def test_source_lines_have_their_state() -> None:
    (view,) = source_views(samples.ordinary())
    states = {line.number: line.state for line in view.lines if line.state}
    assert states == {
        3: "load", 6: "load", 7: "hit", 8: "hit", 9: "part",
        10: "miss", 11: "hit", 12: "part", 13: "miss", 14: "hit",
    }  # fmt: skip
    assert (view.covered, view.total, view.open_sides) == (8, 10, 4)
    sides = {line.number: (line.sides, len(line.open_sides)) for line in view.lines if line.sides}
    assert sides == {7: (2, 0), 9: (4, 3), 12: (2, 1)}


@given(st.text())
def test_plain_text_is_visible_and_keeps_what_was_visible(text: str) -> None:
    shown = plain(text)
    assert plain(shown) == shown
    shown.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


def test_first_line() -> None:
    assert first_line("\n  \n one\ntwo") == "one"
    assert first_line("") == ""
