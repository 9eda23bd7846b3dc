"""The outcome of a run: everything that a rendering may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.targets import TargetId


class ExitReason(Enum):
    """Why the search ended; the value is the sentence for the user."""

    BUDGET = "the budget is spent"
    COVERED = "everything known is covered"
    STALLED = "nothing has moved for long"
    FAULTS = "the number of faults asked for was found"
    INTERRUPTED = "interrupted"
    PLAN = "only the plan was asked for"
    FAILED = "the search failed"


@dataclass(frozen=True)
class FaultRow:
    """One distinct fault."""

    code: str
    endpoint: str
    kind: str
    position: str
    message: str
    test: str | None = None
    """``file::test`` that shows it, None when none could be kept."""


@dataclass(frozen=True)
class EndpointRow:
    """What is known of one endpoint after the run."""

    key: str
    statuses: tuple[int, ...]
    """Statuses seen, sorted."""
    calls: int
    parameters: int
    parameter_names: tuple[str, ...] = ()
    """What ``--collect-only`` lists: ``id``, ``page``."""


@dataclass(frozen=True)
class UncoveredRow:
    """One target that was not covered."""

    target: TargetId
    score: float
    reason: str


@dataclass(frozen=True)
class DroppedRow:
    """One test that was not written or not kept."""

    name: str
    reason: str


@dataclass(frozen=True)
class MeasuredCoverage:
    """coverage.py's reading of the written suite on the application's own files."""

    covered_lines: int
    total_lines: int
    covered_branches: int
    total_branches: int


@dataclass(frozen=True)
class Outcome:
    """A finished run."""

    reason: ExitReason
    seed: int
    evaluations: int = 0
    requests: int = 0
    seconds: float = 0.0
    covered_targets: int = 0
    reached_targets: int = 0
    known_targets: int = 0
    endpoints: tuple[EndpointRow, ...] = ()
    faults: tuple[FaultRow, ...] = ()
    files: tuple[str, ...] = ()
    """Written modules, relative to the root folder."""
    tests: int = 0
    """Tests that were written and kept."""
    dropped: tuple[DroppedRow, ...] = ()
    uncovered: tuple[UncoveredRow, ...] = ()
    coverage: MeasuredCoverage | None = None
    unverified: tuple[str, ...] = ()
    """Tests that fail their own verification (only when they could not be repaired or dropped)."""
    notices: tuple[str, ...] = ()
    findings: Mapping[str, str] = field(default_factory=dict)
    """Rows of the discovery block."""
    reproduce: str = ""
    timeline: tuple[tuple[float, int, int], ...] = ()
    """Seconds, evaluations and covered targets, one point for each improvement."""
