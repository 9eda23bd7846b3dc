from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.events import Progress
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import MutantRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.report.terminal_lines import discovery_lines
from pytest_evosearch.report.terminal_lines import duration
from pytest_evosearch.report.terminal_lines import endpoint_lines
from pytest_evosearch.report.terminal_lines import header_line
from pytest_evosearch.report.terminal_lines import percentage
from pytest_evosearch.report.terminal_lines import progress_line
from pytest_evosearch.report.terminal_lines import summary_lines
from pytest_evosearch.settings.checked import ApplicationSettings
from pytest_evosearch.settings.checked import Settings

OUTCOME = Outcome(
    ExitReason.BUDGET,
    seed=7,
    faults=(
        FaultRow("crash", "GET /", "KeyError", "shop.py:7", "'x'\nmore", "test_faults.py::test_a"),
        FaultRow(
            "crash",
            "GET /",
            "KeyError",
            "shop.py:9",
            "",
            None,
            untested="the test would hang",
            curl="curl -i -X PUT http://localhost:5000/a\ncurl -i http://localhost:5000/",
        ),
    ),
    notices=("no schema",),
    reproduce="pytest --evosearch=5000x --evosearch-seed=7",
    effort=Effort(evaluations=5000, requests=9000, seconds=61.4),
    targets=TargetSummary(
        covered=120,
        reached=131,
        known=180,
        uncovered=(UncoveredRow("branch shop.py:4 true", 0.5, "best distance 3"),),
    ),
    discovery=Discovery(
        endpoints=(
            EndpointRow("GET /", (200,), 40, 0),
            EndpointRow("POST /orders", (), 0, 2, ("name", "count")),
        )
    ),
    suite=SuiteSummary(
        files=("tests/evosearch/test_evosearch_shop.py",),
        tests=3,
        dropped=(DroppedRow("GET /a", "it is slow"), DroppedRow("GET /b", "it is slow")),
        coverage=MeasuredCoverage(90, 100, 0, 0),
    ),
)


def with_suite(**changes: Any) -> Outcome:
    return replace(OUTCOME, suite=replace(OUTCOME.suite, **changes))


def test_header_ends_in_what_can_be_pasted() -> None:
    settings = Settings(
        Budget.parse("30m"),
        1843572,
        Path(),
        application=ApplicationSettings(app="shop:create_app()"),
    )
    assert header_line(settings) == (
        "evosearch: budget=30m algorithm=mio app=shop:create_app() --evosearch-seed=1843572"
    )


def test_discovery_block_is_aligned() -> None:
    findings = {
        "output": "tests/evosearch/",
        "app": 'flaskr.create_app()            fixture "app"',
        "auth": 'via fixture "auth" (auth.login())',
        "client": 'fixture "client"',
        "source": "flaskr (4 modules, 142 branches)",
        "endpoints": "9 (7 with parameters)",
        "weather": "fine",
    }
    assert discovery_lines(findings) == [
        'evosearch: app      flaskr.create_app()            fixture "app"',
        '           client   fixture "client"               auth via fixture "auth" (auth.login())',
        "           source   flaskr (4 modules, 142 branches) endpoints 9 (7 with parameters)",
        "           output   tests/evosearch/",
        "           weather  fine",
    ]


def test_block_without_findings_is_empty() -> None:
    assert discovery_lines({}) == []


def test_progress_says_how_much_is_left() -> None:
    line = progress_line(Progress(0.25, 500, 10.0, 12, 14, 40, 1))
    assert line == (
        "evosearch:  25%  30s left  50 evaluations/s  12 covered / 14 reached / 40 known  1 fault"
    )


def test_progress_gets_shorter_where_there_is_no_room() -> None:
    progress = Progress(0.25, 500, 10.0, 12, 14, 40, 1)
    full = progress_line(progress)
    assert progress_line(progress, len(full) + 1) == full
    assert progress_line(progress, len(full)) == (
        "evosearch:  25%  30s left  50/s  12/14/40 targets  1 fault"
    )


def test_progress_at_the_very_start() -> None:
    assert "  just begun  0 evaluations/s  " in progress_line(Progress(0.0, 0, 0.0, 0, 0, 40, 0))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59.4, "59s"), (59.6, "1m00s"), (185, "3m05s"), (3725, "1h02m")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_summary() -> None:
    assert summary_lines(OUTCOME) == [
        "searched 1m01s: 5000 evaluations, 9000 requests; stopped because the budget is spent",
        "1 of 2 endpoints reached; the written tests cover 90 of 100 lines (90%)",
        "targets: 120 covered, 131 reached, 180 known",
        "faults: 2",
        "  shop.py:7: KeyError: 'x'",
        "    GET /  test_faults.py::test_a",
        "  shop.py:9: KeyError",
        "    GET /  no test could be kept",
        "    because the test would hang",
        "    curl -i http://localhost:5000/",
        "files: 3 tests in 1 file",
        "  tests/evosearch/test_evosearch_shop.py",
        "dropped: 2 tests",
        "  2 because it is slow",
        "notice: no schema",
        "reproduce: pytest --evosearch=5000x --evosearch-seed=7",
    ]


def test_summary_that_kept_nothing_leads_with_that() -> None:
    dropped = (*OUTCOME.suite.dropped, DroppedRow("GET /c", "its status is unstable"))
    lines = summary_lines(with_suite(tests=0, files=(), dropped=dropped))
    told = "nothing was kept: 3 tests dropped, 2 because it is slow, and for 1 other reason"
    assert lines[0] == told
    assert summary_lines(with_suite(tests=0, files=(), dropped=()))[0].startswith("searched")


def test_dropped_tests_are_one_line_a_cause_and_named_with_their_reasons_when_asked() -> None:
    why = "in a real run it would look up rates.example at shop.py:"
    dropped = (DroppedRow("GET /a", f"{why}3"), DroppedRow("GET /b", f"{why}9"))
    outcome = with_suite(dropped=dropped)
    places = "at 2 places (shop.py:3, shop.py:9)"
    line = f"  2 because in a real run it would look up rates.example {places}"
    assert line in summary_lines(outcome)
    assert f"    GET /b: {why}9" in summary_lines(outcome, verbosity=1)
    assert not any("GET /b" in each for each in summary_lines(outcome))


def test_summary_of_a_run_that_found_nothing() -> None:
    lines = summary_lines(Outcome(ExitReason.INTERRUPTED, seed=1))
    assert "faults: none" in lines
    assert "files: none written" in lines
    assert lines[0].endswith("stopped because it was interrupted")


def test_quiet_summary_has_the_folder_and_the_faults() -> None:
    found = replace(OUTCOME.discovery, findings={"output": "tests/evosearch/"})
    outcome = replace(OUTCOME, discovery=found)
    assert summary_lines(outcome, -1) == [
        (
            "evosearch: 3 tests in 1 file (tests/evosearch/), 2 faults, 1 of 2 endpoints reached, "
            "seed 7"
        ),
        "evosearch: fault shop.py:7: KeyError: 'x'  (GET /, test_faults.py::test_a)",
        "evosearch: fault shop.py:9: KeyError  (GET /, no test)",
    ]
    assert summary_lines(outcome, -2) == summary_lines(outcome, -1)


def test_verbose_summary_has_the_endpoints_and_the_names() -> None:
    lines = summary_lines(OUTCOME, 1)
    assert "  GET /         40 calls  200" in lines
    assert "  POST /orders  0 calls  never answered" in lines
    assert "    GET /b" in lines


def test_very_verbose_summary_has_the_uncovered_targets() -> None:
    lines = summary_lines(OUTCOME, 2)
    assert "  branch shop.py:4 true  best 0.500  best distance 3" in lines


def test_uncovered_targets_are_not_endless() -> None:
    outcome = replace(
        OUTCOME, targets=replace(OUTCOME.targets, uncovered=OUTCOME.targets.uncovered * 250)
    )
    assert "  ... and 50 more" in summary_lines(outcome, 2)


@pytest.mark.parametrize(
    ("score", "line"),
    [
        (MutationScore(50, 37), "mutation score 74 % (37 of 50 mutants failed a test)"),
        (
            MutationScore(3, 2, survivors=(MutantRow("a.py", 1, "f", "number", "", False),)),
            "mutation score 66 % (2 of 3 mutants failed a test); 1 on lines that no test runs",
        ),
        (
            MutationScore(0, 0),
            "mutation score: none, nothing that the tests run can be changed",
        ),
    ],
)
def test_mutation_score(score: MutationScore, line: str) -> None:
    assert line in summary_lines(Outcome(ExitReason.BUDGET, 1, suite=SuiteSummary(mutation=score)))


def test_unverified_tests_are_named() -> None:
    lines = summary_lines(with_suite(unverified=("test_a",)))
    assert "  fails its own verification: test_a" in lines


def test_endpoints_are_listed_with_their_parameters() -> None:
    assert endpoint_lines(OUTCOME) == [
        "GET /",
        "POST /orders  (name, count)",
        "2 endpoints, 180 targets known",
    ]


def test_branches_are_named_where_they_were_measured() -> None:
    outcome = with_suite(coverage=MeasuredCoverage(90, 100, 3, 4))
    assert summary_lines(outcome)[1].endswith("90 of 100 lines (90%) and 3 of 4 branches (75%)")


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0%"), (0.624, "62%"), (0.9959, "99%"), (1.0, "100%")]
)
def test_100_percent_is_everything(share: float, text: str) -> None:
    assert percentage(share) == text


@pytest.mark.parametrize(
    ("elsewhere", "shown"),
    [
        ((), "GET /"),
        (("GET /a",), "GET / and 1 more endpoint"),
        (("GET /a", "GET /b"), "GET / and 2 more endpoints"),
    ],
)
def test_a_fault_of_many_endpoints_says_so(elsewhere: tuple[str, ...], shown: str) -> None:
    fault = FaultRow("crash", "GET /", "KeyError", "shop.py:7", "'x'", elsewhere=elsewhere)

    assert f"    {shown}  no test could be kept" in summary_lines(replace(OUTCOME, faults=(fault,)))


def test_a_message_that_goes_on_and_on_is_cut() -> None:
    fault = FaultRow("crash", "GET /", "ParseError", "shop.py:7", "expected a word or " * 20)
    (line,) = [
        line for line in summary_lines(replace(OUTCOME, faults=(fault,))) if "ParseError" in line
    ]
    assert line.endswith("...")
    assert len(line) == len("  shop.py:7: ParseError: ") + 120


def test_faults_for_whose_tests_there_was_no_time_share_one_line() -> None:
    late = replace(OUTCOME.faults[1], untested="there was no time to verify it")
    lines = list(summary_lines(replace(OUTCOME, faults=(OUTCOME.faults[0], late, late))))

    assert sum("no time for the tests of 2 faults" in line for line in lines) == 1
    assert not any("curl" in line or "because there was no time" in line for line in lines)
