"""Finds out whether the project itself works in the circumstances in which written tests fail.

A fixture may contain a token with a fixed date, or fill a table in a particular order. A written
test cannot avoid failures of these fixtures:

    the fixtures alone     what the failing tests ask for is set up and torn down, without the tests
    the project's tests    those that share a fixture with a failing test, as they are and so

The project is to blame when its fixtures fail alone. It is also to blame when its own tests fail
that share one of these fixtures and pass in normal circumstances.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.verification.circumstances import CHEAPLY
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.recorded_run import Entry

ONLY = "EVOSEARCH_VERIFY_ONLY"
"""See `write.plugins.perturbation`."""

AS_THEY_ARE = Circumstances("as they are", CHEAPLY)

Execute = Callable[[Circumstances, Sequence[Path]], Sequence[Entry]]
"""Runs modules, or the whole project without any; returns the log."""

Test = tuple[str, str]
"""Name of the module and of the test."""


@dataclass
class Bearing:
    """Tests the project's fixtures and tests, once for each circumstance."""

    execute: Execute
    folder: Path
    """Folder of the written tests, which do not belong to the project."""
    _own: dict[str, Mapping[str, bool]] = field(default_factory=dict)
    _sharing: dict[str, frozenset[str]] = field(default_factory=dict)
    """Own test -> the fixtures that it requests."""

    def excused(
        self, failing: Iterable[Test], modules: Sequence[Path], one: Circumstances
    ) -> dict[Test, str]:
        """Return the failing tests for which the project is to blame, each with the reason.

        `modules` are the modules of the failing tests.
        """
        wanted = set(failing)
        entries = self.execute(_with(one, {ONLY: "fixtures"}), modules)
        found: dict[Test, str] = {}
        for test, entry in _troubles(entries):
            if test in wanted:
                found.setdefault(test, str(entry.get("reason")))
        rest = wanted - found.keys()
        if rest and not one.workers:
            asked = _fixtures(entries)
            shared = self._failing_fixtures(one)
            for test in rest:
                for fixture in sorted(asked.get(test, frozenset()) & shared.keys()):
                    found.setdefault(test, f"{shared[fixture]} fails, too")
        return found

    def _failing_fixtures(self, one: Circumstances) -> dict[str, str]:
        """Return fixtures whose tests fail only in these circumstances, each with one test.

        All tests of a fixture must fail; for the clock, one that needs today's date is enough.
        """
        enough = any if one.moves_clock else all
        usual, then = self._outcomes(AS_THEY_ARE), self._outcomes(one)
        by_fixture: dict[str, list[str]] = {}
        for test, passes in usual.items():
            if passes and test in then:
                for fixture in self._sharing.get(test, frozenset()):
                    by_fixture.setdefault(fixture, []).append(test)
        failing = {
            fixture: [test for test in tests if not then[test]]
            for fixture, tests in by_fixture.items()
            if enough(not then[test] for test in tests)
        }
        return {fixture: tests[0] for fixture, tests in failing.items()}

    def _outcomes(self, one: Circumstances) -> Mapping[str, bool]:
        """Return for the project's own tests whether they pass."""
        known = self._own.get(one.name)
        if known is None:
            further = {ONLY: "own", "EVOSEARCH_VERIFY_FOLDER": str(self.folder.resolve())}
            entries = self.execute(_with(one, further), ())
            for entry in entries:
                if "item" in entry:
                    self._sharing[str(entry["item"])] = _names(entry)
            known = self._own[one.name] = _passing(entries)
        return known


def _with(one: Circumstances, variables: Mapping[str, str]) -> Circumstances:
    return replace(one, environment={**one.environment, **variables})


def _troubles(entries: Sequence[Entry]) -> Iterable[tuple[Test, Entry]]:
    """Yield the tests whose fixtures fail, with their log entries."""
    items = {str(entry["item"]): entry for entry in entries if "item" in entry}
    for entry in entries:
        is_around = entry.get("when") in ("setup", "teardown")
        if is_around and entry.get("outcome") == "failed" and entry["report"] in items:
            yield _test_of(items[str(entry["report"])]), entry


def _fixtures(entries: Sequence[Entry]) -> dict[Test, frozenset[str]]:
    return {_test_of(entry): _names(entry) for entry in entries if "item" in entry}


def _names(entry: Entry) -> frozenset[str]:
    names = entry.get("fixtures")
    return frozenset(map(str, names)) if isinstance(names, list) else frozenset()


def _test_of(entry: Entry) -> Test:
    return str(entry["file"]), str(entry["test"])


def _passing(entries: Sequence[Entry]) -> dict[str, bool]:
    """Return, for each test that ran, whether it passed in every phase."""
    found: dict[str, bool] = {}
    for entry in entries:
        if "outcome" in entry and "report" in entry:
            test = str(entry["report"])
            found[test] = found.get(test, True) and entry["outcome"] != "failed"
    return found
