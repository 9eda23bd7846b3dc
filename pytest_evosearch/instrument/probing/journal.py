"""What the probes of a test write into, and what they are armed with."""

from __future__ import annotations

from typing import Any

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.probing.slots import ProbeSlots
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.trace import Sighting
from pytest_evosearch.instrument.transformation.plan import Link

Memory = dict[tuple[Any, ...], tuple[float, list[Comparison]]]

Targets = tuple[TargetId, ...]

Sides = tuple[tuple[Link, ...], tuple[Link, ...]]
"""What a condition that is false covers, and one that is true."""

Setting = tuple[ProbeSlots, str, Any]
"""What a slot is to hold: the arguments of `setattr`, which needs no Python frame."""

Change = tuple[object, str, Any]
"""What a slot or a probe is to hold in another mode: the arguments of `setattr`."""

Hits = tuple[Targets, Targets, Setting]
"""What a hit covers in one mode, what it comes near to, and how the probe is armed."""

Learning = tuple[Sides, tuple[Memory, Memory], Setting]
"""What a condition is to learn in one mode, what it remembers there, and how it is armed."""


class Journal:
    """What the probes write into: the state of the running test, shared by all of them."""

    __slots__ = (
        "asleep",
        "background",
        "comparisons",
        "discarded",
        "full",
        "hinting",
        "measuring",
        "notices",
        "retired",
        "scores",
        "sightings",
        "test",
        "testing",
        "token",
        "watched",
    )

    def __init__(self, level: int, notices: list[str]) -> None:
        self.notices = notices
        self.measuring = level >= 2
        self.discarded = False
        """Whether the running test is thrown away."""
        self.hinting = level >= 3
        self.token: object = object()
        """The mark of what runs for the test."""
        self.test: object = object()
        """The test itself: a probe that knows another one begins anew."""
        self.testing = False
        self.full = False
        self.scores: dict[TargetId, float] = {}
        self.comparisons: list[Comparison] = []
        self.asleep: list[Setting] = []
        """What wakes the probes of this test again before the next."""
        self.background: set[TargetId] = set()
        self.retired: set[TargetId] = set()
        self.watched: frozenset[TargetId] = frozenset()
        """Targets whose conditions tell what they see."""
        self.sightings: list[Sighting] = []
