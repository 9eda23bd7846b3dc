"""What a call of a unit did, as plain data that leaves the process of the call."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.instrument.probing.trace import Comparison

ITEMS = "__items__"
"""Stands for the attribute of a mapping that has all its keys and values."""


LENGTH, FIRST, LAST = "__lines__", "__first_line__", "__last_line__"
"""Stand for what is told of a long text: how many lines it has, and two of them."""


class End(Enum):
    """How a call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    CUT_OFF = "cut off"
    """It ran into the limit of time, or of elements."""
    UNMADE = "had an argument that could not be made"
    ENDED = "ended the process"
    """It ended its process, or asked to."""


@dataclass(frozen=True)
class Instance:
    """An object that no recipe makes: its class and the attributes that are known."""

    kind: Named
    attributes: tuple[tuple[str, object], ...] = ()
    elements: tuple[object, ...] | None = None
    """What a loop over a sized object gives; None for an object without elements."""
    is_refusal: bool = False
    """Whether it says no instead of raising: an exception that is returned, or a false object."""

    @property
    def is_closed(self) -> bool:
        """Say whether only its class is known."""
        return not self.attributes and self.elements is None and not self.is_refusal


@dataclass(frozen=True)
class Unknown:
    """A value that cannot be described."""

    kind: Named


@dataclass(frozen=True)
class Raised:
    """An exception that left a unit."""

    kind: Named
    message: str
    ancestors: tuple[str, ...] = ()
    """Names of its classes."""
    path: str = ""
    line: int = 0
    """The innermost line of the searched code."""
    is_own: bool = False
    """Whether a ``raise`` statement of the searched code raised it, or its call of `sys.exit`."""


@dataclass(frozen=True)
class Alike:
    """What looks like the value of a call, and is another object."""

    name: str
    """``self``, or an argument."""
    kind: Named | None = None
    """The class of the value, where the other one has another class."""


@dataclass(frozen=True)
class Result:
    """How one call ended, and what it gave or changed."""

    end: End
    value: object = None
    """The description of what was returned."""
    raised: Raised | None = None
    changed: tuple[tuple[str, object], ...] = ()
    """Arguments that look different after the call, by name; ``self`` is the object."""
    printed: str = ""
    passed: tuple[str, ...] = ()
    """Names of arguments whose very object was returned."""
    called: tuple[tuple[str, tuple[object, ...], tuple[tuple[str, object], ...]], ...] = ()
    """Arguments that are functions and were called once, with what: nothing else shows it."""
    alike: Alike | None = None
    """What looks like the value, and is another object."""
    is_listed: bool = False
    """Whether the value has the elements of an iterator, which a test takes by ``list``."""
    taken: int = 0
    """Elements that were taken from an iterator without end; 0 for all."""
    outline: str = ""
    """What a search distinguishes of the value: nothing, truth, emptiness, a sign, an argument."""
    files: tuple[tuple[str, str | None], ...] = ()
    """Files that the test wrote, by relative paths, with their texts; None for one that is long."""


@dataclass(frozen=True)
class Run:
    """The execution of one test."""

    results: Sequence[Result] = ()
    scores: Mapping[TargetId, float] = field(default_factory=dict)
    comparisons: Sequence[Comparison] = ()
    harm: str = ""
    """Why the process was lost, or the test was cut off; its results cannot be used then."""
    leaves: str = ""
    """What the test left in its process, which is replaced; empty when nothing is known."""

    @property
    def last(self) -> Result | None:
        """Return the result of the last call that ran."""
        return self.results[-1] if self.results else None


def parts_of(value: object) -> Iterator[object]:
    """Yield a described value and everything inside it."""
    yield value
    if isinstance(value, Instance):
        for part in (*(part for _name, part in value.attributes), *(value.elements or ())):
            yield from parts_of(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from parts_of(key)
            yield from parts_of(part)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from parts_of(part)


def is_known(value: object) -> bool:
    """Say whether a described value can be compared as a whole."""
    return not any(isinstance(one, (Instance, Unknown)) for one in parts_of(value))
