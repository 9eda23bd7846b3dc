from __future__ import annotations

from typing import Any

import pytest

from benchmarks import applications
from benchmarks import timekeeping
from benchmarks.timekeeping import allowed
from benchmarks.timekeeping import job_of
from benchmarks.timekeeping import line_of
from benchmarks.timekeeping import main
from benchmarks.timekeeping import parse_arguments

SUITE = {
    "covered": {"lines": 9, "branches": 4},
    "total": {"lines": 10, "branches": 4},
    "faults": ["a"],
}


@pytest.mark.parametrize(
    ("budget", "processors", "seconds"),
    [("60s", 2, 85.0), ("60s", 4, 85.0), ("60s", 1, 105.0), ("5m", 2, 385.0)],
)
def test_a_command_may_take_somewhat_longer_than_its_budget(
    budget: str, processors: int, seconds: float
) -> None:
    assert allowed(budget, processors) == seconds


def test_settings_are_those_of_the_search() -> None:
    options = parse_arguments(["--set", "plan.beside=never"])
    job = job_of("scs", "60s", options)

    assert job.application.arguments[-1] == "--evosearch-set=plan.beside=never"
    assert job.tool == "mio"


def test_all_twelve_and_the_slow_ones_are_run_unless_others_are_named() -> None:
    chosen = parse_arguments([]).apps

    assert len(chosen) == len(applications.ALL) + 2
    assert chosen[-2:] == ["lute3", "otterwiki"]


def test_a_command_is_told_in_one_line() -> None:
    job = job_of("scs", "60s", parse_arguments([]))

    line = line_of(job, {"seconds": 61.04, "suite": SUITE}, 85.0)

    told = "scs 60s 61.0 s of 85 9/10 lines, 4/4 branches, 1 faults"
    assert " ".join(line.split()) == told


@pytest.mark.parametrize(("seconds", "code"), [(61.0, 0), (4000.0, 1)])
def test_a_command_that_takes_too_long_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, seconds: float, code: int
) -> None:
    def execute(*_given: object) -> dict[str, Any]:
        return {"seconds": seconds, "suite": SUITE}

    monkeypatch.setattr(timekeeping, "execute", execute)

    assert main(["--apps", "scs"]) == code
