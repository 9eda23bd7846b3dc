"""Writes tests for what only a browser shows, and keeps those that show it again."""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.engine.phases.found import Found
from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.report.page_visits import PageProblem
from pytest_evosearch.report.plain_text import counted
from pytest_evosearch.write.modules.browser_module import CHECKED_KINDS
from pytest_evosearch.write.modules.browser_module import FOLDER
from pytest_evosearch.write.modules.browser_module import MODULE
from pytest_evosearch.write.modules.browser_module import BrowserFault
from pytest_evosearch.write.modules.browser_module import is_edited
from pytest_evosearch.write.modules.browser_module import module_text
from pytest_evosearch.write.modules.browser_module import names_of
from pytest_evosearch.write.modules.browser_module import source_of
from pytest_evosearch.write.modules.browser_module import tests_in
from pytest_evosearch.write.modules.module_files import relative

PLUGIN = "pytest_playwright"

ATTEMPTS = 3
"""Ways in which a test may show its fault; see `BrowserFault.attempts`."""

IMPATIENT = """\
import pytest


@pytest.fixture(autouse=True)
def impatient(page):
    page.set_default_timeout(8_000)
"""
"""Fixtures of the runs that try tests: what does not appear is waited for 8 s, and not 30 s."""

MOST_TESTS = 20
"""Most tests that are written; a test takes a second or two."""

START_SECONDS, TEST_SECONDS = 60.0, 15.0
"""Longest time for a run to start, and for each test in addition."""


class BrowserTests:
    """Writes and verifies tests for a browser, in a run of their own."""

    name = ""
    is_optional = True

    def skipped_because(self, found: Found) -> str:
        """Skip the phase where no browser has shown a problem, or no test was written."""
        browser = found.outcome.effort.browser
        if browser is None or not any(map(_can_be_shown, browser.problems)):
            return "no browser has shown a problem"
        is_ready = found.written is not None and not found.is_cut_short
        return "" if is_ready else "no test was written"

    def run(self, found: Found) -> None:
        """Write the tests beside the others, each with the problem that it shows."""
        hindrance = _hindrance(found)
        if hindrance:
            found.add_notices(f"no test for a browser was written: {hindrance}")
            return
        _Writing(found).write()


def _can_be_shown(problem: PageProblem) -> bool:
    return problem.kind in CHECKED_KINDS and problem.user is None


def _hindrance(found: Found) -> str:
    if importlib.util.find_spec(PLUGIN) is None:
        return "pip install pytest-playwright"
    views = getattr(found.ready.handle.app, "view_functions", {}).values()
    if any(map(inspect.iscoroutinefunction, views)):
        return "pytest-playwright and asynchronous views do not go together"
    return ""


class _Writing:
    """The work of one phase."""

    def __init__(self, found: Found) -> None:
        self._found = found
        settings, support = found.context.settings, found.ready.handle.support
        self._folder = output_folder(settings, support) / FOLDER
        self._client = support.client_fixture
        self._shown = relative(self._folder / MODULE, settings.rootdir)
        browser = found.outcome.effort.browser
        assert browser is not None
        self._browser = browser

    def write(self) -> None:
        """Write what holds; say so, and where nothing could be written."""
        present = self._folder / MODULE
        before = present.read_text("utf-8") if present.exists() else ""
        if before and is_edited(before):
            self._found.add_notices(f"{self._shown} was edited, and is left unchanged")
            return
        problems = [one for one in self._browser.problems if _can_be_shown(one)][:MOST_TESTS]
        faults = [
            BrowserFault(one.kind, one.message, one.start, one.page or "/", one.way)
            for one in problems
        ]
        shown = self._shown_faults(faults)
        marked = self._found.context.settings.suite.faults != "fail"
        named = names_of(shown.values())
        places = [problems[number].place for number in shown]
        self._note(dict(zip(places, named, strict=True)))
        tests = {name: source_of(name, fault, marked) for name, fault in named.items()}
        tests = {**self._still_shown(before, tests), **tests}
        if not tests:
            self._found.add_notices("no test for a browser showed its fault again")
            return
        text = self._text(tests.values())
        if text != before:
            write_atomically(present, text)
        number = counted(len(tests), "test")
        self._found.add_notices(f"{number} for a browser in {self._shown}; run them alone")

    def _shown_faults(self, faults: Sequence[BrowserFault]) -> dict[int, BrowserFault]:
        """Return the faults that a test shows by their numbers, each in the shortest way."""
        shown: dict[int, BrowserFault] = {}
        for attempt in range(ATTEMPTS):
            tried = {
                f"test_{number}": (number, fault.attempts[attempt])
                for number, fault in enumerate(faults)
                if number not in shown and fault.attempts[attempt] not in fault.attempts[:attempt]
            }
            tests = {name: source_of(name, fault) for name, (_number, fault) in tried.items()}
            shown |= dict(tried[name] for name in self._failing(tests))
        return {number: shown[number] for number in sorted(shown)}

    def _still_shown(self, before: str, new: Collection[str]) -> dict[str, str]:
        """Return the tests of an earlier run, without those of `new`, that still hold."""
        tests = {name: text for name, text in tests_in(before).items() if name not in new}
        failing = self._failing(tests)
        return {name: text for name, text in tests.items() if name in failing}

    def _text(self, tests: Iterable[str]) -> str:
        return module_text(self._client, self._shown, tests)

    def _failing(self, tests: Mapping[str, str]) -> set[str]:
        """Return the tests that fail as expected in a run of their own."""
        if not tests:
            return set()
        written = self._found.written
        assert written is not None
        folder = self._folder
        is_new = not folder.exists()
        folder.mkdir(exist_ok=True)
        try:
            with scratch_folder("browser-tests") as scratch, scratch_folder("try", folder) as place:
                module, results = place / MODULE, scratch / "results.xml"
                module.write_text(self._text(tests.values()), "utf-8")
                (place / "conftest.py").write_text(IMPATIENT, "utf-8")
                given = ["-m", "pytest", *written.process.pytest_arguments(module, scratch)]
                given += [f"--junitxml={results}", f"--output={scratch / 'output'}"]
                written.process.run(given, START_SECONDS + TEST_SECONDS * len(tests))
                return expected_failures(results)
        finally:
            if is_new and not any(folder.iterdir()):
                folder.rmdir()

    def _note(self, names: Mapping[str, str]) -> None:
        """Add the names of their tests to the problems."""
        problems = tuple(
            replace(one, test=f"{self._shown}::{names[one.place]}") if one.place in names else one
            for one in self._browser.problems
        )
        found, browser = self._found, replace(self._browser, problems=problems)
        effort = replace(found.outcome.effort, browser=browser)
        found.outcome = replace(found.outcome, effort=effort)


def expected_failures(results: Path) -> set[str]:
    """Return the names of the tests that failed as their marks say."""
    if not results.exists():
        return set()
    cases = ElementTree.parse(results).iter("testcase")
    return {
        case.get("name", "").partition("[")[0]
        for case in cases
        if any(one.tag == "skipped" and one.get("type") == "pytest.xfail" for one in case)
    }
