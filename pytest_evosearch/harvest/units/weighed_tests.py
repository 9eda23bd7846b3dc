"""What a test of a unit says: the changes of the code that it detects, and what it shows."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import STATUS
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.harvest.units.unit_variants import is_empty
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import size_of

FULL = "a result that is not empty"
BODY = "the body of the tested function"
"""These stand beside the changes that a test detects."""


@dataclass(frozen=True)
class Weighed:
    """A test, and what it says."""

    test: UnitTest
    changes: frozenset[str]
    """The small changes of the code that it detects."""
    result: Result
    covered: frozenset[TargetId]
    is_trivial: bool = False
    """Whether it ends so without the body of the tested function.

    Of a constructor: whether nothing but arguments, defaults and what all objects hold is shown.
    """

    @property
    def is_full(self) -> bool:
        """Say whether the result is not empty."""
        return _is_full(self.result)

    @property
    def said(self) -> frozenset[str]:
        """Return the changes that it detects, whether it needs the body, and is not empty."""
        body = frozenset() if self.is_trivial else frozenset({BODY})
        return self.changes | body | ({FULL} if self.is_full else frozenset())

    @property
    def is_hollow(self) -> bool:
        """Say whether it returns nothing, or something of an object that is made of nothing."""
        if self.result.end is not End.RETURNED:
            return False
        if self.is_trivial:
            return True
        is_small = len(self.test) == 2 and not self.is_full
        return is_small or (is_empty(self.test) and (len(self.test) == 2 or self.is_object))

    @property
    def is_object(self) -> bool:
        """Say whether it makes an object."""
        return len(self.test) == 1 and isinstance(self.result.value, Instance)

    @property
    def is_idle(self) -> bool:
        """Say whether no small change of the code makes the test fail, or no body."""
        return self.result.end is End.RETURNED and (self.is_trivial or not self.changes)

    @property
    def is_case(self) -> bool:
        """Say whether it calls a function, and fails with some small change of the code."""
        return len(self.test) == 1 and not self.is_object and bool(self.changes)

    def says_more_than(self, other: Weighed) -> bool:
        """Say whether it says more than another one, and does not end with an error instead."""
        if self.result.end is End.RAISED and other.result.end is End.RETURNED:
            return False
        difference = len(self.said) - len(other.said)
        is_filled = is_empty(other.test) and not is_empty(self.test)
        shows = is_filled and repr(self.result.value) != repr(other.result.value)
        return difference > 0 or (difference == 0 and shows)

    def parts(self, needed: frozenset[TargetId]) -> frozenset[str]:
        """Return what it says, and covers of what is needed; that nothing came out is nothing."""
        duty = needed & self.covered
        if len(self.test) > 1 and not self.is_full and self.result.end is End.RETURNED:
            duty = frozenset(one for one in duty if kind_of(one) != STATUS)
        return self.said | duty


def weight_of(one: Weighed) -> tuple[int, ...]:
    """Return what puts the test last that says most, and is shortest."""
    return (len(one.said), *(-at for at in size_of(one.test)))


def _is_full(result: Result) -> bool:
    """Say whether a call gives something that is not empty."""
    value = result.value
    if result.end is not End.RETURNED:
        return False
    if isinstance(value, Instance):
        return value.elements is None or bool(value.elements)
    return isinstance(value, bool) or bool(value or result.changed or result.files)
