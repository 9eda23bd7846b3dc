"""Holds the best form of a test while it is made short, and what was tried."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import replace

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.minimize.failed_variants import FailedVariants
from pytest_evosearch.minimize.failed_variants import Variant
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import renamed


class Reduction:
    """The best test so far; remembers tried variants by value."""

    def __init__(
        self,
        individual: Individual,
        keeps: Callable[[Individual], bool],
        limit: int,
        settled: AbstractSet[int],
        failed: FailedVariants,
        is_over: Callable[[], bool],
    ) -> None:
        self.best = individual
        self.failed = failed
        self.outcomes: dict[Variant, bool] = {}
        """Tried variants of values, and whether they ever worked."""
        self._vain: set[Variant] = set()
        self._settled = settled
        self._keeps = keeps
        self._left = limit
        self._is_over = is_over
        self._seen = {sent(individual)}

    @property
    def exhausted(self) -> bool:
        """Say whether the limit of executions is reached, or the time is up."""
        return self._left <= 0 or self._is_over()

    def accepts(self, candidate: Individual) -> bool:
        """Try `candidate`, and make it the best one when it is good enough."""
        key = sent(candidate)
        if key in self._seen or self.exhausted:
            return False
        self._seen.add(key)
        self._left -= 1
        if not self._keeps(candidate):
            return False
        self.best = candidate
        return True

    def begin_round(self) -> None:
        """Allow failed variants again, because something has changed since."""
        self._vain.clear()

    def is_vain(self, variant: Variant, among_simplest: bool) -> bool:
        """Say whether another trial of a variant is unnecessary."""
        return variant in self._vain or (not among_simplest and variant in self.failed)

    def note(self, variant: Variant, accepted: bool) -> None:
        """Remember the result of a variant, unless its trial may have been cut off."""
        if self.exhausted:
            return
        self.outcomes[variant] = accepted or self.outcomes.get(variant, False)
        if not accepted:
            self._vain.add(variant)

    def open_calls(self) -> list[int]:
        """Return the indexes of the calls that are not settled."""
        return [at for at, call in enumerate(self.best) if call.label not in self._settled]

    def settled_calls(self) -> list[Call]:
        """Return the calls that are settled."""
        return [call for call in self.best if call.label in self._settled]

    def cut_dangling_links(self) -> None:
        """Replace links to removed calls by their fallbacks, which does not change the requests.

        A link cannot be simplified, but its fallback can.
        """
        calls: list[Call] = []
        for call in self.best:
            labels = {earlier.label: earlier.label for earlier in calls}
            inputs = tuple(replace(one, gene=renamed(one.gene, labels)) for one in call.inputs)
            calls.append(replace(call, inputs=inputs))
        if tuple(calls) != self.best.calls:
            self.best = Individual(tuple(calls))


def sent(individual: Individual) -> str:
    """Return a text that is equal for two tests exactly when their requests are equal.

    Values are plain Python (and links), whose `repr` tells 1 from "1", True and 1.0.
    """
    return repr(
        [(call.endpoint, call.user, call.label, sent_inputs(call)) for call in individual.calls]
    )


def sent_inputs(call: Call) -> list[tuple[str, str, object]]:
    """Return location, name and value of each input of a call."""
    values = [(given.location.value, given.name, given.gene.value()) for given in call.inputs]
    return [given for given in values if given[2] is not ABSENT]
