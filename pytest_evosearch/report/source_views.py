"""The source files as the page shows them: the state of each line, and links to lines."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.report.outcome import BranchSide
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SourceFile
from pytest_evosearch.report.outcome import SourceLine


@dataclass(frozen=True)
class CodeLine:
    """One line of the source view."""

    number: int
    text: str
    state: str
    """State of the line: ``hit``, ``part``, ``miss``, ``load`` or empty."""
    word: str
    """The state as a word, for readers who cannot see colours."""
    open_sides: tuple[BranchSide, ...]
    sides: int = 0
    """Number of sides of the conditions on the line, with those that were taken."""


@dataclass(frozen=True)
class SourceView:
    """One file of the source view."""

    path: str
    anchor: str
    lines: tuple[CodeLine, ...]
    covered: int
    total: int
    open_sides: int
    share: float


WORDS = {
    "hit": "covered",
    "part": "partly covered",
    "miss": "not covered",
    "load": "ran while loading",
    "": "",
}


LARGE_PROGRAM = 20_000
"""Lines of source from which files are left out of which no test ran a line.

A browser needs seconds for a page with all of them.
"""


def shown_sources(outcome: Outcome) -> Sequence[SourceFile]:
    """Return the source files that the page shows."""
    sources = outcome.targets.sources
    if sum(len(file.lines) for file in sources) < LARGE_PROGRAM:
        return sources
    return [file for file in sources if _has_run(file)]


def _has_run(file: SourceFile) -> bool:
    """Say whether a test ran a line of the file, which was not only imported."""
    return any(line.covered and not line.imported for line in file.lines)


class LineLinks:
    """Links into the source view; empty for a line that the view does not show."""

    def __init__(self, sources: Sequence[SourceFile]) -> None:
        self.anchors = {file.path: f"file-{index}" for index, file in enumerate(sources, start=1)}
        """Path -> anchor of the file in the page."""
        self._texts = {file.path: _texts_of(file) for file in sources}

    def link(self, path: str, line: int) -> str:
        """Return the link to a line: ``#file-1-12``."""
        known = 0 < line <= len(self._texts.get(path, ()))
        return f"#{self.anchors[path]}-{line}" if known else ""

    def text(self, path: str, line: int) -> str:
        """Return the text of the line, without its indentation."""
        return self._texts[path][line - 1].strip() if self.link(path, line) else ""


def _texts_of(file: SourceFile) -> list[str]:
    """Return the lines as Python counts them: only a newline ends a line."""
    return file.text.rstrip("\n").split("\n")


def source_views(outcome: Outcome) -> list[SourceView]:
    """Return the source files with the state of each line."""
    shown = shown_sources(outcome)
    anchors = LineLinks(shown).anchors
    return [_source_view(file, anchors[file.path]) for file in shown]


def _source_view(file: SourceFile, anchor: str) -> SourceView:
    known = {line.number: line for line in file.lines}
    statements = [line for line in file.lines if line.covered is not None]
    covered = sum(1 for line in statements if line.covered)
    open_sides = sum(1 for line in file.lines for side in line.sides if side.score < 1.0)
    return SourceView(
        file.path,
        anchor,
        tuple(_code_lines(file, known)),
        covered,
        len(statements),
        open_sides,
        covered / len(statements) if statements else 1.0,
    )


def _code_lines(file: SourceFile, known: Mapping[int, SourceLine]) -> Iterator[CodeLine]:
    for number, content in enumerate(_texts_of(file), start=1):
        line = known.get(number)
        state = _state(line) if line is not None else ""
        sides = line.sides if line is not None else ()
        open_sides = tuple(side for side in sides if side.score < 1.0)
        yield CodeLine(number, content, state, WORDS[state], open_sides, len(sides))


def _state(line: SourceLine) -> str:
    open_sides = [side for side in line.sides if side.score < 1.0]
    if line.covered is False or (line.covered is None and len(open_sides) == len(line.sides)):
        return "miss"
    if open_sides:
        return "part"
    return "load" if line.imported else "hit"
