"""The outcome of a run: everything that a report may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.report.page_visits import WalkSummary
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


WANT_OF_TIME = "there was no time"
"""Beginning of the reasons why a test is not written that a longer run does not have."""


@dataclass(frozen=True)
class FaultRow:
    """One distinct fault."""

    code: str
    endpoint: str
    kind: str
    position: str
    message: str
    test: str | None = None
    """``file::test`` that shows it; None when no test could be kept."""
    traceback: str = ""
    """The traceback of the crash, as Python prints it; empty without a crash."""
    curl: str = ""
    """Shell commands that send the requests to a running server."""
    user: str | None = None
    """Name of the user whom the failing call needs; None for an anonymous call."""
    explanation: str = ""
    """What is wrong, in the words of the oracle; empty when the oracle gives none."""
    way: str = ""
    """The functions on the way to a crash; empty for a fault of the whole endpoint."""
    elsewhere: tuple[str, ...] = ()
    """Other endpoints that showed this fault, sorted."""
    is_minor: bool = False
    """Whether the fault is of lower rank: no call failed, and it is no reason to fail a run."""
    untested: str = ""
    """Why no test shows it; empty when a test does."""
    needs_data: bool = False
    """Whether its test puts rows into tables that no endpoint creates."""

    @property
    def is_late(self) -> bool:
        """Say whether there was only no time for its test: the next run begins with it."""
        return self.untested.startswith(WANT_OF_TIME)

    @property
    def shown_endpoint(self) -> str:
        """Return the endpoint and how many others: ``GET /a``, ``GET /a and 3 more endpoints``."""
        more = len(self.elsewhere)
        return f"{self.endpoint} and {counted(more, 'more endpoint')}" if more else self.endpoint

    @property
    def test_note(self) -> str:
        """Return ``shown by tests/test_a.py::test_b``, or why no test shows it; may be empty."""
        if self.test is not None:
            return f"shown by {self.test}"
        return f"no test could be kept because {self.untested}" if self.untested else ""

    @property
    def request(self) -> str:
        """Return the last request that shows it, as a shell command; empty when unknown."""
        return self.curl.rpartition("\n")[2]

    @property
    def file(self) -> str:
        """Return the source file of `position`, with forward slashes; empty when unknown."""
        path, colon, line = self.position.rpartition(":")
        return path if colon and line.isdigit() else ""

    @property
    def line(self) -> int:
        """Return the line of `position`; 0 when unknown."""
        return int(self.position.rpartition(":")[2]) if self.file else 0


@dataclass(frozen=True)
class EndpointRow:
    """What is known about one endpoint after the run."""

    key: str
    statuses: tuple[int, ...]
    """Statuses that the run saw, sorted."""
    calls: int
    parameters: int
    parameter_names: tuple[str, ...] = ()
    """Names that ``--collect-only`` lists: ``id``, ``page``."""
    answers: Mapping[int, int] = field(default_factory=dict)
    """Status -> how often the run saw it."""


@dataclass(frozen=True)
class UncoveredRow:
    """One target that was not covered."""

    target: TargetId
    score: float
    reason: str
    kind: str = ""
    """The kind of its reason, as in `report.reason_kinds.Kind`; rows are grouped by it."""
    nearest: str = ""
    """The closest attempt: what the condition saw, and the calls of this test."""
    condition: str = ""
    """The source line of the condition on which it depends."""


@dataclass(frozen=True)
class BranchSide:
    """One side of a condition."""

    target: TargetId
    label: str
    """``true``, ``false``, ``entered``, ``exhausted``, ``except``, ``case 2`` ..."""
    score: float
    """Best score in [0, 1]: 1 is covered, 0 is never evaluated."""
    ordinal: int = 1
    """Number of the condition on its line, from 1."""


@dataclass(frozen=True)
class SourceLine:
    """One line of source that has targets."""

    number: int
    covered: bool | None
    """Whether its statement ran; None when no statement starts here."""
    imported: bool = False
    """Whether it ran only while the application was loaded, outside of any test."""
    sides: tuple[BranchSide, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """An instrumented source file at the end of the search."""

    path: str
    """The path as targets name it: relative, forward slashes."""
    text: str
    """The whole source; empty when it can no longer be read."""
    lines: tuple[SourceLine, ...] = ()
    """Lines with targets, in ascending order."""


@dataclass(frozen=True)
class Answer:
    """One call of a written test and the status of its response."""

    endpoint: str
    status: int
    """The status; 0 when the call did not end."""


@dataclass(frozen=True)
class GeneratedRow:
    """One written test function."""

    name: str
    """File and function: ``tests/evosearch/test_evosearch_users.py::test_x``."""
    source: str = ""
    """Its text; empty when the module can no longer be read."""
    first_line: int = 0
    last_line: int = 0
    answers: tuple[Answer, ...] = ()
    """Its calls in order, in all rows of a parametrised test."""
    covered: int = 0
    """Number of targets that it covers."""
    only: tuple[TargetId, ...] = ()
    """Targets that no other written test covers, sorted."""
    shows_fault: bool = False
    units: tuple[Mapping[str, object], ...] = ()
    """Calls without HTTP and their results, one for each row, as plain values."""
    causes: tuple[Mapping[str, object], ...] = ()
    """The parts of requests that are proven to decide about their answers, as plain values."""

    @property
    def file(self) -> str:
        """Return the module that contains it."""
        return self.name.partition("::")[0]

    @property
    def function(self) -> str:
        """Return its name without the module."""
        return self.name.partition("::")[2]


@dataclass(frozen=True)
class DroppedRow:
    """One test that was not written, or not kept."""

    name: str
    reason: str


@dataclass(frozen=True)
class MeasuredCoverage:
    """Coverage of the application's own files by the written suite, as coverage.py measures it."""

    covered_lines: int
    total_lines: int
    covered_branches: int
    total_branches: int


@dataclass(frozen=True)
class MutantRow:
    """One small change of the application that no written test detects."""

    file: str
    """Relative to the root folder if it is below it; with forward slashes."""
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
    """How many mutants of a sample fail a written test."""

    mutants: int
    killed: int
    """Number of mutants with which a test fails, or does not end."""
    timed_out: int = 0
    """Number of killed mutants with which a test did not end."""
    survivors: tuple[MutantRow, ...] = ()


@dataclass(frozen=True)
class Discovery:
    """What was found before the search, and what was left out."""

    endpoints: tuple[EndpointRow, ...] = ()
    skipped: tuple[DroppedRow, ...] = ()
    """What the run ignored or prevented: endpoints, attempts that the sandbox blocked."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Rows of the discovery block."""
    noun: str = "endpoint"
    """What the rows are: ``unit`` for functions and classes that are called without HTTP."""


@dataclass(frozen=True)
class Effort:
    """The time and the requests of the search."""

    evaluations: int = 0
    requests: int = 0
    """Requests of the search and of the questions after it, without minimising and verifying."""
    seconds: float = 0.0
    timeline: tuple[tuple[float, int, int], ...] = ()
    """Seconds, evaluations and covered targets, one point for each improvement."""
    tracebacks: tuple[str, ...] = ()
    """Errors of this plugin that cost the run a part, in full."""
    walks: WalkSummary = WalkSummary()
    browser: BrowserSummary | None = None
    """None where no browser was asked for."""


@dataclass(frozen=True)
class TargetSummary:
    """The targets at the end of the search."""

    covered: int = 0
    reached: int = 0
    known: int = 0
    uncovered: tuple[UncoveredRow, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    """Instrumented source files, sorted by path; () in a black box."""


@dataclass(frozen=True)
class SuiteSummary:
    """What was written, and how good it is."""

    files: tuple[str, ...] = ()
    """Written modules, relative to the root folder."""
    tests: int = 0
    """Number of tests that were written and kept."""
    generated: tuple[GeneratedRow, ...] = ()
    """Written tests, by name."""
    dropped: tuple[DroppedRow, ...] = ()
    unverified: tuple[str, ...] = ()
    """Tests that fail their own verification, and could be neither repaired nor dropped."""
    extent: str = ""
    """How far the tests were verified; empty where all were verified in all circumstances."""
    coverage: MeasuredCoverage | None = None
    mutation: MutationScore | None = None
    """The mutation score; None when it was not requested or could not be measured."""


@dataclass(frozen=True)
class Outcome:
    """A finished run."""

    reason: ExitReason
    seed: int
    algorithm: str = ""
    reproduce: str = ""
    report: str = ""
    """The path of the HTML page, as the terminal shows it; empty without a page."""
    faults: tuple[FaultRow, ...] = ()
    notices: tuple[str, ...] = ()
    shut_out: str = ""
    """A text when no caller was let in, with what was compared last; empty otherwise."""
    discovery: Discovery = Discovery()
    effort: Effort = Effort()
    targets: TargetSummary = TargetSummary()
    suite: SuiteSummary = SuiteSummary()

    @property
    def tests(self) -> int:
        """Return the number of tests that were written and kept."""
        return self.suite.tests

    @property
    def kept_nothing(self) -> bool:
        """Say whether no test could be kept of those that were found."""
        return not self.suite.tests and bool(self.suite.dropped)

    @property
    def major_faults(self) -> tuple[FaultRow, ...]:
        """Return the faults without those of lower rank."""
        return tuple(fault for fault in self.faults if not fault.is_minor)

    @property
    def minor_faults(self) -> tuple[FaultRow, ...]:
        """Return the faults of lower rank."""
        return tuple(fault for fault in self.faults if fault.is_minor)
