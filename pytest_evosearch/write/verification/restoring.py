"""Puts the database back after every test, where the project's fixtures set it up for many.

Fixtures of a session or a module fill a database once, and the project's own tests are written so
that they do not mind.  The search restores the state before each test, and a fixture can do so for
the written tests (`sut.fixture_texts.database_text`).  Where the search saw calls change a SQLite
database, the fixture is there from the start: the first run of the tests may be the last that time
allows.

    every test fails    it is taken out, and they are run again

Elsewhere it is seen when they are run whether they need it:

    some tests fail     the fixture is added, and they are run again
    as many fail then   it is taken out again
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.write.modules.conftest_text import with_fixture


@dataclass
class Restoration:
    """Tries whether more tests hold when the database is put back after each."""

    conftest: Path
    fixture: str | None
    """Source of the fixture; None where there is nothing to try."""
    imports: Sequence[str] = ()
    """What it needs of the standard library."""
    begins: bool = False
    """The fixture is there before the tests are run for the first time."""
    _before: tuple[int, str | None] | None = None
    """How many tests fail without it, and the conftest.py as it was (None: there was none)."""
    _unproven: tuple[str | None] | None = None
    """The conftest.py as it was, while no run has shown that tests hold with a fixture that is
    there from the start."""

    def begin(self) -> None:
        """Add the fixture where it is to be there from the start."""
        if self.begins and self.fixture is not None:
            self._unproven = (self._add(self.fixture),)

    def harms(self, failing: int, tests: int, *, is_broken: bool) -> bool:
        """Hear how many of the tests fail in the first run; say whether to run them without.

        A fixture that cannot be set up fails every test.
        """
        if self._unproven is None:
            return False
        (text,), self._unproven = self._unproven, None
        if failing < tests and not is_broken:
            return False
        self._put_back(text)
        return True

    def changes(self, failing: int, *, is_broken: bool) -> bool:
        """Hear how many tests fail; say whether they are to be run again with another conftest.py.

        `is_broken` says that the run tells nothing about single tests.
        """
        if self._before is not None:
            (most, text), self._before = self._before, None
            if failing < most and not is_broken:
                return False
            self._put_back(text)
            return True
        if self.fixture is None or not failing:
            return False
        self._before = (failing, self._add(self.fixture))
        return True

    def _add(self, fixture: str) -> str | None:
        """Write the fixture, once; return the conftest.py as it was."""
        text = self.conftest.read_text(encoding="utf-8") if self.conftest.exists() else None
        write_atomically(self.conftest, with_fixture(text, self.imports, fixture))
        self.fixture = None
        return text

    def _put_back(self, text: str | None) -> None:
        if text is None:
            self.conftest.unlink(missing_ok=True)
        else:
            write_atomically(self.conftest, text)
