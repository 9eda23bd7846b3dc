"""What is special about a request, and how well that is proven.

A name tells first what is proven best.  What is a guess gives way to the message of the answer, and
what was not seen to matter stands in a name only where two tests would have the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from enum import IntEnum


class Evidence(IntEnum):
    """How well it is proven that a test is about something, the best proof last."""

    NONE = 0
    """The plain case: nothing is special."""
    DIFFERS = 1
    """Another test sends something else, and no condition of the code was seen to ask for it."""
    GUESSED = 2
    """Something is wrong, and nothing says that it is this."""
    ALONE = 3
    """It is all that differs from a call with another outcome."""
    DECIDED = 4
    """A condition that only this test brings to a side names it."""
    NAMED = 5
    """The answer, the crash or who was turned away says so."""


@dataclass(frozen=True)
class Condition:
    """What is special about a request; an empty `phrase` is the plain case."""

    phrase: str = ""
    category: str = ""
    """What several conditions have in common: ``missing``, ``invalid``, ``unknown``, ``with``."""
    evidence: Evidence = field(default=Evidence.GUESSED, compare=False)
    says_what: bool = field(default=True, compare=False)
    """Whether it says in which way something is special: ``empty_name``, not ``invalid_name``."""
    decided: tuple[str, ...] = field(default=(), compare=False)
    """Inputs that conditions name which only this test brings to a side."""
    shorter: str = field(default="", compare=False)
    """What two inputs are called together where there is no room for their names."""


PLAIN = Condition(evidence=Evidence.NONE)


def invalid(name: str, evidence: Evidence = Evidence.GUESSED) -> Condition:
    """Return that something is wrong with an input, when it is not known what."""
    return Condition(f"invalid_{name}", "invalid", evidence, says_what=False)
