"""Toy problems with known optima: they show in microseconds what a search can do.

A toy test is a sequence of steps.  A step is an action with a number, as a call is an endpoint with
inputs.  A toy application is a function from steps to scores:

    numbers     many independent comparisons with gradients, each side a target
    nested      comparisons that are only reached when the one before it holds
    needle      one value out of many, without any gradient
    plateau     a broad stretch of equal scores between the start and the optimum
    deceptive   the gradient leads away from the optimum almost everywhere
    sequence    a target that needs two actions in order and with equal numbers
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED
from pytest_evosearch.core.scores import scaled
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation

LARGEST = 1000
"""Largest number in a toy test; the smallest is 0."""

LONGEST = 10
"""Steps of the longest toy test."""


class Step(NamedTuple):
    """One action with its input."""

    action: str
    number: int


ToyTest: TypeAlias = tuple[Step, ...]

Application: TypeAlias = Callable[[ToyTest], Mapping[TargetId, float]]


@dataclass(frozen=True)
class ToyProblem:
    """A `problem.search_problem.Problem` together with its application."""

    name: str
    available: tuple[str, ...]
    """The actions that a step may have."""
    targets: tuple[TargetId, ...]
    """Every target that can be covered."""
    application: Application
    changing: frozenset[str] = frozenset()
    """The actions that change the state of the application."""

    def sample(self, rng: Random) -> ToyTest:
        """Return 1 to 3 random steps."""
        return tuple(self._step(rng) for _ in range(1 + rng.randrange(3)))

    def mutate(
        self,
        individual: ToyTest,
        rng: Random,
        focus: TargetId | None = None,
    ) -> ToyTest:
        """Add or remove a step, or change a number by plus or minus 2^i."""
        place = rng.randrange(len(individual))
        before, after = individual[:place], individual[place + 1 :]
        choice = rng.random()
        if choice < 0.1 and len(individual) < LONGEST:
            return (*before, individual[place], self._step(rng), *after)
        if choice < 0.2 and len(individual) > 1:
            return before + after
        moved = individual[place].number + rng.choice((-1, 1)) * 2 ** rng.randrange(9)
        changed = individual[place]._replace(number=min(LARGEST, max(0, moved)))
        return (*before, changed, *after)

    def crossover(self, mother: ToyTest, father: ToyTest, rng: Random) -> tuple[ToyTest, ToyTest]:
        """Exchange the tails after one cut point in each test."""
        cut, other_cut = rng.randrange(len(mother)), rng.randrange(len(father))
        first, second = mother[:cut] + father[other_cut:], father[:other_cut] + mother[cut:]
        return first[:LONGEST], second[:LONGEST]

    def actions(self, individual: ToyTest) -> Sequence[str]:
        """Return the action of each step."""
        return [step.action for step in individual]

    def insert_actions(
        self, receiver: ToyTest, donor: ToyTest, actions: frozenset[str], rng: Random
    ) -> ToyTest:
        """Return `receiver` with the donor's steps of `actions` at a random place."""
        donated = tuple(step for step in donor if step.action in actions)
        place = rng.randrange(len(receiver) + 1)
        return (receiver[:place] + donated + receiver[place:])[:LONGEST]

    def offers(self, individual: ToyTest | None, rng: Random) -> Sequence[str]:
        """Return every action; none after the longest test."""
        return () if individual is not None and len(individual) >= LONGEST else self.available

    def extend(self, individual: ToyTest | None, action: str, rng: Random) -> ToyTest:
        """Return `individual` with one more step."""
        return (*(individual or ()), Step(action, rng.randrange(LARGEST + 1)))

    def states(self, evaluation: Evaluation[ToyTest]) -> Sequence[str]:
        """Return, after each step, the set of changing actions so far."""
        taken = [step.action for step in evaluation.individual]
        return [
            " ".join(sorted(self.changing.intersection(taken[:end])))
            for end in range(1, len(taken) + 1)
        ]

    def learn(self, evaluation: Evaluation[ToyTest]) -> None:
        """Learn nothing."""

    def evaluate(self, individual: ToyTest) -> Evaluation[ToyTest]:
        """Execute a test; return its scores above 0 and its size."""
        scores = {name: score for name, score in self.application(individual).items() if score > 0}
        size = (len(individual), sum(len(str(step.number)) for step in individual))
        return Evaluation(individual, scores, size, observation=list(individual))

    def _step(self, rng: Random) -> Step:
        return Step(self.available[rng.randrange(len(self.available))], rng.randrange(LARGEST + 1))


def numbers(count: int = 20) -> ToyProblem:
    """Make `count` independent equalities, each with a gradient and both sides as targets."""
    wanted = {f"put {index}": (index * 379 + 211) % (LARGEST + 1) for index in range(count)}

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        scores: dict[TargetId, float] = {}
        for step in test:
            distance = abs(step.number - wanted[step.action])
            _raise(scores, f"{step.action} true", scaled(REACHED, distance))
            _raise(scores, f"{step.action} false", COVERED if distance else REACHED)
        return scores

    return ToyProblem("numbers", tuple(wanted), _both_sides(wanted), application)


def nested(depth: int = 3) -> ToyProblem:
    """Make comparisons of the `depth` (1 to 3) digits of one number, each inside the one before."""
    names = [f"digit {index}" for index in range(depth)]
    digits = [(7 * index + 3) % 10 for index in range(depth)]

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        scores: dict[TargetId, float] = {}
        for step in test:
            for index, (name, digit) in enumerate(zip(names, digits, strict=True)):
                distance = abs(step.number // 10**index % 10 - digit)
                _raise(scores, f"{name} true", scaled(REACHED, distance))
                _raise(scores, f"{name} false", COVERED if distance else REACHED)
                if distance:
                    break
        return scores

    return ToyProblem("nested", ("put",), _both_sides(names), application)


def needle(width: int = 20) -> ToyProblem:
    """Make one target that `width` adjacent numbers of 1001 cover; the rest score equally."""

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        hit = any(600 <= step.number < 600 + width for step in test)
        return {"needle": COVERED if hit else REACHED}

    return ToyProblem("needle", ("put",), ("needle",), application)


def plateau() -> ToyProblem:
    """Make a target whose score is constant from 100 to 800, and rises again after that."""

    def score(number: int) -> float:
        distance = abs(900 - number)
        return scaled(REACHED, 800 if 100 <= number <= 800 else distance)

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        return {"plateau": max(score(step.number) for step in test)}

    return ToyProblem("plateau", ("put",), ("plateau",), application)


def deceptive() -> ToyProblem:
    """Make a target whose score falls towards the optimum (0 to 19), except inside it."""

    def score(number: int) -> float:
        return COVERED if number < 20 else scaled(REACHED, LARGEST + 1 - number)

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        return {"deceptive": max(score(step.number) for step in test)}

    return ToyProblem("deceptive", ("put",), ("deceptive",), application)


def sequence() -> ToyProblem:
    """Make a store: a created number can be read, and then deleted; numbers count modulo 10."""

    def application(test: ToyTest) -> Mapping[TargetId, float]:
        scores: dict[TargetId, float] = {}
        created: dict[int, None] = {}
        for action, number in test:
            key = number % 10
            _raise(scores, f"{action} entered", COVERED)
            if action == "create":
                created[key] = None
                continue
            nearest = min((abs(key - other) for other in created), default=LARGEST)
            _raise(scores, f"{action} found", scaled(REACHED, nearest))
            if action == "delete" and key in created:
                del created[key]
        return scores

    targets = ("create entered", "read entered", "delete entered", "read found", "delete found")
    actions, changing = ("create", "read", "delete"), frozenset(("create", "delete"))
    return ToyProblem("sequence", actions, targets, application, changing)


def toy_problems() -> list[ToyProblem]:
    """Return one problem of each kind."""
    return [numbers(), nested(), needle(), plateau(), deceptive(), sequence()]


def _both_sides(names: Sequence[str] | Mapping[str, int]) -> tuple[TargetId, ...]:
    return tuple(f"{name} {side}" for name in names for side in ("true", "false"))


def _raise(scores: dict[TargetId, float], target: TargetId, score: float) -> None:
    scores[target] = max(score, scores.get(target, 0.0))
