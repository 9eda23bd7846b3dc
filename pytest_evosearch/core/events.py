"""What the engine says while it works: plain values, for every listener.

The engine emits, and never prints.  The terminal, the JSON report and the tests are
consumers that it does not know.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True)
class Event:
    """Anything that the engine has to say."""


@dataclass(frozen=True)
class Notice(Event):
    """One line that the user should read: a fallback that was taken, something left out and why."""

    text: str


@dataclass(frozen=True)
class Discovered(Event):
    """What was found before the search: label (``app``, ``client``, ``source`` ...) to text."""

    findings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Progress(Event):
    """How the search stands; sent after every evaluation, so a consumer thins it out."""

    share: float
    """Share of the whole command that is over, 0 to 1."""
    evaluations: int
    elapsed: float
    """Seconds since the search began."""
    covered: int
    """Targets covered so far."""
    reached: int
    """Targets with a score above 0, covered ones included."""
    known: int
    """Targets that exist as far as is known."""
    faults: int
    left: float | None = None
    """Seconds that are left of the command; None to go by the share."""


@dataclass(frozen=True)
class PhaseStarted(Event):
    """A phase began: ``search``, ``inquire``, ``minimize``, ``write``, ``measure``."""

    name: str
    detail: str = ""
    share: float | None = None
    """Share of the whole command that is over; None when it is not known."""
    left: float = math.inf
    """Seconds that are left of the command, infinite when they are not known."""


@dataclass(frozen=True)
class PhaseProgressed(Event):
    """How the present phase stands; sent often, so a consumer thins it out."""

    detail: str
    """``12 of 38``, ``in a fresh interpreter``."""
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
