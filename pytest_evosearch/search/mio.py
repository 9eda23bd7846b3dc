"""MIO, the Many Independent Objective algorithm: one small population for each target.

    while budget left:
        if random() < P_r or no population is open: x = sample()
        else:
            target = the open target that feedback-directed sampling picks
            x = mutate(a random member of its population), up to m mutations; each mutant
                that is better or equal replaces x before the next mutation
        run x; for every target with h > 0:
            covered (h = 1): keep the shortest covering test; close and drop the population
            else: insert; over capacity n, drop the worst (lowest h, then longest, then oldest)
        schedule: P_r, n, m move linearly until F of the budget is spent, then stay

Source: A. Arcuri, "Many Independent Objective (MIO) Algorithm for Test Suite Generation", SSBSE
2017, and its extension in IST 2018.  The archive keeps the covering tests, so this module has only
the populations of the open targets.

A population exists exactly for targets with 0 < best h < 1, and has at most n members.  `ask`
returns one test.  A mutant that is equally good always replaces its parent.

Two rules are added for targets that do not improve.  A step ends after some mutants that left the
score of its target unchanged: most conditions on stored state give 0.05 for every request.  When
even the least tried open target was picked `patience` times without gain, every other step samples,
even after F.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.balance import CLOSER
from pytest_evosearch.search.balance import SampleBalance
from pytest_evosearch.search.feedback import LowestCounter
from pytest_evosearch.search.population import Population
from pytest_evosearch.search.schedule import Schedule
from pytest_evosearch.settings.tunables import LARGEST_POPULATION
from pytest_evosearch.settings.tunables import MOST_MUTATIONS
from pytest_evosearch.settings.tunables import tuned

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"

LENGTH_RENEWAL = 0.1
"""Weight of the last step in the mean length of steps."""


@dataclass(frozen=True)
class MioParameters:
    """Parameters of MIO; a pair of start and end changes until `focus` of the budget is spent."""

    focus: float = tuned(0.8)
    """Share of the budget after which the search is focused (2018 paper: 0.5)."""
    sample_probability: float = tuned(0.8)
    """Probability of a new sample at the start (2018 paper: 0.5)."""
    focused_sample_probability: float = tuned(0.0)
    population_size: int = tuned(10, 1, LARGEST_POPULATION)
    focused_population_size: int = tuned(1, 1, LARGEST_POPULATION)
    mutations: int = tuned(1, 1, MOST_MUTATIONS)
    """Mutations in one step at the start."""
    focused_mutations: int = tuned(10, 1, MOST_MUTATIONS)
    idle_mutations: int = tuned(3, 0, MOST_MUTATIONS)
    """Number of mutants in a row without effect on the target that end a step; 0 for no end."""
    adaptation: float = tuned(0.7)
    """How far measured gains decide between samples and mutants; 0 is the schedule alone."""
    patience: int = tuned(20, 0, 1_000_000)
    """Number of picks without gain, of every open target, after which half of the steps sample.

    With 0 this never happens.
    """


@dataclass
class _Step(Generic[I]):
    """A chain of mutations that aims at one target."""

    target: TargetId
    current: I
    score: float
    most: int
    """Largest number of mutants of the step."""
    made: int = 0
    idle: int = 0
    """Mutants in a row that did not change the target's score, or did not reach the target."""


class Mio(Generic[I]):
    """MIO behind `ask` and `tell`; see the module's text for the algorithm."""

    parameters_type = MioParameters

    def __init__(self, context: SearchContext[I], parameters: MioParameters | None = None) -> None:
        self.parameters = chosen = parameters or MioParameters()
        self._context = context
        self._sample_probability = Schedule(
            chosen.sample_probability, chosen.focused_sample_probability, chosen.focus
        )
        self._population_size = Schedule(
            chosen.population_size, chosen.focused_population_size, chosen.focus
        )
        self._mutations = Schedule(chosen.mutations, chosen.focused_mutations, chosen.focus)
        self._populations: dict[TargetId, Population[I]] = {}
        self._sampling = LowestCounter()
        self._step: _Step[I] | None = None
        self._sequence = 0
        self._balance = SampleBalance()
        self._mean_length = 1.0
        self._asked_for_sample = False
        self._known_offers = context.archive.offers
        self._known_covered = len(context.archive.covered)

    @property
    def open_populations(self) -> list[TargetId]:
        """Return the targets that have a population now, in order of appearance."""
        return list(self._populations)

    def ask(self) -> Sequence[I]:
        """Return the next mutant of the present step, or the first test of a new step."""
        if self._step is None:
            self._step = self._begin_step(self._context.progress())
        self._asked_for_sample = self._step is None
        if self._step is None:
            return [self._context.problem.sample(self._context.rng)]
        self._step.made += 1
        return [
            self._context.problem.mutate(
                self._step.current, self._context.rng, focus=self._step.target
            )
        ]

    def tell(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Insert the executed tests into the populations of their open targets."""
        capacity = self._capacity(self._context.progress())
        gain = self._gain()
        if evaluations:
            self._balance.note(self._asked_for_sample, gain)
        for evaluation in evaluations:
            self._insert(evaluation, capacity)
            self._continue_step(evaluation)

    def welcome(self, evaluations: Sequence[Evaluation[I]]) -> None:
        """Insert tests of other islands; they count as neither samples nor mutants."""
        capacity = self._capacity(self._context.progress())
        self._gain()
        for evaluation in evaluations:
            self._insert(evaluation, capacity)

    def _gain(self) -> float:
        """Return what the archive gained since the last call, 0 to 1."""
        archive = self._context.archive
        covered, offers = len(archive.covered), self._known_offers
        more = covered > self._known_covered
        self._known_offers, self._known_covered = archive.offers, covered
        if more:
            return 1.0
        return CLOSER if archive.last_improvement > offers else 0.0

    def _probability_of_sample(self, progress: float) -> float:
        """Return the probability that the next step is a sample.

        The schedule gives a probability for steps.  Gains are measured for evaluations, and a step
        of mutants takes several of these.
        """
        scheduled = self._sample_probability.value(progress)
        trust = self.parameters.adaptation
        if not trust:
            return scheduled
        length = self._mean_length
        share = scheduled / (scheduled + (1.0 - scheduled) * length)
        share = (1.0 - trust) * share + trust * self._balance.sample_share
        return share * length / (1.0 - share + share * length)

    def _begin_step(self, progress: float) -> _Step[I] | None:
        """Choose what to mutate; None means a new sample."""
        rng = self._context.rng
        sample_probability = self._probability_of_sample(progress)
        patience = self.parameters.patience
        if patience and self._sampling.lowest_counter >= patience:
            sample_probability = max(sample_probability, 0.5)
        if rng.random() < sample_probability:
            return None
        target = self._pick_target()
        if target is None:
            return None
        score, _, _, individual = self._populations[target].choose(rng, self._capacity(progress))
        return _Step(target, individual, score, max(1, self._mutations.whole(progress)))

    def _pick_target(self) -> TargetId | None:
        """Return the next open target, after closing those that other tests have covered."""
        while self._populations:
            target = self._sampling.pick()
            if not self._context.archive.is_covered(target):
                return target
            self._close(target)
        return None

    def _continue_step(self, evaluation: Evaluation[I]) -> None:
        """Replace the test by a mutant that is no worse; end the step when it is complete."""
        step = self._step
        if step is None:
            return
        if step.made >= step.most or step.target not in self._populations:
            self._end_step(step)
            return
        score = evaluation.scores.get(step.target, 0.0)
        moved = score not in (step.score, 0.0)
        step.idle = 0 if moved else step.idle + 1
        if score >= step.score:
            step.current, step.score = evaluation.individual, score
        if self.parameters.idle_mutations and step.idle >= self.parameters.idle_mutations:
            self._end_step(step)

    def _end_step(self, step: _Step[I]) -> None:
        self._step = None
        self._mean_length += LENGTH_RENEWAL * (step.made - self._mean_length)

    def _insert(self, evaluation: Evaluation[I], capacity: int) -> None:
        # One flat loop: it runs for each touched target of each test of the search.
        self._sequence += 1
        sequence, individual = self._sequence, evaluation.individual
        negative_calls = -evaluation.size[0]
        populations = self._populations
        for target, score in evaluation.scores.items():
            population = populations.get(target)
            if population is None:
                if score <= 0.0 or score >= COVERED or self._context.archive.is_covered(target):
                    continue
                populations[target] = population = Population()
                self._sampling.open(target)
            elif score >= COVERED:
                self._close(target)
                continue
            if population.insert((score, negative_calls, sequence, individual), capacity):
                self._sampling.note_improvement(target)

    def _close(self, target: TargetId) -> None:
        del self._populations[target]
        self._sampling.close(target)

    def _capacity(self, progress: float) -> int:
        return max(1, self._population_size.whole(progress))
