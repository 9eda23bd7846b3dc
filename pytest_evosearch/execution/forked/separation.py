"""Executes orders that may hang in a process of their own, and all others here.

Once a call has hung in C, a forked process tries each endpoint first. Endpoints that respond there
are called in this process afterwards, which is twenty times as fast. Endpoints known to hang are
not.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Look
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer
from pytest_evosearch.problem.http.exchanges.individual import Individual


class SeparatePerformer:
    """Chooses where an order is executed."""

    def __init__(self, here: Performer, forks: Performer, hung: Collection[str]) -> None:
        self._here = here
        self._forks = forks
        self._hung = frozenset(hung)
        self._answering: set[str] = set()
        self._hanging: dict[int, tuple[Individual, Conversation]] = {}
        """Tests that hung, with their results: another execution would show nothing new."""

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._forks.retire(targets)  # which tells the performer here, too

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        self._forks.respecialize()
        self._here.respecialize()

    def perform(self, order: Order) -> Conversation:
        """Execute `order` where it cannot hang this process."""
        answering = self._answering.issuperset(one.endpoint for one in order.individual.calls)
        if answering and order.go_on is None:  # a growing test may come to any endpoint
            return self._here.perform(order)
        known = self._hanging.get(id(order.individual))
        if known is not None and (not order.patient or self._hangs(order)):
            return _repeated(known[1], order.look)
        said = self._forks.perform(order)
        if said.exchanges and said.exchanges[-1].frozen:
            self._hanging[id(order.individual)] = order.individual, said
        answered = {one.request.endpoint for one in said.exchanges if not one.frozen}
        self._answering |= answered - self._hung
        return said

    def _hangs(self, order: Order) -> bool:
        """Say whether `order` contains a call that is known to ignore its alarms."""
        return not self._hung.isdisjoint(call.endpoint for call in order.individual.calls)


def _repeated(said: Conversation, look: Look) -> Conversation:
    """Return the result of a test that hung, in the form that `look` asks for.

    The calls have covered nothing: an execution that takes so long counts for no target.
    """
    covered: list[frozenset[TargetId]] = []
    if look is Look.FULL:
        covered = [frozenset()] * len(said.exchanges)
    return replace(said, exchanges=[*said.exchanges], covered=covered)


class WithoutHanging:
    """Executes no test that has hung, where this process cannot be forked."""

    def __init__(self, here: Performer, hung: Collection[str]) -> None:
        self._here = here
        self._hung = frozenset(hung)

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._here.retire(targets)

    def respecialize(self) -> None:
        """Remove the probes that stay silent for good from the application's code."""
        self._here.respecialize()

    def perform(self, order: Order) -> Conversation:
        """Execute `order`; return an empty conversation for one that may hang."""
        if self._hung.isdisjoint(call.endpoint for call in order.individual.calls):
            return self._here.perform(replace(order, go_on=None))
        return Conversation()
