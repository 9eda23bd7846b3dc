"""Adds fixtures to the written conftest.py when the runs of the tests show that they are needed.

    lock       two processes cannot test at once: one at a time may
    collect    pytest ends with an error for what calls leave: it is collected after each test

Each is tried once. A conftest.py that a person wrote does not change.
"""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.verification.collecting import with_garbage_collected
from pytest_evosearch.write.verification.fixture_trial import FixtureTrial
from pytest_evosearch.write.verification.locking import with_lock


@dataclass
class Additions:
    """Additions to one conftest.py."""

    conftest: Path | None = None
    """The conftest.py that this run may still change; None when a person wrote it."""
    trial: FixtureTrial | None = None
    """Tries the fixtures of this conftest.py, and leaves out what fails; None without runs."""
    _unlocked: str | None = None
    """The conftest.py before it got a lock, empty for a missing one; None without a lock."""
    _may_lock: bool = True
    _collected: str = ""
    """The warning that made pytest end with an error, before garbage was collected."""

    def lock(self) -> bool:
        """Let only one process test at a time; say whether the conftest.py has changed.

        A lock that does not help is removed: another process may always find a resource of a
        session fixture (a port) in use.
        """
        if self.conftest is None or not self._may_lock:
            return False
        path, before = self.conftest, self._unlocked
        if before is None:
            self._unlocked = _text(path)
            write_atomically(path, with_lock(self._unlocked or None))
            return True
        self._may_lock = False
        if path.read_text(encoding="utf-8") != with_lock(before or None):
            return False  # another fixture was added since
        if before:
            write_atomically(path, before)
        else:
            path.unlink(missing_ok=True)
        return True

    def collect(self, unfinished: str) -> bool:
        """Collect garbage of calls after each test; say whether this is new.

        `unfinished` is the warning that makes pytest end with an error.
        """
        if self.conftest is None or self._collected:
            return False
        self._collected = unfinished
        write_atomically(self.conftest, with_garbage_collected(_text(self.conftest) or None))
        return True

    def notice(self, unfinished: str) -> str:
        """Describe what calls leave behind, and whether pytest still ends with an error for it."""
        if unfinished:
            return f"every test passes, but pytest ends with an error: {unfinished}"
        if self._collected:
            return f"calls leave objects whose warnings become errors: {self._collected}"
        return ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
