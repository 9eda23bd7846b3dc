"""Verifies tests of units in one run with those of the application, as the user runs both.

The modules of units are imported before any fixture has set the application up.  Where that is too
early, tests of the application fail beside tests of units, though each suite passes alone.
"""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.phase_shares import SECONDS_PER_TEST
from pytest_evosearch.settings.phase_shares import START_UP_SECONDS
from pytest_evosearch.write.verification.plain_run import run_plainly
from pytest_evosearch.write.verification.plain_run import verdict_of
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import Verifier

BESIDE = "makes tests of the application fail in the same run"
NOT_BESIDE = "no time for a run of the tests of units beside those of the application"


@dataclass
class BesideRequests:
    """A verifier for tests of units, beside the written tests of an application."""

    alone: Verifier
    """Verifies the tests of units by themselves; what fails there needs no second run."""
    process: PytestProcess
    written: tuple[Path, ...]
    """The modules of the application's tests, which have passed."""
    others: int
    """Number of these tests."""
    seconds: float
    """Seconds for a run of all tests, at most; infinite without a limit."""
    passed_alone: Verdict | None = None
    """The verdict when all tests had passed by themselves: fewer of them do so, too."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Return the failures of both runs; tests of the application are not to blame."""
        verdict = self.passed_alone or self.alone(folder, tests)
        modules = sorted(folder.glob("test_*.py"))
        if verdict.failures or verdict.broken or not (modules and self.written):
            return verdict
        self.passed_alone = verdict
        usual = START_UP_SECONDS + SECONDS_PER_TEST * (tests + self.others)
        run = run_plainly(self.process, [*self.written, *modules], min(usual, self.seconds))
        failures = () if run.is_unknown else verdict_of(run, modules, is_limited=True).failures
        names = {one.name for one in modules}
        own = tuple(one for one in failures if one.file in names and not one.late)
        others = [one for one in failures if one.file not in names]
        if others and not own:
            why = f"{BESIDE}: {others[0].file} {others[0].reason}"
            own = tuple(Failure(name, "", None, why) for name in sorted(names))
        is_whole = run.ending is not None and not run.is_unknown and not run.ending.is_stopped
        notices = () if is_whole else (NOT_BESIDE,)
        return Verdict(own, notices=(*verdict.notices, *notices))
