"""A part that a run can do without fails alone, and what was found is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_evosearch.engine import algorithm_choice
from pytest_evosearch.engine.phases import reports
from pytest_evosearch.engine.phases import verified_writing
from pytest_evosearch.engine.phases.targeted_checks import TargetedChecks
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.harvest import harvesting
from pytest_evosearch.harvest.aftermath import Aftermath
from pytest_evosearch.harvest.readable_texts import ReadableTexts
from pytest_evosearch.harvest.reduction import Reduction
from pytest_evosearch.harvest.specimens import SpecimenMaker
from pytest_evosearch.harvest.telling_numbers import TellingNumbers
from pytest_evosearch.oracles.server_error import ServerErrorOracle
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.problem.http.learning.learnt_refusals import Refusals
from pytest_evosearch.report import files
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch
from pytest_evosearch.sut.state.caches import CachesKeeper
from pytest_evosearch.sut.state.reset import CombinedKeeper
from pytest_evosearch.sut.state.written_files import WrittenFiles
from pytest_evosearch.sut.watching.observe import ReadRecorder
from pytest_evosearch.sut.watching.services import ServiceWatch
from pytest_evosearch.write.naming import suite_names
from pytest_evosearch.write.naming import suite_plan
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

SEAMS = [
    (CachesKeeper, "snapshot", "keepers of state, CachesKeeper"),
    (CombinedKeeper, "state_source", "fixtures that restore state"),
    (ServerErrorOracle, "judge", "the oracle server-error"),
    (HttpProblem, "learn", "what is learnt of responses"),
    (HttpProblem, "look_at_doors", "attempts to get in"),
    (Refusals, "marked", "what is learnt of refusals"),
    (WrittenFiles, "created", "the protection of files"),
    (WrittenFiles, "restore", "the protection of files"),
    (ValidatorWatch, "take", "what validators say"),
    (ReadRecorder, "take", "the record of what handlers read"),
    (ServiceWatch, "take", "the watch over missing services"),
    (TargetedChecks, "run", "the phase inquire"),
    (Journal, "keep", "the journal"),
    (Aftermath, "note", "one of the tests"),
    (ReadableTexts, "improved", "easier to read"),
    (TellingNumbers, "improved", "easier to read"),
    (Reduction, "reduced", "easier to read"),
    (SpecimenMaker, "best", "easier to read"),
    (harvesting, "habitual", "easier to read"),
    (suite_plan, "condition_of", "names for tests"),
    (suite_names, "name_candidates", "names for tests"),
    (verified_writing, "replays", "what reports show of tests"),
    (verified_writing, "measured", "the coverage of the tests"),
    (reports, "summary", "the summary"),
]


def refuse(*_arguments: Any, **_keywords: Any) -> Any:
    raise LookupError("injected")


@pytest.fixture
def searched(orders: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Return a function that searches; that what is written holds is not the question here."""
    monkeypatch.setattr(FreshInterpreters, "__call__", lambda *_arguments: Verdict())
    monkeypatch.setattr(verified_writing, "executed_lines", lambda *_arguments: set())

    def search() -> Any:
        return orders.search_with("", budget="40x")

    return search


@pytest.mark.slow("whole commands run")
@pytest.mark.parametrize(
    ("owner", "name", "part"), SEAMS, ids=[f"{name}-{part}" for _owner, name, part in SEAMS]
)
def test_a_part_fails_alone(
    owner: Any,
    name: str,
    part: str,
    searched: Callable[[], Any],
    orders: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, refuse)
    result = searched()
    shown = result.stdout.str()

    assert result.ret == 0
    assert "def test_" in orders.written
    assert f"without {part}" in shown or f"{part}: LookupError: injected" in shown
    folder = orders.path / ".pytest_cache" / "d" / "evosearch"
    report = json.loads((folder / "report.json").read_text())
    assert any("LookupError: injected" in one for one in report["tracebacks"])


def test_a_report_that_cannot_be_made_leaves_the_others(
    searched: Callable[[], Any], orders: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "RENDERERS", {**files.RENDERERS, files.PAGE: refuse})
    monkeypatch.setattr(files.write_reports, "__defaults__", (files.RENDERERS,))
    result = searched()

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*report.html could not be written*injected*"])
    assert "def test_" in orders.written


@pytest.mark.parametrize("owner", [Archive, algorithm_choice.SearchLoop])
def test_what_a_broken_search_found_before_is_written(
    owner: Any, searched: Callable[[], Any], orders: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "offer" if owner is Archive else "_execute"
    real, calls = getattr(owner, name), []

    def breaks_later(*arguments: Any) -> Any:
        calls.append(arguments)
        return real(*arguments) if len(calls) < 25 else refuse()

    monkeypatch.setattr(owner, name, breaks_later)
    result = searched()

    assert result.ret == 3
    assert "def test_" in orders.written


def test_a_broken_harvest_still_reports(
    searched: Callable[[], Any], orders: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harvesting.Harvest, "specimens", refuse)
    result = searched()

    assert result.ret == 3
    assert (orders.path / ".pytest_cache" / "d" / "evosearch" / "report.json").exists()
