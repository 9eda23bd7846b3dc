"""Measures how many small changes of the application the written tests detect."""

from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.writing import strength_of_suite
from pytest_evosearch.report.outcome import MutationScore


class MutationTesting:
    """Runs the written tests against mutants."""

    name = "mutate"
    is_optional = True

    def skipped_because(self, found: Found) -> str:
        """Skip the phase unless the user wants it, and after a search that was cut short."""
        if not found.context.settings.suite.mutants:
            return "no mutants were asked for"
        if found.is_cut_short:
            return "the search was cut short"
        is_written = found.written is not None and found.written.suite.files
        return "" if is_written else "no test was written"

    def run(self, found: Found) -> None:
        """Add the mutation score to the outcome, or the reason why there is none."""
        assert found.written is not None
        host = found.context.host
        score = strength_of_suite(
            found.context.settings,
            found.ready,
            found.written.process,
            lambda: host.stop_requested() is not None,
        )
        if isinstance(score, MutationScore):
            suite = replace(found.outcome.suite, mutation=score)
            found.outcome = replace(found.outcome, suite=suite)
        else:
            found.add_notices(f"no mutation score: {score}")
