"""Remembers unnecessary inputs of an endpoint's tests, so that other tests lose them at once.

Tests of a slow application have time for a dozen executions each. They may contain nine members of
which one matters, and a header that no test needs. Inputs that some test lost in its simplest form,
and that no test needed, are removed from the next one in a single attempt.
"""

from __future__ import annotations

from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.minimize.pieces import Piece
from pytest_evosearch.minimize.pieces import pieces_of
from pytest_evosearch.minimize.pieces import without_pieces
from pytest_evosearch.problem.http.exchanges.individual import Individual


@dataclass
class SpareInputs:
    """The inputs of tests that were minimised before."""

    _spared: set[Piece] = field(default_factory=set)
    _needed: set[Piece] = field(default_factory=set)

    def note(self, before: Individual, after: Individual, polished: bool) -> None:
        """Remember what a test has lost; the rest is needed when everything was tried."""
        kept = {call.label: call for call in after.calls}
        for call in before.calls:
            if call.label in kept:
                left = set(pieces_of(kept[call.label]))
                self._spared.update(piece for piece in pieces_of(call) if piece not in left)
                self._needed.update(left if polished else ())

    def without(self, individual: Individual) -> Individual:
        """Return a test without everything that other tests did not need."""
        spare = self._spared - self._needed
        return Individual(tuple(without_pieces(call, spare) for call in individual.calls))
