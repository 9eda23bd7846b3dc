"""What the engine reports while it works: plain values that any consumer can read.

The engine emits events and never prints.  The terminal, the JSON report and the tests consume them;
the engine knows none of these consumers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """Anything that the engine reports."""


@dataclass(frozen=True)
class Notice(Event):
    """One line for the user: which fallback was taken, or what was left out and why."""

    text: str


@dataclass(frozen=True)
class Discovered(Event):
    """What was found before the search: a text for each label (``app``, ``client``, ...)."""

    findings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress(Event):
    """State of the search, sent after every evaluation; a consumer shows only some of them."""

    share: float
    """Share of the whole command that is done, from 0 to 1."""
    evaluations: int
    elapsed: float
    """Seconds since the search began."""
    covered: int
    """Targets covered so far."""
    reached: int
    """Targets with a score above 0; covered targets are included."""
    known: int
    """Targets that are known to exist."""
    faults: int
    left: float | None = None
    """Seconds that are left for the command; None where only the share is known."""


@dataclass(frozen=True)
class PhaseStarted(Event):
    """A phase began: ``search``, ``inquire``, ``minimize``, ``write``, ``measure``."""

    name: str
    detail: str = ""
    share: float | None = None
    """Share of the whole command that is done, from 0 to 1; None when it is not known."""
    left: float = math.inf
    """Seconds that are left for the command; infinite when they are not known."""


@dataclass(frozen=True)
class PhaseProgressed(Event):
    """State of the present phase, sent often; a consumer shows only some of them."""

    detail: str
    """How far the phase is: ``12 of 38``, or what it does: ``in a fresh interpreter``."""
    share: float | None = None
    left: float = math.inf


@dataclass(frozen=True)
class FaultFound(Event):
    """A fault that was not known before."""

    endpoint: str
    kind: str
    position: str
    message: str


Sink = Callable[[Event], None]
"""A consumer of events."""
