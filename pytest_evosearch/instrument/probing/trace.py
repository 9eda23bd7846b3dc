"""The recordings of the probes for one test."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from pytest_evosearch.core.targets import TargetId


class Comparison(NamedTuple):
    """One evaluated condition, with a value that would change its outcome.

    It serves input-to-state search: when `observed` equals (a form of) a sent value, `wanted` is
    worth sending instead.
    """

    target: TargetId
    """The side that was not taken."""
    relation: str
    """``==``, ``<``, ``in``, ``startswith``, ``endswith``, ``match``, ``parse`` and so on."""
    observed: object
    wanted: object
    """The other operand.

    For ``in`` a tuple of members; for ``match`` the pattern's text; for ``parse`` the name of the
    conversion (``int``, ``date.fromisoformat`` ...).
    """


class Sighting(NamedTuple):
    """The values of a condition as texts, which keep no objects of the application alive."""

    target: TargetId
    """The side that was not taken."""
    kind: str
    """``comparison``, ``range``, ``truth``, ``predicate``, ``conversion`` or ``lookup``."""
    operation: str
    """``<``, ``<= <``, ``startswith``, ``int`` ...; empty for a truth value."""
    values: tuple[str, ...]
    """The operands, in the form of `core.shown`."""


class Trace(NamedTuple):
    """The recording of one test: every live target that it touched, and its comparisons."""

    scores: Mapping[TargetId, float] = MappingProxyType({})
    comparisons: Sequence[Comparison] = ()
    sightings: Sequence[Sighting] = ()
    """The values of the conditions in focus, in order."""

    def score(self, target: TargetId) -> float:
        """Return the score of `target`, 0 when it was not reached or is retired."""
        return self.scores.get(target, 0.0)
