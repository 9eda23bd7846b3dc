"""Puts the database back after every test, where the project's fixtures set it up for many.

Fixtures of a session or a module fill a database once, and the project's own tests are written so
that they do not mind.  The search restores the state before each test; whether the written tests
need the same (`sut.fixture_texts.database_text`) is seen when they are run:

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
    _before: tuple[int, str | None] | None = None
    """How many tests fail without it, and the conftest.py as it was (None: there was none)."""

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
        text = self.conftest.read_text(encoding="utf-8") if self.conftest.exists() else None
        self._before = (failing, text)
        write_atomically(self.conftest, with_fixture(text, self.imports, self.fixture))
        self.fixture = None
        return True

    def _put_back(self, text: str | None) -> None:
        if text is None:
            self.conftest.unlink(missing_ok=True)
        else:
            write_atomically(self.conftest, text)
