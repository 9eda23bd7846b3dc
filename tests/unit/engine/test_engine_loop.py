from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from itertools import repeat
from typing import Any

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import FaultFound
from pytest_evosearch.core.events import Progress
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop_parts import Announcements
from pytest_evosearch.engine.loop_parts import Ending
from pytest_evosearch.engine.loop_parts import LoadedSource
from pytest_evosearch.engine.loop_parts import Occasions
from pytest_evosearch.engine.search_statistics import Statistics
from pytest_evosearch.execution.full_evaluation import GrownEvaluation
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.search.archive import Archive

GET = Call("GET /", (), 1)

VISITS = 2
"""Of an endpoint without parameters, before anything else: plain, and with all that it takes."""


class Generations:
    """An algorithm that asks for the same few tests again and again."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.told: list[int] = []
        self.welcomed: list[int] = []

    def ask(self) -> Sequence[Individual]:
        return [Individual((GET,))] * self.size

    def tell(self, evaluations: Sequence[Evaluation[Individual]]) -> None:
        self.told.append(len(evaluations))

    def welcome(self, evaluations: Sequence[Evaluation[Individual]]) -> None:
        self.welcomed.append(len(evaluations))


def evaluation(individual: Individual, number: int, faulty: bool) -> Evaluation[Individual]:
    exchange = Exchange(Request("GET", "/"), Response(200))
    target = fault_target("GET /", "KeyError", f"shop.py:{number}")
    fault = Fault("crash", "GET /", "KeyError", f"shop.py:{number}", "message", 0, target)
    faults = (fault,) if faulty else ()
    scores = {f"line shop.py:{number}": 1.0, "branch shop.py:1 true": 0.5}
    scores.update({one.target: 1.0 for one in faults})
    return Evaluation(individual, scores, (1, 0), Observation(individual, (exchange,), (), faults))


def make_loop(
    budget: str = "7x",
    size: int = 1,
    faulty: bool = False,
    stop_requested: Callable[[], str | None] = lambda: None,
    **details: Any,
) -> SearchLoop:
    numbers = iter(range(1, 1000))
    return SearchLoop(
        problem=details.pop("problem", None) or HttpProblem([Endpoint("GET", "/", "index")]),
        rng=derive(1, "search"),
        algorithm=details.pop("algorithm", None) or Generations(size),
        archive=Archive(),
        meter=BudgetMeter(Budget.parse(budget), details.pop("clock", lambda: 0.0)),
        evaluate=lambda individual: evaluation(individual, next(numbers), faulty),
        source=LoadedSource(
            details.pop("retire", lambda _targets: None),
            lambda: None,
            lambda: 10,
            lambda: ["line shop.py:999"],
        ),
        ending=Ending(stop_requested, details.pop("maximum_faults", 0)),
        announcements=Announcements(details.pop("sinks", ())),
        **details,
    )


def test_budget_of_evaluations_is_met_exactly_inside_a_generation() -> None:
    algorithm = Generations(5)
    loop = make_loop("9x", algorithm=algorithm)
    assert loop.run() is ExitReason.BUDGET
    assert loop.meter.evaluations == 9
    assert algorithm.told == [5, 2]
    assert algorithm.welcomed == [VISITS]


def test_every_endpoint_is_visited_before_the_algorithm_is_asked() -> None:
    algorithm = Generations(1)
    problem = HttpProblem([Endpoint("GET", f"/{name}", name) for name in "abc"])
    loop = make_loop("40x", algorithm=algorithm, problem=problem)
    loop.run()
    assert algorithm.welcomed == [3 * VISITS]
    assert algorithm.told == [1] * (40 - 3 * VISITS)


def test_visits_take_most_of_the_search_until_every_endpoint_was_seen() -> None:
    algorithm = Generations(1)
    problem = HttpProblem([Endpoint("GET", f"/{name}", name) for name in "abcdefghijkl"])
    loop = make_loop("10x", algorithm=algorithm, problem=problem)
    loop.run()
    assert algorithm.welcomed == [8]
    assert algorithm.told == [1, 1]


def test_visits_leave_half_of_the_search_where_every_endpoint_was_seen() -> None:
    algorithm = Generations(1)
    problem = HttpProblem([Endpoint("GET", f"/{name}", name) for name in "abc"], users=["ann"])
    loop = make_loop("14x", algorithm=algorithm, problem=problem)
    loop.run()
    assert algorithm.welcomed == [7]
    assert algorithm.told == [1] * 7


def test_not_everything_is_covered_while_endpoints_were_not_visited() -> None:
    """Each evaluation covers all that is known by then; the last endpoint may answer otherwise."""
    visited: list[str] = []

    def covering(individual: Individual) -> Evaluation[Individual]:
        visited.extend(call.endpoint for call in individual.calls)
        found = evaluation(individual, 1, faulty=False)
        return replace(found, scores={"line shop.py:999": 1.0})

    problem = HttpProblem([Endpoint("GET", f"/{name}", name) for name in "abcdef"])
    loop = make_loop("100x", problem=problem)
    loop.evaluate = covering

    assert loop.run() is ExitReason.COVERED
    assert set(visited) == {f"GET /{name}" for name in "abcdef"}


def test_budget_of_seconds_leaves_time_for_writing() -> None:
    seconds = iter(range(1000))
    loop = make_loop("100s", clock=lambda: float(next(seconds)))
    loop.ending.spent = lambda: loop.meter.share / 0.5
    assert loop.run() is ExitReason.BUDGET
    assert loop.meter.elapsed <= 60


def test_time_before_the_search_is_not_its_time() -> None:
    """A start that takes longer than the budget leaves all of it to the search."""
    now = [0.0]
    loop = make_loop("10s", clock=lambda: now[0])
    now[0] = 55.0  # the application is made, its fixtures are set up
    loop.meter.restart()

    def evaluate(individual: Individual) -> Evaluation[Individual]:
        now[0] += 4.0
        return evaluation(individual, 1, faulty=False)

    loop.evaluate = evaluate
    assert loop.run() is ExitReason.BUDGET
    assert loop.meter.evaluations == 3


def test_first_test_is_executed_though_the_budget_is_spent() -> None:
    now = [0.0]
    loop = make_loop("10s", clock=lambda: now[0])
    now[0] = 55.0
    assert loop.run() is ExitReason.BUDGET
    assert loop.meter.evaluations == 1


def test_interruption_keeps_what_was_found() -> None:
    wishes = chain([None, None, None], repeat("interrupted by Ctrl-C"))
    loop = make_loop("100x", stop_requested=lambda: next(wishes))
    assert loop.run() is ExitReason.INTERRUPTED
    assert loop.ending.interruption == "interrupted by Ctrl-C"
    assert "line shop.py:1" in loop.archive.covered


def test_maximum_of_faults_counts_distinct_ones() -> None:
    loop = make_loop("100x", faulty=True, maximum_faults=3)
    assert loop.run() is ExitReason.FAULTS
    assert list(loop.statistics.faults) == [
        fault_target("GET /", "KeyError", f"shop.py:{number}") for number in (1, 2, 3)
    ]


def test_covered_targets_are_retired() -> None:
    retired: list[str] = []
    make_loop("3x", retire=retired.extend).run()
    assert retired == [f"line shop.py:{number}" for number in (1, 2, 3)]


def test_events_tell_of_faults_and_progress() -> None:
    events: list[Event] = []
    loop = make_loop("2x", faulty=True, sinks=[events.append])
    loop.run()
    kinds = [type(event) for event in events]
    assert kinds == [FaultFound, Progress, FaultFound, Progress]
    last = events[-1]
    assert isinstance(last, Progress)
    assert (last.share, last.evaluations, last.faults, last.known) == (1.0, 2, 2, 10)
    assert (last.covered, last.reached) == (4, 5)


def test_statistics_count_calls_statuses_and_improvements() -> None:
    loop = make_loop("3x")
    loop.run()
    assert loop.statistics.calls == {"GET /": 3}
    assert loop.statistics.statuses == {"GET /": {200: 3}}
    assert [covered for _, _, covered in loop.statistics.timeline] == [1, 2, 3, 3]


def test_a_server_that_was_busy_for_once_has_not_hung() -> None:
    statistics = Statistics()
    for target, code in (("a", "freeze"), ("b", "freeze"), ("c", "crash")):
        statistics.note_fault(Fault(code, "GET /", "X", "unknown", "message", 0, target))
    statistics.forget_freezes(["a", "c", "status GET / 200"])
    assert list(statistics.faults) == ["b", "c"]


def test_only_what_was_confirmed_is_offered_and_told() -> None:
    def without_faults(seen: Evaluation[Individual]) -> Evaluation[Individual]:
        plain = replace(observed(seen), faults=())
        return replace(seen, scores={"branch shop.py:1 true": 0.5}, observation=plain)

    loop = make_loop(faulty=True, occasions=Occasions(confirm=without_faults))
    loop.run()

    assert not loop.archive.covered
    assert not loop.statistics.faults


def test_what_is_known_is_not_confirmed_again() -> None:
    confirmed = []

    def confirm(seen: Evaluation[Individual]) -> Evaluation[Individual]:
        confirmed.append(seen)
        return seen

    same = evaluation(Individual((GET,)), 1, True)
    loop = make_loop(occasions=Occasions(confirm=confirm))
    for _ in range(3):
        loop.offered(same)
        loop._report(observed(same), ())

    assert len(confirmed) == 1


class OneWalk:
    """Walking that asks for a walk before each test."""

    def __init__(self) -> None:
        self.number = 0
        self.told = 0

    def ask(self, fence: object) -> tuple[Individual, Callable[[object], None]]:
        return Individual((Call("GET /", (), 1),)), lambda _seen: None

    def evaluate(self, individual: Individual, go_on: object) -> GrownEvaluation[Individual]:
        self.number += 1
        found = evaluation(individual, 500 + self.number, False)
        return GrownEvaluation(found, (found.scores,))

    def tell(self, evaluation: Evaluation[Individual]) -> None:
        self.told += 1

    def kept(self, grown: GrownEvaluation[Individual], gains: object) -> list[Individual]:
        return [grown.evaluation.individual]

    def learn(self, evaluation: Evaluation[Individual]) -> None:
        """Learn nothing."""


def test_walks_count_and_their_short_tests_are_told() -> None:
    algorithm, walking = Generations(1), OneWalk()
    loop = make_loop("12x", algorithm=algorithm)
    loop.occasions.walking = walking  # type: ignore[assignment]
    assert loop.run() is ExitReason.BUDGET
    assert loop.meter.evaluations == 12
    assert walking.told == walking.number > 2
    assert sum(algorithm.welcomed) > walking.number
    assert loop.archive.is_covered("line shop.py:501") is False


def test_a_walk_is_kept_as_it_is_when_the_budget_ends_with_it() -> None:
    loop = make_loop(f"{VISITS + 1}x")
    loop.occasions.walking = OneWalk()  # type: ignore[assignment]
    assert loop.run() is ExitReason.BUDGET
    assert loop.archive.is_covered("line shop.py:501")


def test_the_state_is_checked_although_a_walk_is_the_evaluation_of_the_check() -> None:
    checks: list[int] = []
    loop = make_loop("40x")
    loop.occasions.walking = OneWalk()  # type: ignore[assignment]
    loop.occasions.check_state = lambda: checks.append(loop.meter.evaluations)
    loop.run()
    assert checks == [30]
