"""Executes in processes of their own what may not come back, and everything else here.

Once a call has hung in C, each endpoint is asked in a forked process first; one that has answered
there is asked here from then on, at twenty times the speed, but for those that are known to hang.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.conversation import Conversation
from pytest_evosearch.execution.conversation import Order
from pytest_evosearch.execution.conversation import Performer


class SeparatePerformer:
    """Chooses where an order is executed."""

    def __init__(self, here: Performer, forks: Performer, hung: Collection[str]) -> None:
        self._here = here
        self._forks = forks
        self._hung = frozenset(hung)
        self._answering: set[str] = set()

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
        said = self._forks.perform(order)
        answered = {one.request.endpoint for one in said.exchanges if not one.frozen}
        self._answering |= answered - self._hung
        return said


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
