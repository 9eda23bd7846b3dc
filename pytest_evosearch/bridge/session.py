"""Runs a search instead of the tests: a plugin object for one pytest session.

    collection (as always, so that the project's fixtures are known)
        -> pytest_runtestloop: host, engine, events -> Outcome -> summary, exit status

Exit codes: 0 ended, 1 a failure that the user asked for, 2 interrupted, 3 a bug of this plugin, 4
usage, 5 nothing to generate.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from collections.abc import Generator
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import NamedTuple

import pluggy
import pytest

from pytest_evosearch.bridge.applications.fixture_candidates import in_source_order
from pytest_evosearch.bridge.baseline import check_baseline
from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.bridge.capture import voice_of
from pytest_evosearch.bridge.command_line.command_start import BEGAN
from pytest_evosearch.bridge.command_line.pytest_options import make_settings
from pytest_evosearch.bridge.command_line.pytest_options import with_islands
from pytest_evosearch.bridge.command_line.pytest_options import with_report_folder
from pytest_evosearch.bridge.first_command import end_in_time
from pytest_evosearch.bridge.first_command import fresh_start_of
from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.bridge.hook_wiring.hook_names import check_hook_names
from pytest_evosearch.bridge.imports.loaded_modules import RELOADED
from pytest_evosearch.bridge.imports.overlooked import is_overlooked
from pytest_evosearch.bridge.internals import apply_warning_filters
from pytest_evosearch.bridge.internals import forget_collection_errors
from pytest_evosearch.bridge.internals import note_crashes_again
from pytest_evosearch.bridge.internals import without_log_handlers
from pytest_evosearch.bridge.interrupts import InterruptFlag
from pytest_evosearch.bridge.interrupts import interruptible
from pytest_evosearch.bridge.island_processes import Identity
from pytest_evosearch.bridge.island_processes import IslandProcesses
from pytest_evosearch.bridge.other_plugins import asks_for_one
from pytest_evosearch.bridge.other_plugins import send_nobody
from pytest_evosearch.bridge.pytest_host import PytestHost
from pytest_evosearch.bridge.starting import starting_of
from pytest_evosearch.bridge.terminal import TerminalSink
from pytest_evosearch.bridge.terminal import count_generated
from pytest_evosearch.bridge.terminal import show_summary
from pytest_evosearch.bridge.terminal import terminal_sink
from pytest_evosearch.bridge.terminal import verbosity_of
from pytest_evosearch.bridge.verdict import KnownFaults
from pytest_evosearch.bridge.verdict import failures
from pytest_evosearch.bridge.verdict import known_faults
from pytest_evosearch.core.events import Notice
from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.scratch import remove_orphans
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.errors import StartTookTooLong
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.terminal_lines import PREFIX
from pytest_evosearch.report.terminal_lines import endpoint_lines
from pytest_evosearch.report.terminal_lines import header_line
from pytest_evosearch.settings.checked import Settings

if TYPE_CHECKING:
    from pytest_evosearch.engine.finishing_run import FinishingRun
    from pytest_evosearch.engine.search_run import OutlyingRun

CONFTEST_TO_PASTE = (
    "    import pytest",
    "    from yourpackage import create_app",
    "",
    "    @pytest.fixture",
    "    def client():",
    '        return create_app({"TESTING": True}).test_client()',
)
"""Lines for the conftest.py of a project in which no application was found."""


def make_session(config: pytest.Config, recording: Any) -> SearchSession:
    """Check the settings and return the plugin object; raise `pytest.UsageError`."""
    settings = make_settings(config)
    try:
        check_baseline(settings.reports.baseline)
    except EvosearchUsageError as error:
        raise pytest.UsageError(f"evosearch: {error}") from error
    settings = with_islands(settings, send_nobody(config))
    identity = Identity.own()
    # Without this, -x would end the session at a test module that cannot be imported.
    config.option.maxfail = 0
    if not gc.get_freeze_count():
        config.add_cleanup(gc.unfreeze)  # called after the hooks that pytest itself has added
    if identity is not None and identity.finishes:
        return FinishingSession(config, settings, recording, identity)
    if identity is not None:
        return OutlyingSession(config, settings, recording, identity)
    return SearchSession(config, settings, recording)


class _SearchParts(NamedTuple):
    """What a session passes to the search."""

    host: PytestHost
    hooks: HookCalls
    sink: TerminalSink
    safe: Safekeeping
    voice: Voice


class SearchSession:
    """Searches instead of running the collected tests."""

    def __init__(self, config: pytest.Config, settings: Settings, recording: Any) -> None:
        self.settings = settings
        self.outcome: Outcome | None = None
        self._config = config
        self._recording = recording
        self._companions = IslandProcesses(config, settings)
        self._items: list[pytest.Item] = []
        self._notices: list[str] = []
        self._shown: set[str] = set()
        """Notices that the terminal has shown during the search."""

    def pytest_report_header(self) -> list[str]:
        """Return one line that says what will happen, and ends in a command to paste."""
        return [header_line(self.settings)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self) -> Iterator[None]:
        """Refuse misspelt hooks, even those in a conftest that the collection loads."""
        check_hook_names(self._config.pluginmanager)
        try:
            result = yield
        except pluggy.PluginValidationError:
            check_hook_names(self._config.pluginmanager)
            raise
        check_hook_names(self._config.pluginmanager)
        return result

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Collect files that set the application up, even if pytest's patterns exclude them."""
        if parent.session.isinitpath(file_path):
            return None
        patterns = self._config.getini("python_files")
        if not is_overlooked(file_path, patterns):
            return None
        module: pytest.Module = pytest.Module.from_parent(parent, path=file_path)
        return module

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Go on without a module that ends the process while it is imported."""
        try:
            return (yield)
        except SystemExit as end:
            reason = f"ends the process while it is imported ({end.code})"
            return pytest.CollectReport(collector.nodeid, "failed", reason, [])

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests to learn from, and leave none to run."""
        self._items = in_source_order(items)
        items.clear()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the search; after Ctrl-C write the results and raise `session.Interrupted`."""
        self.settings = with_report_folder(self._config, self.settings)
        voice = voice_of(self._config)
        sink = terminal_sink(self._config, voice, self.settings.plan)
        self._shown = sink.shown
        sink.begin()
        session.testsfailed = 0
        session.testscollected = 1
        notify = self._notifier(sink)
        self._report_collection_errors(notify)
        if notice := self._config.stash.get(RELOADED, None):
            notify(notice)
        flag = InterruptFlag()
        flag.armed = self.settings.application.calls_units_alone  # nothing is loaded that may hang
        if flag.armed:
            starting_of(self._config).end()
        hooks = HookCalls(self._config, notify)
        safe = Safekeeping(self.settings.rootdir)
        host = PytestHost(
            session, self.settings, self._items, voice, flag, notify, hooks, self._recording, safe
        )
        remove_orphans()
        try:
            with safe.opened(), self._surroundings(flag), voice.quiet():
                try:
                    self.outcome = self._search(_SearchParts(host, hooks, sink, safe, voice))
                finally:
                    note_crashes_again(self._config)
                    self._companions.close()
                    host.close()
                    remove_orphans()  # folders of processes beside this one that had to be ended
                    sink.finish()
        except NothingToGenerate as error:
            sink.write([f"{PREFIX}{error}"])
            session.testscollected = 0
        except StopAtOnce:
            raise KeyboardInterrupt from None  # the exception that pytest and other plugins expect
        except StartTookTooLong as late:
            raise pytest.UsageError(f"evosearch: {late}") from late
        except EvosearchUsageError as error:
            if isinstance(error, ApplicationNotFound) and self.settings.application.app is None:
                sink.write([f"{PREFIX}or paste this into conftest.py:", *CONFTEST_TO_PASTE])
            raise pytest.UsageError(f"evosearch: {error}") from error
        if self.outcome is not None:
            self._conclude(session, self.outcome, hooks, sink)
        # pytest collects garbage several times at its end, which takes long after a search.
        if not gc.get_freeze_count():
            gc.freeze()
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make sure that the process ends after all messages."""
        end_in_time(self._config, lambda: int(session.exitstatus))

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write the summary section, unless there is nothing to summarise."""
        if self.outcome is None or self.outcome.reason is ExitReason.PLAN:
            return
        count_generated(terminalreporter, self.outcome)
        if self._config.getoption("no_summary", False):
            return
        notices = dict.fromkeys((*self._notices, *self.outcome.notices))
        unshown = tuple(notice for notice in notices if notice not in self._shown)
        outcome = replace(self.outcome, notices=unshown)
        show_summary(terminalreporter, outcome, verbosity_of(self._config))

    @contextmanager
    def _surroundings(self, flag: InterruptFlag) -> Iterator[None]:
        """Give the search the project's warning filters, and handle Ctrl-C."""
        with ExitStack() as stack:
            stack.enter_context(interruptible(flag))
            stack.enter_context(warnings.catch_warnings())
            apply_warning_filters(self._config)
            stack.enter_context(without_log_handlers(self._config))
            yield

    def _search(self, parts: _SearchParts) -> Outcome:
        from pytest_evosearch.bridge.hook_wiring.project_hooks import project_extensions
        from pytest_evosearch.engine import run
        from pytest_evosearch.engine.beginnings import Beginning

        alone = self.settings.search.islands == 1 and asks_for_one(self._config)
        companions = None if alone else self._companions
        extensions = project_extensions(parts.hooks, self.settings)
        began = self._config.stash.get(BEGAN, None)
        beginning = Beginning.from_environment(os.environ)
        beginning = replace(beginning, start=fresh_start_of(self._config, parts.voice))
        given = (
            self.settings,
            parts.host,
            [parts.sink],
            self._recording,
            extensions,
            companions,
            parts.safe,
        )
        return run(*given, began, beginning)

    def _notifier(self, sink: TerminalSink) -> Callable[[str], None]:
        def notify(text: str) -> None:
            self._notices.append(text)
            sink(Notice(text))

        return notify

    def _report_collection_errors(self, notify: Callable[[str], None]) -> None:
        """Continue without the test modules that cannot be imported, and report them."""
        if names := forget_collection_errors(self._config):
            notify(f"could not be collected, so the search ignores it: {', '.join(names)}")

    def _conclude(
        self, session: pytest.Session, outcome: Outcome, hooks: HookCalls, sink: TerminalSink
    ) -> None:
        """Write the outcome to lists and hooks, and set the session's exit status."""
        if self._config.option.collectonly:
            sink.write(endpoint_lines(outcome))
        if outcome.reason is ExitReason.PLAN:
            return
        known, lines = known_faults(self._config, self.settings, outcome)
        for reason in failures(outcome, self.settings.reports.fail_on, known):
            session.testsfailed += 1
            sink.write([f"{PREFIX}{reason}"])
        sink.write([f"{PREFIX}{line}" for line in lines])
        if outcome.kept_nothing:
            session.testscollected = 0  # as where no tests were collected: exit code 5
        KnownFaults(self._config).remember(outcome)
        try:
            hooks.call("pytest_evosearch_finish", outcome=outcome)
        except HookFailed as failure:
            raise pytest.UsageError(f"evosearch: {failure}") from failure
        if outcome.reason is ExitReason.INTERRUPTED:
            raise session.Interrupted("the search was interrupted; what it found is written")


class OutlyingSession(SearchSession):
    """Searches as one of several islands, for the process that started this one."""

    def __init__(
        self, config: pytest.Config, settings: Settings, recording: Any, identity: Identity
    ) -> None:
        search = settings.search
        if not identity.finishes:
            search = replace(search, island=identity.island, islands=identity.islands)
        settings = replace(
            settings,
            search=search,
            reports=replace(settings.reports, report=identity.own_folder),
        )
        super().__init__(config, settings, recording)
        self._identity = identity

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the search; fixtures see this process as a worker of pytest-xdist."""
        # Not earlier: other plugins would expect more of a worker than this process has.
        session.config.workerinput = self._identity.worker_input()  # type: ignore[attr-defined]
        return super().pytest_runtestloop(session)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write no summary."""

    def _search(self, parts: _SearchParts) -> Outcome:
        from pytest_evosearch.bridge.hook_wiring.project_hooks import project_extensions

        extensions = project_extensions(parts.hooks, self.settings)
        mailbox, home = self._identity.mailbox, self._identity.home
        given = self.settings, parts.host, [parts.sink], self._recording, extensions, mailbox, home
        return self._run(given, parts.safe).execute()

    def _run(self, given: Any, _safe: Safekeeping) -> OutlyingRun | FinishingRun:
        from pytest_evosearch.engine.search_run import OutlyingRun

        return OutlyingRun(*given)

    def _conclude(
        self, session: pytest.Session, outcome: Outcome, hooks: HookCalls, sink: TerminalSink
    ) -> None:
        """Leave the conclusions to the session that writes the tests."""


class FinishingSession(OutlyingSession):
    """Finishes the tests that another process finds: the one that started this process."""

    def _run(self, given: Any, safe: Safekeeping) -> FinishingRun:
        from pytest_evosearch.engine.finishing_run import FinishingRun

        make: Callable[..., FinishingRun] = FinishingRun
        return make(*given, safe)
