"""Remembers which simpler values failed in tests that were minimised before.

The tests of an archive descend from one another: ten of them may pay with one card number. In each
of them, forty variants would show that the number cannot change. So a variant that failed in other
tests, and never worked, is not tried again. An exception are the simplest variants, which work in a
test that does not need the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link

LONGEST = 1000
"""Most characters of two remembered values in Python syntax: files are not remembered."""


@dataclass(frozen=True)
class Variant:
    """A simplification of one value, at its place in a request."""

    endpoint: str
    is_act: bool
    """Whether the call under test sends it."""
    location: str
    name: str
    path: Path
    """Path of the value in a document."""
    before: str
    after: str
    """Old and new value in Python syntax."""


@dataclass
class FailedVariants:
    """Results of variants in other tests, whatever else these sent."""

    _failed: set[Variant] = field(default_factory=set)
    _accepted: set[Variant] = field(default_factory=set)

    def note(self, outcomes: Mapping[Variant, bool]) -> None:
        """Remember which variants worked for a test, and which did not."""
        for variant, accepted in outcomes.items():
            (self._accepted if accepted else self._failed).add(variant)

    def __contains__(self, variant: Variant | None) -> bool:
        """Say whether a variant was tried and always failed."""
        return variant in self._failed and variant not in self._accepted


def variant_of(call: Call, is_act: bool, given: Input, simpler: Gene) -> Variant | None:
    """Return the change of an input of `call` to `simpler`, as one differing value.

    None means that the change is not remembered. A link has other values in other tests. Whether a
    part of a document can be removed depends on the test.
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
    """Yield the common parts of two documents with equal keys."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for key, part in before.items():
            yield key, part, after[key]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (part, other) in enumerate(zip(before, after, strict=True)):
            yield place, part, other
