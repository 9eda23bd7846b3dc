"""The outcome of a run: everything that a rendering may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.report.plain_text import counted


class ExitReason(Enum):
    """Why the search ended; the value is the sentence for the user."""

    BUDGET = "the budget is spent"
    COVERED = "everything known is covered"
    STALLED = "no progress for a long time"
    FAULTS = "the requested number of faults was found"
    INTERRUPTED = "interrupted"
    PLAN = "only the plan was requested"
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
    traceback: str = ""
    """Of the crash, as Python prints it; empty when there was none."""
    curl: str = ""
    """Shell lines that send the same requests to a running server."""
    user: str | None = None
    """Name of the user that the failing call needs; None is anonymous."""
    explanation: str = ""
    """What is wrong, in the words of the oracle that found it; empty when it has none."""
    way: str = ""
    """The functions that led to a crash; empty for what is a fault of the endpoint as a whole."""
    elsewhere: tuple[str, ...] = ()
    """Other endpoints that showed the very fault, sorted."""
    is_minor: bool = False
    """It is of lower rank: no failure of a call, and no reason to fail a run."""
    untested: str = ""
    """Why no test shows it; empty when one does."""
    needs_data: bool = False
    """Its test puts rows into tables that no endpoint makes."""

    @property
    def shown_endpoint(self) -> str:
        """``GET /a``, or ``GET /a and 3 more endpoints``."""
        more = len(self.elsewhere)
        return f"{self.endpoint} and {counted(more, 'more endpoint')}" if more else self.endpoint

    @property
    def test_note(self) -> str:
        """``shown by tests/test_a.py::test_b``, or why no test shows it; perhaps empty."""
        if self.test is not None:
            return f"shown by {self.test}"
        return f"no test could be kept because {self.untested}" if self.untested else ""

    @property
    def request(self) -> str:
        """The last of the requests that show it, as a shell command; empty when unknown."""
        return self.curl.rpartition("\n")[2]

    @property
    def file(self) -> str:
        """The source file of `position`, relative with forward slashes; empty when unknown."""
        path, colon, line = self.position.rpartition(":")
        return path if colon and line.isdigit() else ""

    @property
    def line(self) -> int:
        """The line of `position`; 0 when unknown."""
        return int(self.position.rpartition(":")[2]) if self.file else 0


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
    answers: Mapping[int, int] = field(default_factory=dict)
    """How often the run saw each status."""


@dataclass(frozen=True)
class UncoveredRow:
    """One target that was not covered."""

    target: TargetId
    score: float
    reason: str
    kind: str = ""
    """Word for the reason, as `report.reasons.Kind` has it; groups rows."""
    nearest: str = ""
    """The closest miss: what the condition saw, and the calls that came that close."""
    condition: str = ""
    """The source line of the condition that it hangs on."""


@dataclass(frozen=True)
class BranchSide:
    """One side of a condition."""

    target: TargetId
    label: str
    """``true``, ``false``, ``entered``, ``exhausted``, ``except``, ``case 2`` ..."""
    score: float
    """Best score in [0, 1]; 1 is covered, 0 never evaluated."""
    ordinal: int = 1
    """Which condition of its line."""


@dataclass(frozen=True)
class SourceLine:
    """One line of source that the search knows something of."""

    number: int
    covered: bool | None
    """Whether its statement ran; None when no statement starts here."""
    imported: bool = False
    """It ran while the application was loaded, where no test can take the credit."""
    sides: tuple[BranchSide, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """An instrumented source file as the search left it."""

    path: str
    """As targets name it: relative, forward slashes."""
    text: str
    """The whole source; empty when it cannot be read any more."""
    lines: tuple[SourceLine, ...] = ()
    """Lines with targets, ascending."""


@dataclass(frozen=True)
class Answer:
    """One call of a written test and the status that it was answered with."""

    endpoint: str
    status: int
    """0 when the call did not end."""


@dataclass(frozen=True)
class GeneratedRow:
    """One written test function."""

    name: str
    """``tests/evosearch/test_evosearch_users.py::test_x``."""
    source: str = ""
    """Its text; empty when the module cannot be read any more."""
    first_line: int = 0
    last_line: int = 0
    answers: tuple[Answer, ...] = ()
    """What it calls, in order; all rows of a parametrised test."""
    covered: int = 0
    """Number of targets that it covers."""
    only: tuple[TargetId, ...] = ()
    """Targets that no other written test covers, sorted."""
    shows_fault: bool = False

    @property
    def file(self) -> str:
        """The module that it stands in."""
        return self.name.partition("::")[0]

    @property
    def function(self) -> str:
        """Its name without the module."""
        return self.name.partition("::")[2]


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
class MutantRow:
    """One small change of the application that no written test notices."""

    file: str
    """Relative to the root folder where it lies below, forward slashes."""
    line: int
    function: str
    """Qualified name of the changed function."""
    operator: str
    """mutmut's name for the kind of change: ``arg_removal``."""
    diff: str
    """The changed lines, as a unified diff without header."""
    is_reached: bool = True
    """Whether any written test runs the changed statement."""


@dataclass(frozen=True)
class MutationScore:
    """How many of a sample of mutants fail a written test."""

    mutants: int
    killed: int
    """Mutants with which a test fails, those that made it endless included."""
    timed_out: int = 0
    """Killed mutants with which a test did not end."""
    survivors: tuple[MutantRow, ...] = ()


@dataclass(frozen=True)
class Discovery:
    """What was found before the search, and what of it was left out."""

    endpoints: tuple[EndpointRow, ...] = ()
    skipped: tuple[DroppedRow, ...] = ()
    """What the run did not look at or did not let happen: endpoints, attempts of the sandbox."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Rows of the discovery block."""


@dataclass(frozen=True)
class Effort:
    """What the search took."""

    evaluations: int = 0
    requests: int = 0
    """Sent by the search and the questions after it; minimising and verifying not counted."""
    seconds: float = 0.0
    timeline: tuple[tuple[float, int, int], ...] = ()
    """Seconds, evaluations and covered targets, one point for each improvement."""


@dataclass(frozen=True)
class TargetSummary:
    """How far the search came with its targets."""

    covered: int = 0
    reached: int = 0
    known: int = 0
    uncovered: tuple[UncoveredRow, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    """Instrumented source files, by path; () in a black box."""


@dataclass(frozen=True)
class SuiteSummary:
    """What was written, and what it is worth."""

    files: tuple[str, ...] = ()
    """Written modules, relative to the root folder."""
    tests: int = 0
    """Tests that were written and kept."""
    generated: tuple[GeneratedRow, ...] = ()
    """Written tests, by name."""
    dropped: tuple[DroppedRow, ...] = ()
    unverified: tuple[str, ...] = ()
    """Tests that fail their own verification (only when they could not be repaired or dropped)."""
    extent: str = ""
    """How far the tests were verified; empty where all were in all circumstances."""
    coverage: MeasuredCoverage | None = None
    mutation: MutationScore | None = None
    """None when it was not asked for or could not be measured."""


@dataclass(frozen=True)
class Outcome:
    """A finished run."""

    reason: ExitReason
    seed: int
    algorithm: str = ""
    reproduce: str = ""
    report: str = ""
    """The HTML page as the terminal shows it; empty when none was written."""
    faults: tuple[FaultRow, ...] = ()
    notices: tuple[str, ...] = ()
    shut_out: str = ""
    """That no one was let in, and what was compared last; empty where a caller was."""
    discovery: Discovery = Discovery()
    effort: Effort = Effort()
    targets: TargetSummary = TargetSummary()
    suite: SuiteSummary = SuiteSummary()

    @property
    def tests(self) -> int:
        """The number of tests that were written and kept."""
        return self.suite.tests

    @property
    def major_faults(self) -> tuple[FaultRow, ...]:
        """The faults without those of lower rank."""
        return tuple(fault for fault in self.faults if not fault.is_minor)

    @property
    def minor_faults(self) -> tuple[FaultRow, ...]:
        """The faults of lower rank."""
        return tuple(fault for fault in self.faults if fault.is_minor)
