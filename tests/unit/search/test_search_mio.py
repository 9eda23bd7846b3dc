from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.mio import Mio
from pytest_evosearch.search.mio import MioParameters

ALWAYS_MUTATE = MioParameters(sample_probability=0.0, patience=0, adaptation=0.0)


class Texts:
    """A problem whose individuals tell where they come from."""

    def __init__(self) -> None:
        self.focused: list[TargetId | None] = []

    def sample(self, rng: Random) -> str:
        return "sample"

    def mutate(self, individual: str, rng: Random, focus: TargetId | None = None) -> str:
        self.focused.append(focus)
        return individual + "'"


class Bench:
    """Drives MIO by hand."""

    def __init__(self, parameters: MioParameters, progress: float = 0.0) -> None:
        self.progress = progress
        self.problem = Texts()
        self.archive: Archive[str] = Archive()
        self.mio = Mio(
            SearchContext(
                self.problem,  # type: ignore[arg-type]
                self.archive,
                Random(1),
                lambda: self.progress,
            ),
            parameters,
        )

    def ask(self) -> str:
        (individual,) = self.mio.ask()
        return individual

    def tell(self, individual: str, scores: Mapping[TargetId, float], calls: int = 1) -> None:
        evaluation = Evaluation(individual, scores, (calls, 1))
        self.archive.offer(evaluation)
        self.mio.tell([evaluation])

    def welcome(self, individual: str, scores: Mapping[TargetId, float]) -> None:
        evaluation = Evaluation(individual, scores, (1, 1))
        self.archive.offer(evaluation)
        self.mio.welcome([evaluation])


def test_the_first_test_is_a_sample() -> None:
    assert Bench(ALWAYS_MUTATE).ask() == "sample"


def test_only_targets_with_a_gradient_get_a_population() -> None:
    bench = Bench(ALWAYS_MUTATE)
    bench.tell("a", {"line": 1.0, "branch": 0.5, "zero": 0.0})
    assert bench.mio.open_populations == ["branch"]


def test_a_step_mutates_a_member_and_names_its_target() -> None:
    bench = Bench(ALWAYS_MUTATE)
    bench.tell("a", {"branch": 0.5})
    assert bench.ask() == "a'"
    assert bench.problem.focused == ["branch"]


def test_mutants_that_are_no_worse_carry_on_and_worse_ones_do_not() -> None:
    bench = Bench(replace(ALWAYS_MUTATE, mutations=4))
    bench.tell("a", {"branch": 0.5})
    assert bench.ask() == "a'"
    bench.tell("a'", {"branch": 0.5}, calls=9)
    assert bench.ask() == "a''"  # equally good, although longer
    bench.tell("a''", {"branch": 0.4})
    assert bench.ask() == "a''"  # the worse one was given up
    bench.tell("a''", {"branch": 0.6})
    assert bench.ask() == "a'''"


def test_a_step_ends_after_its_mutations() -> None:
    bench = Bench(replace(ALWAYS_MUTATE, mutations=2, population_size=1))
    bench.tell("a", {"one": 0.5, "two": 0.5})
    for _ in range(4):
        bench.tell(bench.ask(), {})
    assert bench.problem.focused == ["one", "one", "two", "two"]


@pytest.mark.parametrize(
    ("scores", "mutants"),
    [
        ([0.5] * 9, 3),
        ([0.0] * 9, 3),  # not even reached
        ([0.5, 0.5, 0.4, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6], 9),  # worse and better both tell something
    ],
)
def test_a_step_ends_when_nothing_moves_its_target(scores: list[float], mutants: int) -> None:
    bench = Bench(replace(ALWAYS_MUTATE, mutations=20, population_size=1))
    bench.tell("a", {"one": 0.5})
    step = None
    for number, score in enumerate(scores):
        bench.ask()
        step = step or bench.mio._step
        if bench.mio._step is not step:
            assert number == mutants
            return
        bench.tell("mutant", {"one": score})
    assert mutants == len(scores)


def test_a_step_ends_when_its_target_is_covered() -> None:
    bench = Bench(replace(ALWAYS_MUTATE, mutations=10))
    bench.tell("a", {"one": 0.5, "two": 0.5})
    bench.tell(bench.ask(), {"one": 1.0})
    bench.ask()
    assert bench.problem.focused == ["one", "two"]
    assert bench.mio.open_populations == ["two"]


def test_targets_that_others_covered_are_closed() -> None:
    bench = Bench(ALWAYS_MUTATE)
    bench.tell("a", {"one": 0.5, "two": 0.5})
    bench.archive.offer(Evaluation("seed", {"one": 1.0}, (1, 1)))
    bench.ask()
    assert bench.problem.focused == ["two"]
    assert bench.mio.open_populations == ["two"]


def test_a_covered_target_is_never_opened_again() -> None:
    bench = Bench(ALWAYS_MUTATE)
    bench.tell("a", {"one": 1.0})
    bench.tell("b", {"one": 0.9})
    assert bench.mio.open_populations == []
    assert bench.ask() == "sample"


def test_the_schedule_goes_from_samples_to_mutants() -> None:
    bench = Bench(MioParameters(adaptation=0.0))
    bench.tell("a", {"one": 0.5})

    def share_of_samples() -> float:
        asked = []
        for _ in range(300):
            asked.append(bench.ask())
            bench.tell("a", {"one": 0.5})
        return asked.count("sample") / len(asked)

    bench.mio.parameters = replace(bench.mio.parameters, patience=0)
    assert 0.7 < share_of_samples() < 0.9
    bench.progress = 0.8
    assert share_of_samples() == 0.0


def test_when_nothing_moves_half_of_the_steps_sample_even_when_focused() -> None:
    bench = Bench(MioParameters(patience=5, adaptation=0.0), progress=1.0)
    bench.tell("a", {"one": 0.5})
    asked = []
    for _ in range(1000):
        asked.append(bench.ask())
        bench.tell("a", {})
    assert "sample" not in asked[:15]  # five steps, which end after three idle mutants
    assert asked.count("sample") > 30


def share_of_samples_when(samples_gain: bool, mutants_gain: bool) -> float:
    """Drive a focused search in which one of the two always covers something new."""
    bench = Bench(MioParameters(patience=0), progress=1.0)
    bench.tell("a", {"open": 0.5})
    samples = 0
    for number in range(600):
        is_sample = bench.ask() == "sample"
        samples += is_sample
        gains = samples_gain if is_sample else mutants_gain
        bench.tell("a", {"open": 0.5, **({f"new {number}": 1.0} if gains else {})})
    return samples / 600


def test_whatever_brings_more_is_asked_for_more_often() -> None:
    assert share_of_samples_when(samples_gain=True, mutants_gain=False) > 0.5
    assert share_of_samples_when(samples_gain=False, mutants_gain=True) < 0.2


def test_what_nobody_asked_for_says_nothing_about_mutants() -> None:
    """The visits before the first step cover much, and would drown what mutants bring."""
    bench = Bench(MioParameters(adaptation=1.0, patience=0))
    share = bench.mio._balance.sample_share

    for number in range(100):
        bench.welcome("a visit", {f"new {number}": 1.0})

    assert bench.mio._balance.sample_share == share
    bench.ask()
    bench.tell("sample", {"open": 0.5})  # no more targets are covered: no gain but this one
    assert bench.mio._balance.sample_share != share


def test_a_step_goes_on_with_its_own_mutants_whoever_comes_by() -> None:
    bench = Bench(replace(ALWAYS_MUTATE, mutations=5))
    bench.tell("a", {"branch": 0.5})
    assert bench.ask() == "a'"
    bench.tell("a'", {"branch": 0.5})
    bench.welcome("immigrant", {"branch": 0.5})
    assert bench.ask() == "a''"


def test_an_immigrant_joins_the_populations_of_its_targets() -> None:
    bench = Bench(ALWAYS_MUTATE)
    bench.welcome("immigrant", {"branch": 0.5})
    assert bench.ask() == "immigrant'"
