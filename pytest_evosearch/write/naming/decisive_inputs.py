"""Conditions of the code with a result only in one test: evidence for the inputs that mattered.

A condition may name an input (``if "title" not in data``). When it has its result only in this
test, the test is about this input.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.write.content.builder import SourceOf
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.specimen import Specimen

MOST_DECISIONS = 40
"""Most conditions that are read for one test; with more, it differs in too many ways."""


@dataclass(frozen=True)
class Decisions:
    """The conditions that have a result only in one test."""

    source: str = ""
    """Their source lines."""
    are_known: bool = False
    """Whether there was a test to compare with."""

    def name(self, input_name: str) -> bool:
        """Say whether a condition names an input."""
        return bool(self.source and input_name) and mentions(self.source, input_name)

    def about(self, slots: Sequence[Slot]) -> list[Slot]:
        """Return the inputs that the conditions name."""
        return [slot for slot in slots if self.name(slot[1])]


UNKNOWN = Decisions()
"""The decisions when nothing was measured."""


def decided_by(specimen: Specimen, others: Sequence[Specimen], source_of: SourceOf) -> Decisions:
    """Return the conditions that have a result only in `specimen`.

    `others` are tests of the endpoint; only successful ones show what is usual.
    """
    usual = [one.covered for one in others if one is not specimen and one.act.status < 400]
    if not usual or not specimen.covered:
        return UNKNOWN
    own = specimen.covered.difference(*usual)
    sides = sorted(target for target in own if kind_of(target) == BRANCH)
    if len(sides) > MOST_DECISIONS:
        return UNKNOWN
    return Decisions("\n".join(dict.fromkeys(map(source_of, sides))), are_known=True)
