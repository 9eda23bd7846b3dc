"""What is searched: tests of units, made, varied and learnt from.

A fresh test calls one unit.  A method gets an object first, and sometimes other methods of this
object are called between.  Comparisons that a test has seen say which values would turn them
around; constants of the source are tried as values, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.compared_values import answers
from pytest_evosearch.problem.units.hinted_genes import is_unknown
from pytest_evosearch.problem.units.inventory import constructing_units
from pytest_evosearch.problem.units.known_objects import MADE_BEFORE
from pytest_evosearch.problem.units.known_objects import KnownObjects
from pytest_evosearch.problem.units.plain_texts import around_match
from pytest_evosearch.problem.units.plain_texts import is_like_pattern
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import has_bare_object
from pytest_evosearch.problem.units.unit import takes_any_number
from pytest_evosearch.problem.units.wrong_types import WrongTypes

MOST_CALLS = 6
"""Most calls of a test: longer sequences are hard to read, and rarely needed."""

MOST_EVIDENCE = 5
"""Most tests whose comparisons are kept for one target."""

MOST_WISHES = 40
"""Most values that one comparison proposes."""

MOST_HARM = 2
"""Tests of one unit that may be cut off, or cost their process, while few of its tests are whole.

With more it is given up.
"""

MOST_HARM_IN_ALL = 8
"""Tests that may do so of a unit whose other tests are whole."""

FURTHER_CALL = 0.3
"""How often a fresh test of a method calls another method before it."""

HINTED = 0.5
"""How often a mutation for a target follows a comparison, if there is one."""

MOST_OPTIONS = 4
"""Optional arguments that a fresh call has, at most on average: with many, none can be told."""

CONSTANT = 0.15
"""How often a value of a fresh call is a constant of the source."""

SEEN = 0.3
"""How often a value of a fresh call is one that a docstring or a caller passes, if any is known."""


ATTEMPTS = 4
"""Fresh calls that are made to find one without an argument that was refused before."""


@dataclass(frozen=True)
class Evidence:
    """A test, and what it compared on the way to a target."""

    test: UnitTest
    comparisons: tuple[Comparison, ...]


class UnitProblem:
    """Makes, varies and learns about tests of units."""

    def __init__(
        self,
        units: Mapping[str, Unit],
        arguments: Arguments,
        constants: Mapping[str, Sequence[object]],
        documented: Mapping[UnitTest, str] | None = None,
    ) -> None:
        self.units = units
        self.arguments = arguments
        self.documented = documented or {}
        """The tests that docstrings show -> the results that they show."""
        self._methods: dict[str, list[Unit]] = {}
        for unit in units.values():
            if unit.owner and unit.owner in units:
                self._methods.setdefault(unit.owner, []).append(unit)
        self._makers = {key: self._makers_of(units[key]) for key in self._methods}
        """Class -> the units that make objects of it."""
        self._tried = {unit.key: 0 for unit in units.values() if unit.is_tested_among(units)}
        """Testable units -> tests since the last one that reached something new."""
        self._harmed: dict[str, int] = {}
        """Unit -> tests of it that were cut off, or that cost their process."""
        self._executed: dict[str, int] = {}
        """Unit -> its tests so far."""
        self.given_up: set[str] = set()
        self._evidence: dict[TargetId, deque[Evidence]] = {}
        self._best: dict[TargetId, float] = {}
        self._constants = constants
        """Unit -> numbers and texts of its source."""
        self.objects = KnownObjects(units, arguments)
        self.wrong = WrongTypes(units, arguments)

    def _makers_of(self, kind: Unit) -> list[Unit]:
        """Return a class; what makes it where it is private, or says nothing of what it holds."""
        if kind.made_by or not takes_any_number(kind):
            return [self.units[key] for key in kind.made_by] or [kind]
        made = resolved(Named(kind.module, kind.name))
        keys = [one.key for one in constructing_units(made)] if isinstance(made, type) else []
        return [*(self.units[key] for key in keys if key in self.units), kind]

    @property
    def testable(self) -> Sequence[str]:
        """Return the keys of the units that can be tested, and were not given up."""
        return list(self._tried)

    # Making and varying

    def sample(self, rng: Random) -> UnitTest:
        """Return a fresh test of a unit; units whose tests still reach new code come first."""
        if (untried := self.objects.untried()) is not None:
            return UnitTest((untried,))
        weights = [1.0 / (1.0 + tried) ** 0.5 for tried in self._tried.values()]
        (key,) = rng.choices(list(self._tried), weights)
        return self.test_of(self.units[key], rng)

    def test_of(self, unit: Unit, rng: Random) -> UnitTest:
        """Return a fresh test of one unit."""
        if not unit.owner:
            return UnitTest((self._sampled(unit, rng),))
        calls = [self._object_for(unit, rng)]
        while rng.random() < FURTHER_CALL and len(calls) < MOST_CALLS - 1:
            calls.append(self._call_between(unit.owner, rng))
        return UnitTest((*calls, self._sampled(unit, rng)))

    def _call_between(self, owner: str, rng: Random) -> UnitCall:
        """Return a fresh call on an object, which may change it: a sum or a comparison does not."""
        methods = self._methods[owner]
        changing = [one for one in methods if one.operator is None or one.operator.may_change]
        return self._sampled(rng.choice(changing or methods), rng)

    def _object_for(self, unit: Unit, rng: Random) -> UnitCall:
        """Return the call that makes the object of a method: mostly one that has worked."""
        known = [one for one in self.objects.calls(unit.owner) if not self.wrong.has_call(one)]
        if known and rng.random() < MADE_BEFORE:
            return rng.choice(known)
        return self._sampled(rng.choice(self._makers[unit.owner]), rng)

    def _sampled(self, unit: Unit, rng: Random) -> UnitCall:
        """Return a fresh call, if possible without an argument that was refused before."""
        calls = [self._any_sampled(unit, rng)]
        while self.wrong.has_call(calls[-1]) and len(calls) < ATTEMPTS:
            calls.append(self._any_sampled(unit, rng))
        return calls[-1]

    def _any_sampled(self, unit: Unit, rng: Random) -> UnitCall:
        call = self.arguments.call(unit)
        arguments = []
        options = sum(gene.is_optional for _name, gene in call.arguments)
        for name, gene in call.arguments:
            sampled = self.objects.placed(gene.sample(rng), rng)
            if gene.is_optional and rng.random() * options >= MOST_OPTIONS:
                sampled = gene.left_out()
            if self._constants[unit.key] and rng.random() < CONSTANT:
                sampled = self._with_constant(sampled, unit, rng)
            seen = self.arguments.proposed(unit, name)
            if seen and rng.random() < SEEN:
                sampled = self.arguments.passing(unit, name, rng.choice(seen))
            arguments.append((name, sampled))
        return replace(call, arguments=tuple(arguments))

    def _with_constant(self, gene: Gene, unit: Unit, rng: Random) -> Gene:
        constant = rng.choice(self._constants[unit.key])
        if isinstance(constant, str) and is_like_pattern(constant) and rng.random() < 0.7:
            constant = around_match(constant, rng) or constant
        leaves = [(path, one) for path, one in walk(gene) if not one.children()]
        path, leaf = rng.choice(leaves) if leaves else ((), gene)
        adopted = leaf.adopt(constant) if type(leaf.value()) is type(constant) else None
        return gene if adopted is None else replaced(gene, path, adopted)

    def mutate(self, individual: UnitTest, rng: Random, focus: TargetId | None = None) -> UnitTest:
        """Follow a comparison, change an argument, or change the calls before the tested one."""
        if focus is not None and rng.random() < HINTED:
            hinted = self._hinted(individual, focus, rng)
            if hinted is not None:
                return hinted
        if len(individual) > 1 and rng.random() < 0.25:
            return self._with_other_calls(individual, rng)
        genes = list(individual.genes())
        if not genes:
            return self.test_of(self.units[individual.act.unit], rng)
        place, gene = rng.choice(genes)
        unit = self.units[individual.calls[place[0]].unit]
        if self._constants[unit.key] and rng.random() < CONSTANT:
            return individual.with_gene(place, self._with_constant(gene, unit, rng))
        return individual.with_gene(place, gene.mutate(rng))

    def _with_other_calls(self, test: UnitTest, rng: Random) -> UnitTest:
        shorter = list(test.shorter())
        if shorter and (rng.random() < 0.5 or len(test) >= MOST_CALLS):
            return rng.choice(shorter)
        owner = self.units[test.act.unit].owner
        call = self._call_between(owner, rng)
        at = rng.randint(1, len(test) - 1)
        return UnitTest((*test.calls[:at], call, *test.calls[at:]))

    def _hinted(self, test: UnitTest, target: TargetId, rng: Random) -> UnitTest | None:
        """Return a test in which a compared value differs, of this test or of an earlier one."""
        known = self._evidence.get(target)
        if not known:
            return None
        evidence = next((one for one in known if one.test == test), None) or rng.choice(known)
        comparison = rng.choice(evidence.comparisons)
        changed = list(islice(answers(evidence.test, comparison, rng), MOST_WISHES))
        return rng.choice(changed) if changed else None

    def crossover(
        self, mother: UnitTest, father: UnitTest, rng: Random
    ) -> tuple[UnitTest, UnitTest]:
        """Exchange the arguments of one call where both test one unit."""
        if mother.act.unit != father.act.unit or not mother.act.arguments:
            return mother, father
        at = rng.randrange(len(mother.act.arguments))
        ours, theirs = mother.act.arguments[at], father.act.arguments[at]
        return (
            mother.with_gene((len(mother) - 1, at), theirs[1]),
            father.with_gene((len(father) - 1, at), ours[1]),
        )

    # What research algorithms ask

    def actions(self, individual: UnitTest) -> Sequence[str]:
        """Return the units that a test calls."""
        return [call.unit for call in individual.calls]

    def insert_actions(
        self, receiver: UnitTest, donor: UnitTest, actions: frozenset[str], rng: Random
    ) -> UnitTest:
        """Return `receiver` with the donor's calls of `actions` before its tested call."""
        owner = self.units[receiver.act.unit].owner
        donated = [
            call
            for call in donor.calls
            if call.unit in actions and owner and self.units[call.unit].owner == owner
        ]
        calls = (*receiver.calls[:-1], *donated)[: MOST_CALLS - 1]
        return UnitTest((*calls, receiver.act))

    def offers(self, individual: UnitTest | None, rng: Random) -> Sequence[str]:
        """Return the units that can follow the calls of a test."""
        if individual is None:
            return list(self._tried)
        if len(individual) >= MOST_CALLS:
            return ()
        first = self.units[individual.calls[0].unit]
        methods = self._methods.get(first.key, ()) if first.kind is Kind.CLASS else ()
        return [unit.key for unit in methods]

    def extend(self, individual: UnitTest | None, action: str, rng: Random) -> UnitTest:
        """Return a test with one more call at its end."""
        if individual is None:
            return self.test_of(self.units[action], rng)
        return UnitTest((*individual.calls, self._sampled(self.units[action], rng)))

    def states(self, evaluation: Evaluation[UnitTest]) -> Sequence[str]:
        """Return how each call ended."""
        run = evaluation.observation
        return [result.end.value for result in run.results] if isinstance(run, Run) else ()

    # Learning

    def learn(self, evaluation: Evaluation[UnitTest]) -> None:
        """Remember which comparisons lie on the way to which target."""
        run, test = evaluation.observation, evaluation.individual
        if not isinstance(run, Run):
            return
        self.wrong.learn(test, run)
        self.objects.learn(test, run)
        self._executed[test.act.unit] = self._executed.get(test.act.unit, 0) + 1
        self._count(test, evaluation.scores)
        if run.harm:
            self.note_harm(test.act.unit)
        grouped: dict[TargetId, dict[int, Comparison]] = {}
        for number, comparison in enumerate(run.comparisons):
            if evaluation.scores.get(comparison.target, 0.0) < 1.0:
                grouped.setdefault(comparison.target, {})[number] = comparison
        for target, found in grouped.items():
            kept = self._evidence.setdefault(target, deque(maxlen=MOST_EVIDENCE))
            kept.appendleft(Evidence(test, tuple(found.values())))

    def note_harm(self, key: str) -> None:
        """Make no more tests of a unit that has done harm several times: each costs a process."""
        harmed = self._harmed[key] = self._harmed.get(key, 0) + 1
        is_usual = harmed >= MOST_HARM and 2 * harmed > self._executed.get(key, 0)
        if (is_usual or harmed >= MOST_HARM_IN_ALL) and len(self._tried) > 1:
            self._tried.pop(key, None)
            self.given_up.add(key)

    def _count(self, test: UnitTest, scores: Mapping[TargetId, float]) -> None:
        news = [name for name, score in scores.items() if score > self._best.get(name, 0.0)]
        self._best.update({name: scores[name] for name in news})
        key = test.act.unit
        if key in self._tried:
            self._tried[key] = 0 if news else self._tried[key] + 1


def usual_at(problem: UnitProblem, test: UnitTest, place: tuple[int, int]) -> Usual:
    """Return what people would pass for the argument at a place."""
    call = test.calls[place[0]]
    return problem.arguments.usual(problem.units[call.unit], call.arguments[place[1]][0])


def holds_unknown(test: UnitTest) -> bool:
    """Say whether an argument contains a value of which nothing is known."""
    inside = (one for _place, gene in test.genes() for path, one in walk(gene.sent()) if path)
    return any(map(is_unknown, inside))


def confirmation_of(test: UnitTest, problem: UnitProblem) -> Confirmation:
    """Say what shows the types of the arguments of all calls: the weakest counts.

    Nothing does where an argument contains a value of which nothing is known, or an object of a
    private class that is made of nothing, nor where the object of a method is made of nothing
    though it takes something.  Uses and examples do not show that a value may be empty.
    """
    if has_bare_object(test):
        return Confirmation.NONE
    passed = [value for call in test.calls for value in call.values().values()]
    if holds_unknown(test) or any(map(_is_private, (one for v in passed for one in recipes_in(v)))):
        return Confirmation.NONE
    shown = {
        problem.arguments.confirmation(problem.units[call.unit], call.values())
        for call in test.calls
    }
    found = next(one for one in reversed(Confirmation) if one in shown)
    is_odd = found is Confirmation.USED and any(one in ("", b"", [], {}, ()) for one in passed)
    return Confirmation.NONE if is_odd else found


def _is_private(recipe: object) -> bool:
    """Say whether a recipe makes an object of a private class of nothing."""
    if not isinstance(recipe, Made) or recipe.arguments or recipe.keywords:
        return False
    return recipe.function.name.rpartition(".")[2].startswith("_")
