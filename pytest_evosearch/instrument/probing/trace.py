"""What the probes of one test recorded."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from pytest_evosearch.core.targets import TargetId


class Comparison(NamedTuple):
    """One condition that went one way, with what would have turned it the other way.

    For input-to-state search: when `observed` equals (a form of) a value that the test
    sent, sending `wanted` instead is worth a try.
    """

    target: TargetId
    """The side that was not taken."""
    relation: str
    """``==``, ``<``, ``in``, ``startswith``, ``endswith``, ``match``, ``parse`` and so on."""
    observed: object
    wanted: object
    """The other operand; for ``in`` a tuple of members; for ``match`` the pattern's text; for
    ``parse`` the name of the conversion (``int``, ``date.fromisoformat`` ...)."""


class Sighting(NamedTuple):
    """What a condition decided about, in words that hold nothing of the application alive."""

    target: TargetId
    """The side that was not taken."""
    kind: str
    """``comparison``, ``range``, ``truth``, ``predicate``, ``conversion`` or ``lookup``."""
    operation: str
    """``<``, ``<= <``, ``startswith``, ``int`` ...; empty for a truth value."""
    values: tuple[str, ...]
    """Its operands, as `core.shown` writes them."""


class Trace(NamedTuple):
    """The recording of one test: every live target that it touched, and what it compared."""

    scores: Mapping[TargetId, float] = MappingProxyType({})
    comparisons: Sequence[Comparison] = ()
    sightings: Sequence[Sighting] = ()
    """What the conditions in focus saw, in order."""

    def score(self, target: TargetId) -> float:
        """Return the score of `target`, 0 when it was not reached (or is retired)."""
        return self.scores.get(target, 0.0)
