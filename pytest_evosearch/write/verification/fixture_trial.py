"""Leaves fixtures of the written conftest.py out that fail, before any test is judged by them.

A fixture that fails costs all tests that request it, an automatic one every test. What nothing
defines is imported, else left out, before the first run. Where a test of that run fails in set-up
or tear-down, a small module requests each fixture once: of a fixture that restores several things,
what fails is left out; then the whole fixture, with those that ask for it.
The fixtures that the client needs stay: without them there is no test.

When many tests fail in the same line of the conftest.py later, that line is at fault, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.modules.fixture_pieces import asking_for
from pytest_evosearch.write.modules.fixture_pieces import import_of
from pytest_evosearch.write.modules.fixture_pieces import needed_by
from pytest_evosearch.write.modules.fixture_pieces import pieces_of
from pytest_evosearch.write.modules.fixture_pieces import undefined
from pytest_evosearch.write.modules.fixture_pieces import with_imports
from pytest_evosearch.write.modules.fixture_pieces import without
from pytest_evosearch.write.modules.fixture_pieces import without_part

MODULE = "test__fixtures.py"
"""The module that requests each fixture; its name is none of a written module."""

MOST_TRIALS = 8
"""Most runs of that module: it is run again after each repair."""

FEWEST_ALIKE = 2
"""Fewest tests that must fail in one line of the conftest.py to blame it."""

_TEXT = """\
import pytest


@pytest.mark.parametrize("name", {names!r})
def test_fixture(request, name):
    request.getfixturevalue(name)
"""

TRACEBACKS = "--tb=native"
"""The option with which `failing_line` can read a traceback."""

_FRAME = re.compile(r'^\s*[Ff]ile "?(.*conftest\.py)"?, line (\d+)', re.MULTILINE)
_ASKED = re.compile(r"fixture '(\w+)' not found")
_STAGES = ("failed on setup with ", "failed on teardown with ")


@dataclass(frozen=True)
class FixtureFailure:
    """What failed in a conftest.py."""

    line: int
    said: str


def is_of_fixture(problem: str) -> bool:
    """Say whether a fixture failed, and not the test itself; `problem` is pytest's line."""
    return problem.startswith(_STAGES)


def failing_line(problem: str, text: str, conftest: Path) -> FixtureFailure | None:
    """Return the last line of `conftest` in a traceback; None where it has none.

    `problem` is what pytest says in one line, `text` its traceback.
    """
    missing = _ASKED.search(text)
    frames = [one for one in _FRAME.finditer(text) if _is(Path(one[1]), conftest)]
    if not frames:
        return None
    said = problem
    for stage in _STAGES:
        said = said.removeprefix(stage)
    said = f"it asks for {missing[1]}, which is no fixture" if missing else said.strip('"')
    return FixtureFailure(int(frames[-1][2]), " ".join(said.split())[:200])


def _is(path: Path, conftest: Path) -> bool:
    return path.parts[-2:] == conftest.parts[-2:]


Try = Callable[[Path], Sequence[FixtureFailure]]
"""Runs one module beside a conftest.py, and returns what fails in that file."""


@dataclass
class FixtureTrial:
    """Tries the fixtures of one conftest.py, and leaves out those that fail."""

    conftest: Path
    client: str
    """The fixture of the client, without which there is no test."""
    execute: Try
    gone: dict[str, str] = field(default_factory=dict)
    """Fixture that was left out -> why."""
    notices: list[str] = field(default_factory=list)
    """What was changed, one line for each fixture at fault."""
    _is_over: bool = False

    def resolve(self) -> None:
        """Import what nothing defines, or leave out the fixture that uses it; nothing is run."""
        if not self.conftest.exists():
            return
        lines = undefined(self._text)
        known = {name for name in lines if import_of(name)}
        if known:
            self._write(with_imports(self._text, known))
        for name in sorted(lines.keys() - known):
            for line in [one for each, one in undefined(self._text).items() if each == name]:
                self._leave_out(line, f"nothing defines {name}")

    def try_each(self) -> bool:
        """Try each fixture until all hold, once; say whether the conftest.py has changed."""
        if self._is_over or not self.conftest.exists():
            return False
        self._is_over, before = True, self._text
        for _ in range(MOST_TRIALS):
            names = self._tried()
            if not names or not self.mend(self._failures(names)):
                break
        return self._text != before

    def mend(self, failures: Sequence[FixtureFailure]) -> bool:
        """Leave out what fails; say whether the conftest.py has changed."""
        changed = False
        for line, said in _by_line(failures):
            changed = self._leave_out(line, said) or changed
            if changed:
                break  # the lines below have moved
        return changed

    def _failures(self, names: Sequence[str]) -> Sequence[FixtureFailure]:
        """Return what fails twice in a row where these fixtures are requested."""
        module = self.conftest.with_name(MODULE)
        write_atomically(module, _TEXT.format(names=list(names)))
        try:
            found = self.execute(module)
            again = {one.line for one in self.execute(module)} if found else ()
            return [one for one in found if one.line in again]
        finally:
            module.unlink(missing_ok=True)

    def _tried(self) -> list[str]:
        """Return the fixtures to request; none where none could be left out."""
        pieces = pieces_of(self._text)
        base = needed_by([self.client], pieces)
        if all(one.name in base for one in pieces):
            return []
        own = [one.name for one in pieces if not one.is_automatic]
        return list(dict.fromkeys((self.client, *own)))

    def _leave_out(self, line: int, said: str) -> bool:
        """Leave out the part or the fixture at `line`, if the client can do without it."""
        text, pieces = self._text, pieces_of(self._text)
        piece = next((one for one in pieces if one.first <= line <= one.last), None)
        if piece is None or piece.name in needed_by([self.client], pieces):
            return False
        source = text.splitlines()[line - 1].strip()
        why = f"the fixture {piece.name} of the written conftest.py fails: {said} (in: {source})"
        part = without_part(text, line)
        if part is not None:
            self._write(part)
            self.notices.append(f"{why}; what it restores there is left out")
            return True
        gone = asking_for(piece.name, pieces)
        if gone & needed_by([self.client], pieces):
            return False
        self.gone |= dict.fromkeys(gone, why)
        self._write(without(text, gone))
        self.notices.append(f"{why}; it is left out{_with_others(gone - {piece.name})}")
        return True

    @property
    def _text(self) -> str:
        return self.conftest.read_text(encoding="utf-8")

    def _write(self, text: str) -> None:
        write_atomically(self.conftest, text)


def _with_others(names: set[str]) -> str:
    return f", with {', '.join(sorted(names))}, which ask for it" if names else ""


def _by_line(failures: Sequence[FixtureFailure]) -> Iterator[tuple[int, str]]:
    """Yield the failing lines with what was said first, the most frequent first."""
    said: dict[int, str] = {}
    for one in failures:
        said.setdefault(one.line, one.said)
    for line, _times in Counter(one.line for one in failures).most_common():
        yield line, said[line]
