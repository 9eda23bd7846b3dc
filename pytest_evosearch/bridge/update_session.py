"""``--evosearch-update``: refreshes the generated tests that were collected, and runs no others.

The collection decides what is refreshed: a folder, a module, ``-k`` or a single test.  Exit codes:
0 all tests hold now, 1 a test could not be updated, 2 interrupted, 4 usage, 5 no generated test was
collected.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.command_line.pytest_options import make_settings
from pytest_evosearch.bridge.other_plugins import send_nobody
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.report.terminal_lines import PREFIX
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.module_texts import PREFIX as MODULE_PREFIX
from pytest_evosearch.write.updating.update import Update
from pytest_evosearch.write.updating.update import update_folder
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.verify import FreshInterpreters


def make_update(config: pytest.Config) -> UpdateSession:
    """Check the settings and return the plugin object; raise `pytest.UsageError`."""
    settings = make_settings(config)
    send_nobody(config)
    return UpdateSession(config, settings)


class UpdateSession:
    """Refreshes generated tests instead of running the collected tests."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        self._selected: dict[Path, set[tuple[str, str]]] = {}
        """Collected tests by folder: pairs of file and test."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note which tests were generated, and leave none to run."""
        for item in items:
            if item.path.name.startswith(MODULE_PREFIX) and self._is_output(item.path.parent):
                name = str(getattr(item, "originalname", None) or item.name)
                self._selected.setdefault(item.path.parent, set()).add((item.path.name, name))
        items.clear()

    def _is_output(self, folder: Path) -> bool:
        """Say whether tests are generated into `folder`: it has a ledger, or the usual name."""
        wanted = self._settings.suite.output
        if wanted is not None:
            return folder == wanted.resolve() or folder == wanted
        return (folder / LEDGER).is_file()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Update every folder."""
        # A module that cannot be imported is reported below, where its tests cannot be run.
        session.testsfailed = 0
        session.testscollected = 1
        if not self._selected:
            self._say("no generated tests to update were collected: run pytest --evosearch first")
            session.testscollected = 0
        for folder, selected in sorted(self._selected.items()):
            update = self._update(folder, selected)
            session.testsfailed += sum(1 for line in self._lines(folder, update) if self._say(line))
        return True

    def _update(self, folder: Path, selected: set[tuple[str, str]]) -> Update:
        safe = Safekeeping(self._config.rootpath)
        line = self._settings.command_line
        runs = PytestProcess(
            self._config.rootpath,
            line.arguments,
            inherited=line.variables,
            plugins=line.plugins,
        )
        with safe.opened(), tidied(runs, safe) as process:
            return update_folder(
                folder,
                process,
                FreshInterpreters(process),
                selected=lambda file, test: (file, test) in selected,
                write=not self._settings.plan,
                safe=safe,
            )

    def _lines(self, folder: Path, update: Update) -> Iterator[str]:
        """Print the diff and the counts; yield a line for everything that is wrong."""
        for line in update.diff:
            self._write(line, **_markup(line))
        shown = folder.relative_to(self._config.rootpath) if self._is_below(folder) else folder
        self._say(f"{shown.as_posix()}/: {_counts(update, plan=self._settings.plan)}")
        if update.notice:
            yield update.notice
        for test, why in update.refused.items():
            yield f"{test} cannot be refreshed: {why}"
        for test in update.failing:
            yield f"{test} fails its own verification"

    def _is_below(self, folder: Path) -> bool:
        return folder.is_relative_to(self._config.rootpath)

    def _say(self, text: str) -> bool:
        self._write(PREFIX + text)
        return True

    def _write(self, text: str, **markup: bool) -> None:
        reporter: Any = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(text, **markup)


def _markup(line: str) -> Mapping[str, bool]:
    if line.startswith("+"):
        return {"green": True}
    return {"red": True} if line.startswith("-") else {}


def _counts(update: Update, *, plan: bool) -> str:
    """Return the counts: ``3 refreshed, 20 unchanged, 1 edited by hand, left unchanged``."""
    numbers = (
        (len(update.refreshed), "to be refreshed" if plan else "refreshed"),
        (len(update.unchanged), "unchanged"),
        (len(update.edited), "edited by hand, left unchanged"),
        (len(update.refused), "not refreshable"),
    )
    return ", ".join(f"{number} {what}" for number, what in numbers if number) or "nothing"
