"""What the code decided in one test and not in the served ones: evidence of which input mattered.

A condition on a line that names an input (``if "title" not in data``), and that only this test
brings to this side, says that the input is what the test is about.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.write.content.builder import SourceOf
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import mentions
from pytest_evosearch.write.content.specimen import Specimen

MOST_DECISIONS = 40
"""Conditions that are read of one test; with more of them it differs in too much."""


def decided_by(specimen: Specimen, others: Sequence[Specimen], source_of: SourceOf) -> str:
    """Return the source of the conditions that only `specimen` brings to a side.

    `others` are tests of the same endpoint; of these only served ones show what is usual.
    """
    usual = [one.covered for one in others if one is not specimen and one.act.status < 400]
    if not usual or not specimen.covered:
        return ""
    own = specimen.covered.difference(*usual)
    sides = sorted(target for target in own if kind_of(target) == BRANCH)
    if len(sides) > MOST_DECISIONS:
        return ""
    return "\n".join(dict.fromkeys(map(source_of, sides)))


def decisive(slots: Sequence[Slot], decided: str) -> list[Slot]:
    """Return the inputs that the conditions name; all of them where they name none."""
    named = [slot for slot in slots if slot[1] and mentions(decided, slot[1])] if decided else []
    return named or list(slots)
