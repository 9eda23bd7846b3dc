"""Finds out whether the project itself bears the circumstances under which written tests fail.

A fixture may hold a token that was written down with its date, or fill a table in an order of its
own.  What such fixtures cannot bear is nothing that a written test could do better:

    the fixtures alone     what the failing tests ask for is set up and torn down, without the tests
    the project's tests    those that share a fixture with a failing test, as they are and so

A failure is the project's where its fixtures fail alone, or where the project's own tests that
share one of these fixtures, and pass as they are, fail as well.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.write.verification.circumstances import CHEAPLY
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.recorded_run import Entry

ONLY = "EVOSEARCH_VERIFY_ONLY"
"""See `write.plugins.perturbation`."""

AS_THEY_ARE = Circumstances("as they are", CHEAPLY)

Execute = Callable[[Circumstances, Sequence[Path]], Sequence[Entry]]
"""Runs modules, or the whole project where there are none; returns the log."""

Test = tuple[str, str]
"""Name of the module and of the test."""


@dataclass
class Bearing:
    """Asks the project's fixtures and tests, each circumstance once."""

    execute: Execute
    folder: Path
    """Of the written tests, which are not the project's own."""
    _own: dict[str, Mapping[str, bool]] = field(default_factory=dict)
    _sharing: dict[str, frozenset[str]] = field(default_factory=dict)
    """Own test -> the fixtures that it asks for."""

    def excused(
        self, failing: Iterable[Test], modules: Sequence[Path], one: Circumstances
    ) -> dict[Test, str]:
        """Return the failing tests that the project is to blame for, each with what it cannot bear.

        `modules` are those of the failing tests.
        """
        wanted = set(failing)
        entries = [
            entry
            for targets in _apart(modules, one)
            for entry in self.execute(_with(one, {ONLY: "fixtures"}), targets)
        ]
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
        """Return fixtures whose own tests fail only so, each with one of these tests.

        All of them have to fail, but for the clock: one that needs today's date is enough.
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
        """Return which of the project's own tests pass."""
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


def _apart(modules: Sequence[Path], one: Circumstances) -> list[Sequence[Path]]:
    """Return what is run at once: each module by itself where that is the circumstance."""
    return [[module] for module in modules] if one.is_by_module else [modules]


def _troubles(entries: Sequence[Entry]) -> Iterable[tuple[Test, Entry]]:
    """Yield the tests whose fixtures fail, with what the log says."""
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
    """Return whether each test that was run passed in every phase."""
    found: dict[str, bool] = {}
    for entry in entries:
        if "outcome" in entry and "report" in entry:
            test = str(entry["report"])
            found[test] = found.get(test, True) and entry["outcome"] != "failed"
    return found
