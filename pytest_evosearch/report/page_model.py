"""The values that the page shows, ready for its templates, which contain no arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from http import HTTPStatus

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import subject_of
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MutantRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import UncoveredRow
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.report.reason_kinds import TITLES
from pytest_evosearch.report.source_views import LineLinks
from pytest_evosearch.report.source_views import shown_sources
from pytest_evosearch.report.terminal_lines import duration
from pytest_evosearch.report.terminal_lines import percentage

HEAT_LEVELS = (1, 10, 100, 1000)
"""Numbers of responses from which a cell of the heat map gets a stronger shade."""


@dataclass(frozen=True)
class Tile:
    """One number of the overview."""

    label: str
    value: str
    note: str = ""
    share: float | None = None
    """Share that is drawn as a bar, 0 to 1; None for no bar."""
    tone: str = "plain"
    """``good``, ``bad`` or ``plain``."""
    link: str = ""


def verdict(outcome: Outcome) -> str:
    """Return the outcome of the run in one sentence."""
    tests = counted(outcome.tests, "test")
    coverage = outcome.suite.coverage
    if coverage is not None and coverage.total_lines:
        share = coverage.covered_lines / coverage.total_lines
        tests += f" written, covering {percentage(share)} of the lines"
    else:
        tests += " written"
    major = len(outcome.major_faults)
    faults = counted(major, "fault") if major else "no fault"
    return f"{tests}; {faults} found."


def tiles(outcome: Outcome) -> list[Tile]:
    """Return the numbers of the overview, the most important first."""
    faults, reached = (
        len(outcome.major_faults),
        sum(1 for row in outcome.discovery.endpoints if row.statuses),
    )
    found = [
        Tile("Faults", f"{faults:,}", tone="bad" if faults else "good", link="#faults"),
        Tile(
            "Tests", f"{outcome.tests:,}", counted(len(outcome.suite.files), "file"), link="#tests"
        ),
        _share_tile(
            "Endpoints", reached, len(outcome.discovery.endpoints), "reached", "#endpoints"
        ),
    ]
    coverage = outcome.suite.coverage
    if coverage is not None:
        covered, total = coverage.covered_lines, coverage.total_lines
        found.append(_share_tile("Lines", covered, total, "by the tests", "#source"))
        covered, total = coverage.covered_branches, coverage.total_branches
        found.append(_share_tile("Branches", covered, total, "by the tests", "#source"))
    mutation = outcome.suite.mutation
    if mutation is not None:
        found.append(
            _share_tile("Mutants", mutation.killed, mutation.mutants, "failed a test", "#mutants")
        )
    covered, known = outcome.targets.covered, outcome.targets.known
    found.append(_share_tile("Targets", covered, known, "in the search", "#uncovered"))
    return found


def _share_tile(label: str, part: int, whole: int, how: str, link: str) -> Tile:
    if not whole:
        return Tile(label, f"{part:,}", link=link)
    share = part / whole
    note = f"{part:,} of {whole:,} {how}"
    return Tile(label, percentage(share), note, min(share, 1.0), link=link)


def facts(outcome: Outcome) -> list[tuple[str, str]]:
    """Return label and text of what identifies the run."""
    rows = [
        ("searched", f"{duration(outcome.effort.seconds)}, until {outcome.reason.value}"),
        ("evaluations", f"{outcome.effort.evaluations:,}"),
        ("requests", f"{outcome.effort.requests:,}"),
        ("algorithm", outcome.algorithm),
        ("seed", str(outcome.seed)),
    ]
    shared = {label for label, _text in rows}
    rows += [
        (label, " ".join(text.split()))
        for label, text in outcome.discovery.findings.items()
        if label not in shared
    ]
    return [(label, text) for label, text in rows if text]


@dataclass(frozen=True)
class HeatCell:
    """One endpoint and status."""

    status: int
    answers: int
    """How often the run saw the status."""
    tests: int
    """Number of written tests that show it."""
    level: int
    """Strength of the shade, from 0 (never seen) to 4."""

    @property
    def family(self) -> int:
        """Return the first digit of the status."""
        return self.status // 100


@dataclass(frozen=True)
class HeatRow:
    """One endpoint of the heat map."""

    method: str
    path: str
    calls: int
    tests: int
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True)
class HeatMap:
    """Endpoints by status."""

    statuses: tuple[tuple[int, str], ...]
    """Statuses with their phrases, in ascending order."""
    rows: tuple[HeatRow, ...]


def heat_map(outcome: Outcome) -> HeatMap:
    """Count the responses of each endpoint by status, and the written tests that show them."""
    shown: dict[tuple[str, int], set[str]] = {}
    calling: dict[str, set[str]] = {}
    for test in outcome.suite.generated:
        for answer in test.answers:
            shown.setdefault((answer.endpoint, answer.status), set()).add(test.name)
            calling.setdefault(answer.endpoint, set()).add(test.name)
    seen = {status for row in outcome.discovery.endpoints for status in row.statuses}
    seen |= {status for _endpoint, status in shown}
    statuses = sorted(seen)
    rows = [
        _heat_row(row, statuses, shown, len(calling.get(row.key, ())))
        for row in outcome.discovery.endpoints
    ]
    return HeatMap(tuple((status, phrase(status)) for status in statuses), tuple(rows))


def _heat_row(
    row: EndpointRow, statuses: Sequence[int], shown: Mapping[tuple[str, int], set[str]], tests: int
) -> HeatRow:
    method, _, path = row.key.partition(" ")
    cells = []
    for status in statuses:
        number = len(shown.get((row.key, status), ()))
        answers = max(row.answers.get(status, 0), number, status in row.statuses)
        level = sum(1 for least in HEAT_LEVELS if answers >= least)
        cells.append(HeatCell(status, answers, number, level))
    return HeatRow(method, path, row.calls, tests, tuple(cells))


def phrase(status: int) -> str:
    """Return the phrase of a status: ``Not Found`` for 404; a fixed phrase for unknown ones."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "no answer" if status == 0 else "not a standard status"


@dataclass(frozen=True)
class FaultView:
    """One fault with everything needed to reproduce it."""

    row: FaultRow
    identity: str
    anchor: str
    source_link: str
    """Link to the line in the source view; empty when the page does not show the file."""
    test_text: str
    test_link: str
    picture: str = ""
    """The page that shows it, a JPEG as base64; empty without a browser."""


def fault_views(outcome: Outcome) -> list[FaultView]:
    """Return the faults in the order in which they were found."""
    tests = {
        test.name: (index, test) for index, test in enumerate(outcome.suite.generated, start=1)
    }
    lines, browser = LineLinks(shown_sources(outcome)), outcome.effort.browser
    views = []
    for row, identity in zip(outcome.faults, fault_identities(outcome), strict=True):
        index, test = tests.get(row.test or "", (0, None))
        views.append(
            FaultView(
                row,
                identity,
                f"fault-{identity}",
                lines.link(row.file, row.line),
                test.source if test is not None else "",
                f"#test-{index}" if test is not None else "",
                browser.picture_of(row.way) if browser else "",
            )
        )
    return views


@dataclass(frozen=True)
class GeneratedView:
    """One written test."""

    row: GeneratedRow
    anchor: str
    calls: tuple[tuple[str, str, int], ...]
    """Method, path and status of each distinct call."""


@dataclass(frozen=True)
class GeneratedFile:
    """One written module."""

    path: str
    tests: tuple[GeneratedView, ...]


def generated_files(outcome: Outcome) -> list[GeneratedFile]:
    """Return the written modules with their tests."""
    files: dict[str, list[GeneratedView]] = {}
    for index, row in enumerate(outcome.suite.generated, start=1):
        calls = dict.fromkeys((answer.endpoint, answer.status) for answer in row.answers)
        view = GeneratedView(
            row,
            f"test-{index}",
            tuple((*_split_endpoint(endpoint), status) for endpoint, status in calls),
        )
        files.setdefault(row.file, []).append(view)
    return [GeneratedFile(path, tuple(tests)) for path, tests in files.items()]


def _split_endpoint(endpoint: str) -> tuple[str, str]:
    method, _, path = endpoint.partition(" ")
    return method, path


@dataclass(frozen=True)
class Miss:
    """One uncovered target, or several of one file with one reason."""

    place: str
    """The line or lines: ``shop/pricing.py:12``, ``shop/pricing.py:12-40``."""
    link: str
    side: str
    """The side, for example ``true``, or how many targets share the row; empty for one line."""
    row: UncoveredRow
    code: str
    """Text of the line, if the row is about one line; empty otherwise."""


@dataclass(frozen=True)
class MissGroup:
    """Uncovered targets with one kind of reason."""

    title: str
    targets: int
    misses: tuple[Miss, ...]


def miss_groups(outcome: Outcome) -> list[MissGroup]:
    """Return the uncovered targets by the kind of their reason, the closest attempts first."""
    lines = LineLinks(shown_sources(outcome))
    groups: dict[str, list[UncoveredRow]] = {}
    for row in outcome.targets.uncovered:
        groups.setdefault(row.kind, []).append(row)
    titles: dict[str, str] = {kind.value: title for kind, title in TITLES.items()}
    order = [*titles, *(kind for kind in groups if kind not in titles)]
    return [
        MissGroup(titles.get(kind, "Not covered"), len(groups[kind]), _misses(groups[kind], lines))
        for kind in order
        if kind in groups
    ]


def _misses(rows: Sequence[UncoveredRow], lines: LineLinks) -> tuple[Miss, ...]:
    """Join targets that were never reached into one row where file and reason are equal."""
    together: dict[tuple[str, str, str], list[UncoveredRow]] = {}
    for row in sorted(rows, key=lambda row: -row.score):
        path = subject_of(row.target)[0]
        alone = row.target if row.score or row.nearest else ""
        together.setdefault((path, row.reason, alone), []).append(row)
    return tuple(_miss(path, shared, lines) for (path, _, _), shared in together.items())


def _miss(path: str, rows: Sequence[UncoveredRow], lines: LineLinks) -> Miss:
    first = rows[0]
    if not path:
        return Miss(first.target, "", "", first, "")
    numbers = sorted({subject_of(row.target)[1] for row in rows})
    span = f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
    side = f"{len(rows)} targets" if len(rows) > 1 else subject_of(first.target)[2]
    code = lines.text(path, numbers[0]) if len(numbers) == 1 else ""
    return Miss(f"{path}:{span}", lines.link(path, numbers[0]), side, first, code)


@dataclass(frozen=True)
class SurvivorView:
    """One mutant that no test detects."""

    row: MutantRow
    link: str
    """Link to the line in the source view; empty when the page does not show the file."""


def survivor_views(outcome: Outcome) -> list[SurvivorView]:
    """Return the mutants that no test detects, sorted by file."""
    survivors = outcome.suite.mutation.survivors if outcome.suite.mutation is not None else ()
    lines = LineLinks(shown_sources(outcome))
    return [SurvivorView(row, lines.link(row.file, row.line)) for row in survivors]


def dropped_groups(outcome: Outcome) -> list[tuple[str, tuple[str, ...]]]:
    """Return each reason with the names of what the suite lacks: tests, endpoints, attempts."""
    groups: dict[str, list[str]] = {}
    for row in (*outcome.suite.dropped, *outcome.discovery.skipped):
        groups.setdefault(row.reason, []).append(row.name)
    if outcome.suite.unverified:
        groups["kept, but fails its own verification"] = list(outcome.suite.unverified)
    return [(reason, tuple(names)) for reason, names in groups.items()]
