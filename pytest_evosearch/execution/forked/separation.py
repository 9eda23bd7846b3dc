"""Executes in processes of their own what may not come back, and everything else here.

Once a call has hung in C, each endpoint is asked in a forked process first; one that has answered
there is asked here from then on, at twenty times the speed, but for those that are known to hang.
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
        """Tests that have hung, with what came of it: once more would tell nothing new."""

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._forks.retire(targets)  # which tells the performer here, too

    def respecialize(self) -> None:
        """Free the application's code of the probes that are silent for good."""
        self._forks.respecialize()
        self._here.respecialize()

    def perform(self, order: Order) -> Conversation:
        """Execute `order` where nothing of it can hang this process."""
        if self._answering.issuperset(call.endpoint for call in order.individual.calls):
            return self._here.perform(order)
        known = self._hanging.get(id(order.individual))
        if known is not None and (not order.patient or self._hangs(order)):
            return _told_again(known[1], order.look)
        said = self._forks.perform(order)
        if said.exchanges and said.exchanges[-1].frozen:
            self._hanging[id(order.individual)] = order.individual, said
        answered = {one.request.endpoint for one in said.exchanges if not one.frozen}
        self._answering |= answered - self._hung
        return said

    def _hangs(self, order: Order) -> bool:
        """Say whether `order` makes a call that has missed its alarms for long already."""
        return not self._hung.isdisjoint(call.endpoint for call in order.individual.calls)


def _told_again(said: Conversation, look: Look) -> Conversation:
    """Return what came of a test that hung, as if it had been executed for this `look`.

    What takes so long counts for no target, so that the calls have covered nothing.
    """
    covered: list[frozenset[TargetId]] = []
    if look is Look.FULL:
        covered = [frozenset()] * len(said.exchanges)
    return replace(said, exchanges=[*said.exchanges], covered=covered)


class WithoutHanging:
    """Executes nothing that has hung, where no process can be forked for it."""

    def __init__(self, here: Performer, hung: Collection[str]) -> None:
        self._here = here
        self._hung = frozenset(hung)

    def retire(self, targets: Sequence[TargetId]) -> None:
        """Stop recording `targets`, except in full executions."""
        self._here.retire(targets)

    def respecialize(self) -> None:
        """Free the application's code of the probes that are silent for good."""
        self._here.respecialize()

    def perform(self, order: Order) -> Conversation:
        """Execute `order`; say nothing of one that may hang."""
        if self._hung.isdisjoint(call.endpoint for call in order.individual.calls):
            return self._here.perform(order)
        return Conversation()
