from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from typing import cast

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.engine import phases
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.found import RunContext
from pytest_evosearch.engine.phases.mutation_testing import MutationTesting
from pytest_evosearch.engine.phases.phase import run_phases
from pytest_evosearch.engine.phases.targeted_checks import TargetedChecks
from pytest_evosearch.engine.phases.verified_writing import VerifiedWriting
from pytest_evosearch.engine.whole_run import PHASES
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.settings.checked import build_settings
from pytest_evosearch.settings.time_plan import PHASES as PLANNED


class Noting:
    """A phase that is skipped where a reason is given."""

    def __init__(self, name: str, reason: str = "") -> None:
        self.name = name
        self.reason = reason
        self.ran = False

    def skipped_because(self, _found: Found) -> str:
        return self.reason

    def run(self, _found: Found) -> None:
        self.ran = True


class Context:
    def __init__(self) -> None:
        self.begun: list[str] = []

    def begin(self, phase: str) -> None:
        self.begun.append(phase)


def found(reason: ExitReason = ExitReason.BUDGET, context: object = None, **values: Any) -> Found:
    nothing: Any = None
    given = cast("RunContext", context)
    return Found(given, nothing, nothing, nothing, reason, nothing, nothing, **values)


def test_phases_are_announced_by_their_names_and_skipped_where_they_say_so() -> None:
    context = Context()
    quiet, first, skipped = Noting(""), Noting("write"), Noting("mutate", "no test")
    run_phases([first, quiet, skipped], found(context=context))
    assert [first.ran, quiet.ran, skipped.ran] == [True, True, False]
    assert context.begun == ["write"]


def test_phases_come_in_the_order_of_the_time_plan() -> None:
    named = [phase.name for phase in PHASES if phase.name in PLANNED]
    assert named == [name for name in PLANNED if name in named]
    assert len(named) == 4


def test_the_charter_tells_of_each_phase_what_it_leaves() -> None:
    text = phases.__doc__ or ""
    places = [text.index(f"    {type(phase).__name__} ") for phase in PHASES]
    assert places == sorted(places)


def test_a_search_that_is_cut_short_is_not_followed_by_checks() -> None:
    assert not TargetedChecks().skipped_because(found())
    for reason in (ExitReason.INTERRUPTED, ExitReason.FAILED, ExitReason.FAULTS):
        assert TargetedChecks().skipped_because(found(reason))


def test_mutants_are_tried_only_when_they_are_wanted_and_there_is_a_test() -> None:
    class Settled:
        settings = build_settings({"mutants": 3}, rootdir=None, seed=1)  # type: ignore[arg-type]

    class Unsettled:
        settings = build_settings({}, rootdir=None, seed=1)  # type: ignore[arg-type]

    phase = MutationTesting()
    assert phase.skipped_because(found(context=Unsettled())) == "no mutants were asked for"
    assert phase.skipped_because(found(ExitReason.INTERRUPTED, Settled())) != ""
    assert phase.skipped_because(found(context=Settled())) == "no test was written"


def test_nothing_is_written_where_nothing_was_harvested() -> None:
    assert VerifiedWriting().skipped_because(found()) == "no test was minimised"
    harvest: Any = object()
    ready: Any = SimpleNamespace(fence=Fence())
    whole = replace(found(harvest=harvest), ready=ready)
    assert VerifiedWriting().skipped_because(whole) == ""
    ready.fence.worst = LookupError()
    assert VerifiedWriting().skipped_because(whole) == "no test was minimised"
