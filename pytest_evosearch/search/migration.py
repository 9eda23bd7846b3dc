"""Several searches of one application at once: what their archives exchange.

    emigrants     the tests of this archive that cover, or come closer to, what no other has
    immigrants    the tests of another archive that are ahead of this one for some target

    now and then, on every island:
        send the emigrants to the others
        for each other island, in the order of their numbers:
            execute its tests that are still ahead, offer them, and let the algorithm welcome them

Each score of a target is sent once, by the island that reached it first.  A test that is ahead for
no target is not executed.  The order depends only on the archives and the messages.

Tests are sent for covered and closer targets.  A shorter test for a covered target is not sent,
because the tests are minimised at the end.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from typing import Generic
from typing import TypeVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.search.archive import Archive

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


@dataclass(frozen=True)
class Emigrant:
    """A test that is sent, and the targets for which its archive was ahead."""

    pickled: bytes
    """The test itself, pickled alone: a test that cannot be read does not affect other tests."""
    scores: Mapping[TargetId, float]


class Migration(Generic[I]):
    """What one archive sends to others, and takes from them."""

    def __init__(self, archive: Archive[I]) -> None:
        self._archive = archive
        self._sent: dict[TargetId, float] = {}
        """The best score of each target that any island has reported."""

    def emigrants(self) -> Sequence[Emigrant]:
        """Return the tests that are better than all reported ones, and report them."""
        scores: dict[int, dict[TargetId, float]] = {}
        individuals: dict[int, I] = {}
        for target, score in self._news():
            evaluation = self._archive.best_evaluation(target)
            assert evaluation is not None
            individuals[id(evaluation.individual)] = evaluation.individual
            scores.setdefault(id(evaluation.individual), {})[target] = score
            self._sent[target] = score
        travelling = []
        for key, individual in individuals.items():
            # Genes may hold an object of the application (the class of a choice): such a test stays
            # here.
            with suppress(pickle.PicklingError, TypeError, AttributeError):
                travelling.append(Emigrant(pickle.dumps(individual), scores[key]))
        return travelling

    def _news(self) -> Iterator[tuple[TargetId, float]]:
        for target in self._archive.covered:
            if self._sent.get(target, 0.0) < COVERED:
                yield target, COVERED
        for target, score in self._archive.best.items():
            if self._sent.get(target, 0.0) < score:
                yield target, score

    def immigrants(self, emigrants: Iterable[Emigrant]) -> Iterator[I]:
        """Yield the tests that are ahead; check each after the one before it has been offered."""
        for emigrant in emigrants:
            is_ahead = any(score > self._score_of(one) for one, score in emigrant.scores.items())
            for target, score in emigrant.scores.items():
                self._sent[target] = max(score, self._sent.get(target, 0.0))
            individual = _read(emigrant.pickled) if is_ahead else None
            if individual is not None:
                yield individual

    def _score_of(self, target: TargetId) -> float:
        if self._archive.is_covered(target):
            return COVERED
        return self._archive.best.get(target, 0.0)


def _read(pickled: bytes) -> Any:
    # A class of the application may differ here, and may raise anything.
    with suppress(Exception):
        return pickle.loads(pickled)
    return None
