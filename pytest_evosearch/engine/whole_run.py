"""A whole run: the search, and the list of phases that follow it."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.engine.algorithm_choice import share_of_browser
from pytest_evosearch.engine.phases.browser_tests import BrowserTests
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.phases.minimizing import Reduction
from pytest_evosearch.engine.phases.mutation_testing import MutationTesting
from pytest_evosearch.engine.phases.phase import Phase
from pytest_evosearch.engine.phases.phase import run_phases
from pytest_evosearch.engine.phases.postponement import Postponement
from pytest_evosearch.engine.phases.reports import reported
from pytest_evosearch.engine.phases.targeted_checks import FreezeConfirmation
from pytest_evosearch.engine.phases.targeted_checks import TargetedChecks
from pytest_evosearch.engine.phases.verified_writing import VerifiedWriting
from pytest_evosearch.engine.search_run import SearchRun
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.strength.mutants import require_library

PHASES: Sequence[Phase] = (
    TargetedChecks(),
    FreezeConfirmation(),
    Reduction(),
    VerifiedWriting(),
    BrowserTests(),
    Postponement(),
    MutationTesting(),
)
"""The phases after the search, in this order; after them the outcome is reported."""


class WholeRun(SearchRun):
    """A run that writes what it finds."""

    def execute(self) -> Outcome:
        """Run every phase and return the outcome."""
        if self.settings.suite.mutants:
            require_library()
        if share_of_browser(self.settings):
            assert self.browser  # is found before the home folder is replaced
        return super().execute()

    def _finished(self, found: Found) -> Outcome:
        """Run the phases that follow the search, and report."""
        with found.held:
            run_phases(PHASES, found)
        return reported(found)
