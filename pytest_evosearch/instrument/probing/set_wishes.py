"""What sets should contain for the opposite outcome of a condition about them.

roles & {"admin", "owner"}    a member of one side should be on the other side
needed - roles                all missing members should be on the other side
needed.issubset(roles)        is the same as ``needed <= roles``
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from pytest_evosearch.instrument.distances import distance

SET_OPERATIONS = {"&": operator.and_, "-": operator.sub}
"""Operations whose result is often asked for its truth alone."""

SETS = frozenset({set, frozenset, type({}.keys())})

MOST_MEMBERS = 4
"""Most members of one side that are each reported as wanted on the other side."""

LARGEST = 64

Wish = tuple[str, Any, Any]


def is_set(value: Any) -> bool:
    """Say whether a value is a set of the language's own."""
    return type(value) in SETS


def set_wishes(operate: Callable[[Any, Any], Any], left: Any, right: Any) -> list[Wish]:
    """Return relations between members that would make sets share them, or one hold the other.

    Where all that is missing is wanted, it is told as one tuple.
    """
    ours, theirs = distance.members(left, LARGEST), distance.members(right, LARGEST)
    if operate is operator.and_:
        pairs = [*((one, theirs) for one in ours), *((one, ours) for one in theirs)]
        return [("in", one, others) for one, others in pairs[:MOST_MEMBERS] if others]
    is_outer = operate in (operator.ge, operator.gt)
    inner, outer = (theirs, ours) if is_outer else (ours, theirs)
    missing = tuple(one for one in inner if one not in outer)
    return [("<=", missing, outer)] if missing else []
