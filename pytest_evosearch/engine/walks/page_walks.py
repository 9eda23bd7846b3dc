"""Walks in a search: when they are due, and who chooses their actions.

A walk is due when walks have sent less than their share of all requests.  Requests are counted, and
not seconds, so that equal runs are equal.  A walk is one evaluation of the budget.

A walk is long, and the algorithm would vary it as a whole.  So a call of it that gains something
becomes a short test: what this call seems to need, and the call.  Where that gains nothing, all
that came before is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import GoOn
from pytest_evosearch.execution.full_evaluation import GrownEvaluation
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.learning.outcomes import FAILURE
from pytest_evosearch.problem.http.learning.recipes import Recipe
from pytest_evosearch.problem.http.learning.recipes import essence
from pytest_evosearch.problem.http.walks.walks import Walks
from pytest_evosearch.report.page_visits import ScreenRow
from pytest_evosearch.report.page_visits import WalkSummary
from pytest_evosearch.screens.choosing import Rewarded
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.screens.state_model import united

WALKS = "walks over pages"
"""A part of a search without which it goes on."""


@dataclass
class Walking:
    """Divides requests between walks and everything else."""

    walks: Walks
    share: float
    evaluate: Callable[[Individual, GoOn], GrownEvaluation[Individual]]
    requests: int = 0
    """Requests of all tests so far."""
    walked: int = 0
    """Requests of walks among them."""
    number: int = field(default=0, init=False)
    """How many walks were executed."""
    browsed: StateModel = field(default_factory=StateModel, init=False)
    """The screens that a browser has shown."""
    pictures: Mapping[str, str] = field(default_factory=dict, init=False)
    """Name of a state -> its picture in a browser."""

    def ask(self, fence: Fence) -> tuple[Individual, GoOn] | None:
        """Return a walk, None while none is due; an error of ours ends only the walk."""
        if not self.share or self.walked > self.share * self.requests:
            return None
        asked = self.walks.ask() if self.walks.has_pages else None
        if asked is None:
            return None
        individual, walk = asked
        return individual, lambda seen: fence.run(WALKS, walk.next_call, seen, otherwise=None)

    def foreseen(self) -> dict[str, str]:
        """Return a row for the plan; none where walks will not be made."""
        if not self.share or not self.walks.has_pages:
            return {}
        return {"walks": f"over pages, {self.share:.0%} of the requests"}

    def tell(self, evaluation: Evaluation[Individual]) -> None:
        """Take in what came of the walk that was asked for."""
        self.number += 1
        self.walked += len(evaluation.individual)
        self.walks.tell(evaluation)

    def kept(
        self,
        grown: GrownEvaluation[Individual],
        gains: Callable[[Mapping[TargetId, float]], Sequence[TargetId]],
    ) -> Iterator[Individual]:
        """Yield tests that keep what a walk has gained, each after the one before was executed."""
        observation = observed(grown.evaluation)
        outcomes = self.walks.guide.known.experience.outcomes
        successes = [outcomes.quality(one) > FAILURE for one in observation.exchanges]
        calls, gained = observation.individual.calls, set[TargetId]()
        for index, scores in enumerate(grown.by_call):
            found = gains(scores)
            if not found:
                continue
            gained.update(found)
            begun = calls[: index + 1]
            needed = essence(Recipe(begun, FAILURE), successes)
            yield Individual(needed)
            if len(needed) < len(begun) and gains(scores):
                yield Individual(begun)
        if isinstance(self.walks.guide.selector, Rewarded):
            self.walks.guide.selector.reward(len(gained))

    def learn(self, evaluation: Evaluation[Individual]) -> None:
        """Count the requests of any test, and look for pages in its answers."""
        self.requests += len(evaluation.individual)
        if self.share:
            self.walks.look_for_pages(evaluation)

    def summary(self) -> WalkSummary:
        """Return what the reports show of the walks."""
        states = self.walks.guide.states
        records = united(states.records, self.browsed.records)
        places = {name: place for place, name in enumerate(records)}
        targets = [
            tuple(dict.fromkeys(places[after] for _name, after in one.led_to if after in places))
            for one in records.values()
        ]
        rows = [
            ScreenRow(
                label_of(name),
                record.visits,
                tuple((offer.name, times) for offer, times in record.offers.items()),
                targets[place],
                tuple(index + 1 for index, found in enumerate(targets) if place in found),
                self.pictures.get(name, ""),
            )
            for place, (name, record) in enumerate(records.items())
        ]
        selector = self.walks.guide.selector
        led = tuple(selector.led()) if isinstance(selector, Rewarded) else ()
        return WalkSummary(self.number, states.longest_path, tuple(rows), led)


def label_of(state: str) -> str:
    """Return the name of a state without its digest."""
    return re.sub(r"(?<= \d{3}) [0-9a-f]{6}\b", "", state)
