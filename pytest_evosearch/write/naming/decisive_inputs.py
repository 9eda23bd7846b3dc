"""What the code decided in one test and not in the served ones: evidence of which input mattered.

A condition on a line that names an input (``if "title" not in data``), and that only this test
brings to this side, says that the input is what the test is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.write.content.builder import SourceOf
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.specimen import Specimen

MOST_DECISIONS = 40
"""Conditions that are read of one test; with more of them it differs in too much."""


@dataclass(frozen=True)
class Decisions:
    """The conditions that only one test brings to a side."""

    source: str = ""
    """Their lines."""
    are_known: bool = False
    """Whether there was something to compare with."""

    def name(self, input_name: str) -> bool:
        """Say whether a condition names an input."""
        return bool(self.source and input_name) and mentions(self.source, input_name)

    def about(self, slots: Sequence[Slot]) -> list[Slot]:
        """Return the inputs that the conditions name."""
        return [slot for slot in slots if self.name(slot[1])]


UNKNOWN = Decisions()
"""Nothing was measured."""


def decided_by(specimen: Specimen, others: Sequence[Specimen], source_of: SourceOf) -> Decisions:
    """Return the conditions that only `specimen` brings to a side.

    `others` are tests of the same endpoint; of these only served ones show what is usual.
    """
    usual = [one.covered for one in others if one is not specimen and one.act.status < 400]
    if not usual or not specimen.covered:
        return UNKNOWN
    own = specimen.covered.difference(*usual)
    sides = sorted(target for target in own if kind_of(target) == BRANCH)
    if len(sides) > MOST_DECISIONS:
        return UNKNOWN
    return Decisions("\n".join(dict.fromkeys(map(source_of, sides))), are_known=True)
