"""Remembers which simpler values did not do in tests that were minimised before.

The tests of an archive descend from one another: ten of them pay with the same number of a card,
and in each forty variants of it would show that it has to be what it is.  So a variant that failed
in another test, and did in none, is not tried again, unless it is one of the simplest of its
value: these a test accepts that does not need the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link

LONGEST = 1000
"""Characters of two values that are remembered, spelled as Python: files are not."""


@dataclass(frozen=True)
class Variant:
    """One value made simpler, in the place where it is sent."""

    endpoint: str
    is_act: bool
    """Whether the call under test sends it."""
    location: str
    name: str
    path: Path
    """Of the value in a document."""
    before: str
    after: str
    """Both values, spelled as Python."""


@dataclass
class FailedVariants:
    """What became of variants in other tests, whatever these sent besides."""

    _failed: set[Variant] = field(default_factory=set)
    _accepted: set[Variant] = field(default_factory=set)

    def note(self, outcomes: Mapping[Variant, bool]) -> None:
        """Remember which variants did for a test, and which did not."""
        for variant, accepted in outcomes.items():
            (self._accepted if accepted else self._failed).add(variant)

    def __contains__(self, variant: Variant | None) -> bool:
        """Say whether a variant was tried and failed every time."""
        return variant in self._failed and variant not in self._accepted


def variant_of(call: Call, is_act: bool, given: Input, simpler: Gene) -> Variant | None:
    """Name the change of an input of `call` to `simpler`, by the one value that differs.

    None is not remembered: what a link stands for is another value in another test, and whether a
    part of a document may go depends on what the test is for.
    """
    path, before, after = _difference(given.gene.value(), simpler.value(), ())
    if any(isinstance(value, (dict, list, Link)) for value in (before, after)):
        return None
    spelled, spelled_after = repr(before), repr(after)
    if len(spelled) + len(spelled_after) > LONGEST:
        return None
    location = given.location.value
    return Variant(call.endpoint, is_act, location, given.name, path, spelled, spelled_after)


def _difference(before: object, after: object, path: Path) -> tuple[Path, object, object]:
    """Return the innermost values that differ, with their place in the document."""
    different = [
        (key, part, other)
        for key, part, other in _common_parts(before, after)
        if repr(part) != repr(other)
    ]
    if len(different) != 1:
        return path, before, after
    key, part, other = different[0]
    return _difference(part, other, (*path, key))


def _common_parts(before: object, after: object) -> Iterator[tuple[Key, object, object]]:
    """Yield the parts of two documents that have the same ones."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key, part in before.items():
            yield key, part, after[key]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (part, other) in enumerate(zip(before, after, strict=True)):
            yield place, part, other
