"""What one phase after the search passes to the next."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.events import Event
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.events import PhaseProgressed
from pytest_evosearch.core.events import PhaseStarted
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.beside.early_findings import EarlyFindings
from pytest_evosearch.engine.evidence import Replays
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.fork_fallback import LastResort
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.phases.confirmation import Confirmation
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.written_suite import WrittenSuite

CUT_SHORT = (ExitReason.INTERRUPTED, ExitReason.FAILED, ExitReason.FAULTS)
"""Ends of a search after which no checks run: the user wants to stop, or something is broken."""


@dataclass(frozen=True)
class RunContext:
    """What every phase of a run may use."""

    settings: Settings
    host: Host
    extensions: Extensions
    safe: Safekeeping | None
    timetable: Timetable
    emit: Callable[[Event], None]
    early: EarlyFindings = field(default_factory=EarlyFindings)
    """What is already minimised and verified."""
    postpone: Callable[[Sequence[Individual]], None] = lambda _tests: None
    """Keeps tests for the next run."""

    def begin(self, phase: str) -> None:
        """Report that a phase begins, and how far the command is."""
        self.timetable.predict_end(phase)
        self.emit(PhaseStarted(phase, "", self.timetable.share, self.timetable.left))

    def report(self, detail: str) -> None:
        """Report how far the phase is."""
        self.emit(PhaseProgressed(detail, self.timetable.share, self.timetable.left))

    def notify(self, line: str) -> None:
        """Show a line to the user."""
        self.emit(Notice(line))


@dataclass
class Written:
    """The results of the writing phase."""

    process: PytestProcess
    suite: WrittenSuite
    coverage: SuiteCoverage | None
    replayed: Replays


@dataclass
class Found:
    """What a search has found, and what later phases make of it."""

    context: RunContext
    ready: Prepared
    loop: SearchLoop
    resort: LastResort
    reason: ExitReason
    outcome: Outcome
    held: ExitStack = field(default_factory=ExitStack)
    """Contexts that are closed after the last phase, before the reports."""
    confirmation: Confirmation | None = None
    """The results for the freezes that the search has seen."""
    disagreements: Sequence[str] = ()
    """Places where the state did not come back during the search."""
    harvest: Harvest | None = None
    specimens: Sequence[Specimen] = ()
    written: Written | None = None

    @property
    def is_cut_short(self) -> bool:
        """Return whether the search ended so that no more checks run."""
        return self.reason in CUT_SHORT

    @property
    def is_interrupted(self) -> bool:
        """Return whether the user is waiting for the end."""
        return self.reason is ExitReason.INTERRUPTED

    def add_notices(self, *notices: str) -> None:
        """Add lines to the outcome."""
        self.outcome = replace(self.outcome, notices=(*self.outcome.notices, *notices))
