"""What is special about a request, and the strength of its evidence.

A name prefers the best proven condition. A message of the response is better than a guess. A
condition without proof of its effect is only used where two tests would have one name.
"""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum

from pytest_evosearch.core.quick_dataclasses import dataclass


class Evidence(IntEnum):
    """The strength of evidence for a test's condition; the strongest is last."""

    NONE = 0
    """The plain case: nothing is special."""
    DIFFERS = 1
    """Another test sends something else, but no known condition of the code depends on it."""
    GUESSED = 2
    """Something is wrong, but there is no proof that it is this."""
    ALONE = 3
    """It is the only difference from a call with another result."""
    DECIDED = 4
    """A condition of the code that has its result only in this test names it."""
    NAMED = 5
    """The response, the crash, or the refused caller shows it."""


@dataclass(frozen=True)
class Condition:
    """What is special about a request; an empty `phrase` means an ordinary one."""

    phrase: str = ""
    category: str = ""
    """Common category of conditions: ``missing``, ``invalid``, ``unknown``, ``with``."""
    evidence: Evidence = field(default=Evidence.GUESSED, compare=False)
    says_what: bool = field(default=True, compare=False)
    """Whether it says how an input is special: ``empty_name``, unlike ``invalid_name``."""
    decided: tuple[str, ...] = field(default=(), compare=False)
    """Inputs in those conditions of the code that have their result only in this test."""
    shorter: str = field(default="", compare=False)
    """Common phrase for two inputs, for when their names do not fit."""


PLAIN = Condition(evidence=Evidence.NONE)


def invalid(name: str, evidence: Evidence = Evidence.GUESSED) -> Condition:
    """Return the condition that an input is wrong in an unknown way."""
    return Condition(f"invalid_{name}", "invalid", evidence, says_what=False)
