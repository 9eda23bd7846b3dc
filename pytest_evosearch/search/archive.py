"""The archive: for every target the best test so far.

    offer(evaluation):
        for each (target, h) that the evaluation touched:
            covered already: keep the shorter of the two tests
            h = 1:           the target is covered, now and for good
            otherwise:       keep the better test, the shorter one on a tie

A covered target stays covered, unless `forget` removes it.  The size of its test never grows.  The
best value of an open target never falls.  The time of an offer depends on the targets that the
evaluation touched, and not on the targets that exist.

The archive keeps tests without their responses.  So its memory does not grow with the bodies that
an application sends.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import KeysView
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.evaluation import Evaluation

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class Archive(Generic[I]):
    """Keeps the shortest test of each covered target, and the closest test of each open target.

    Every mapping has the order in which its targets first appeared.  Equal sequences of offers give
    equal orders.
    """

    def __init__(self, known: Iterable[TargetId] = ()) -> None:
        self._known: dict[TargetId, None] = dict.fromkeys(known)
        self._covered: dict[TargetId, Evaluation[I]] = {}
        self._best: dict[TargetId, float] = {}
        self._closest: dict[TargetId, Evaluation[I]] = {}
        self.covered: Mapping[TargetId, Evaluation[I]] = MappingProxyType(self._covered)
        """The shortest covering test of each covered target, without its observation."""
        self.best: Mapping[TargetId, float] = MappingProxyType(self._best)
        """The best value of each reached and open target, above 0 and below 1."""
        self.offers = 0
        """Number of evaluations offered so far."""
        self.last_improvement = 0
        """Number of the last offer that raised the best value of a target; 0 for none."""

    @property
    def known(self) -> KeysView[TargetId]:
        """Return every target that was registered or reached."""
        return self._known.keys()

    def register(self, targets: Iterable[TargetId]) -> None:
        """Add targets that exist, even if no test has reached them yet."""
        self._known.update(dict.fromkeys(targets))

    def is_covered(self, target: TargetId) -> bool:
        """Say whether some test covers `target`."""
        return target in self._covered

    def open_targets(self) -> list[TargetId]:
        """Return the targets that were reached but not covered."""
        return list(self._best)

    def uncovered_targets(self) -> list[TargetId]:
        """Return every known target that is not covered, reached or not."""
        return [target for target in self._known if target not in self._covered]

    def best_evaluation(self, target: TargetId) -> Evaluation[I] | None:
        """Return the test that covers `target` or came closest; None when nothing reached it."""
        return self._covered.get(target) or self._closest.get(target)

    def tests(self) -> list[Evaluation[I]]:
        """Return the distinct tests that cover a target."""
        distinct = {id(evaluation): evaluation for evaluation in self._covered.values()}
        return list(distinct.values())

    def trimmed(self, evaluation: Evaluation[I]) -> Evaluation[I]:
        """Return `evaluation` as a population keeps it: no response, no covered targets."""
        covered = self._covered
        scores = {name: score for name, score in evaluation.scores.items() if name not in covered}
        return replace(evaluation, scores=scores, observation=None)

    def would_keep(self, evaluation: Evaluation[I], for_size: bool = True) -> bool:
        """Say whether a test would cover a target for the first time, or (`for_size`) shorter."""
        covered, size = self._covered, evaluation.size
        for target, score in evaluation.scores.items():
            if score >= COVERED:
                covering = covered.get(target)
                if covering is None or (for_size and size < covering.size):
                    return True
        return False

    def gains(self, scores: Mapping[TargetId, float]) -> list[TargetId]:
        """Return the targets that come closer by these scores than by any test so far."""
        covered, best = self._covered, self._best
        return [
            target
            for target, score in scores.items()
            if target not in covered and score > best.get(target, 0.0)
        ]

    def offer(self, evaluation: Evaluation[I]) -> list[TargetId]:
        """Add one executed test; return the targets that it is the first to cover."""
        self.offers += 1
        # One flat loop: it runs for each touched target of each test of the search.
        covered, best, closest = self._covered, self._best, self._closest
        size = evaluation.size
        kept: Evaluation[I] | None = None
        newly_covered: list[TargetId] = []
        for target, score in evaluation.scores.items():
            if (covering := covered.get(target)) is not None:
                if score < COVERED or size >= covering.size:
                    continue
                covered[target] = kept = kept or _without_observation(evaluation)
                continue
            if score >= COVERED:
                covered[target] = kept = kept or _without_observation(evaluation)
                best.pop(target, None)
                closest.pop(target, None)
                newly_covered.append(target)
                self._note_improvement(target)
                continue
            previous = best.get(target, 0.0)
            if score > previous:
                best[target] = score
                self._note_improvement(target)
            elif score < previous or score <= 0.0 or size >= closest[target].size:
                continue
            closest[target] = kept = kept or _without_observation(evaluation)
        return newly_covered

    def forget(self, targets: Iterable[TargetId]) -> None:
        """Open `targets` again, because their tests no longer cover them."""
        for target in targets:
            self._covered.pop(target, None)

    def _note_improvement(self, target: TargetId) -> None:
        self._known.setdefault(target)
        self.last_improvement = self.offers


def _without_observation(evaluation: Evaluation[I]) -> Evaluation[I]:
    return replace(evaluation, observation=None)
