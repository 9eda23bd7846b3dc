"""Which inputs affect which targets: statistics that guide mutation."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.problem.http.exchanges.endpoint import Location

InputPlace = tuple[str, tuple[Location, str]]
"""An endpoint's key and an input's key."""

MOST_ENTRIES = 20_000
"""Most entries in the table of each focus target; when it is full, it is cleared."""

MOST_PENDING = 64
"""Most mutants with an awaited result: more than a generation holds."""


@dataclass
class _Record:
    tried: int = 0
    moved: float = 0.0

    @property
    def weight(self) -> float:
        """Share of mutations with an effect, optimistic: untried inputs have weight 1."""
        return (1.0 + 2.0 * self.moved) / (1.0 + self.tried)


@dataclass(frozen=True)
class Mutation:
    """How a mutant was made."""

    mutant: object
    focus: TargetId | None
    score: float
    """The best score of the focus target when the mutant was made."""
    place: InputPlace | None
    """The changed input; None for a change of structure."""


class ImpactStatistics:
    """Counts, for each input and focus target, how many mutations changed a score."""

    def __init__(self) -> None:
        self._overall: dict[InputPlace, _Record] = {}
        self._focused: dict[tuple[TargetId, InputPlace], _Record] = {}
        self._structure = _Record()
        self._data = _Record()
        self._pending: list[Mutation] = []

    def weight(self, place: InputPlace, focus: TargetId | None) -> float:
        """Return how much an input deserves the next mutation: above 0, and 1 when unknown."""
        if focus is not None:
            record = self._focused.get((focus, place))
            if record is not None:
                return 0.05 + record.weight
        overall = self._overall.get(place)
        return 0.05 + (1.0 if overall is None else min(1.0, 0.4 + overall.weight))

    @property
    def structure_advantage(self) -> float:
        """Return the gain of structural changes relative to data changes; about 1 at first."""
        structure = (2.0 + self._structure.moved) / (2.0 + self._structure.tried)
        data = (2.0 + self._data.moved) / (2.0 + self._data.tried)
        return structure / data

    def expect(self, mutation: Mutation) -> None:
        """Note a mutant that will be executed soon."""
        if len(self._pending) >= MOST_PENDING:
            del self._pending[: MOST_PENDING // 2]
        self._pending.append(mutation)

    def take(self, mutant: object) -> Mutation | None:
        """Return and forget the mutation that made `mutant`, or None when it was no mutation."""
        pending = self._pending
        for index in range(len(pending) - 1, -1, -1):
            if pending[index].mutant is mutant:
                return pending.pop(index)
        return None

    def record(self, mutation: Mutation, scores: Mapping[TargetId, float], improved: int) -> None:
        """Credit the changed input with the result of its mutation.

        An improvement of any target counts fully. Any change of the focus target's score, up or
        down, shows that the input matters.
        """
        focus = mutation.focus
        moved = 1.0 if improved else 0.0
        kind = self._structure if mutation.place is None else self._data
        kind.tried += 1
        kind.moved += moved
        if mutation.place is None:
            return
        overall = self._overall.setdefault(mutation.place, _Record())
        overall.tried += 1
        overall.moved += moved
        if focus is None:
            return
        if len(self._focused) > MOST_ENTRIES:
            self._focused.clear()
        record = self._focused.setdefault((focus, mutation.place), _Record())
        record.tried += 1
        if scores.get(focus, 0.0) != mutation.score:
            record.moved += 1.0
