"""Restores the database after every test, where the project's fixtures set it up for several tests.

Session and module fixtures fill a database once, and the project's own tests are written for that.
The search restores the state before each test, and a fixture can do so for the written tests
(`sut.fixture_texts.database_text`). Where the search saw calls change an SQLite database, the
fixture is added from the start, because there may be time for only one run of the tests.

    every test fails    it is taken out, and they are run again

Otherwise the runs show whether the tests need it:

    some tests fail     the fixture is added, and they are run again
    as many fail then   it is taken out again
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.modules.conftest_text import with_fixture


@dataclass
class Restoration:
    """Finds out whether more tests pass when the database is restored after each."""

    conftest: Path
    fixture: str | None
    """Source of the fixture; None when there is nothing to try."""
    imports: Sequence[str] = ()
    """Imports from the standard library that it needs."""
    begins: bool = False
    """Whether the fixture is added before the first run of the tests."""
    _before: tuple[int, str | None] | None = None
    """Number of failing tests without it, and the former conftest.py (None: there was none)."""
    _unproven: tuple[str | None] | None = None
    """The former conftest.py, while no run has proven that tests hold with an initial fixture."""

    def begin(self) -> None:
        """Add the fixture if it must be there from the start."""
        if self.begins and self.fixture is not None:
            self._unproven = (self._add(self.fixture),)

    def harms(self, failing: int, tests: int, *, is_broken: bool) -> bool:
        """Take the number of failures in the first run; say whether to run without the fixture.

        A fixture with a failing set-up makes every test fail.
        """
        if self._unproven is None:
            return False
        (text,), self._unproven = self._unproven, None
        if failing < tests and not is_broken:
            return False
        self._put_back(text)
        return True

    def changes(self, failing: int, *, is_broken: bool) -> bool:
        """Take the number of failing tests; say whether to run them again with another conftest.py.

        `is_broken` says whether the run has no results for single tests.
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

    def forget(self) -> None:
        """Forget former texts of the conftest.py: what fails was left out since."""
        self._before = self._unproven = None

    def _add(self, fixture: str) -> str | None:
        """Write the fixture once; return the former conftest.py."""
        text = self.conftest.read_text(encoding="utf-8") if self.conftest.exists() else None
        write_atomically(self.conftest, with_fixture(text, self.imports, fixture))
        self.fixture = None
        return text

    def _put_back(self, text: str | None) -> None:
        if text is None:
            self.conftest.unlink(missing_ok=True)
        else:
            write_atomically(self.conftest, text)
