from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge.island_processes import Identity
from pytest_evosearch.bridge.island_processes import IslandProcesses
from pytest_evosearch.core.budget import Budget
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings


class Started:
    """A process that was not started, and has ended."""

    def __init__(self, command: list[str], env: dict[str, str], **_details: Any) -> None:
        self.command = command
        self.environment = env
        self.pid = 2**30  # of nobody
        self.returncode = 3

    def poll(self) -> int:
        return self.returncode

    def wait(self, _seconds: float = 0.0) -> int:
        return self.returncode

    def kill(self) -> None:
        """Nothing runs."""


def processes_of(
    root: Path, *arguments: str, plugins: frozenset[str] = frozenset(), islands: int = 3
) -> Any:
    """Return the companions of a session with these arguments."""
    junit = next((one for one in arguments if one.startswith("--junit-xml")), None)
    config = SimpleNamespace(
        invocation_params=SimpleNamespace(args=arguments, dir=root),
        pluginmanager=SimpleNamespace(has_plugin=plugins.__contains__),
        getoption=lambda name, default: junit if name == "xmlpath" else default,
    )
    search = SearchSettings(islands=islands)
    settings = Settings(Budget.parse("90x"), seed=7, rootdir=root, search=search)
    return IslandProcesses(config, settings)  # type: ignore[arg-type]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    """What was started instead of processes, in order."""
    found: list[Started] = []

    def start(command: list[str], **details: Any) -> Started:
        found.append(Started(command, **details))
        return found[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return found


def test_an_island_is_told_which_it_is(
    tmp_path: Path, started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = processes_of(tmp_path)
    mailbox = processes.start()
    assert [one.environment["PYTEST_XDIST_WORKER"] for one in started] == ["gw1", "gw2"]
    monkeypatch.setenv("EVOSEARCH_ISLAND", started[1].environment["EVOSEARCH_ISLAND"])
    identity = Identity.own()
    assert identity is not None
    assert (identity.folder, identity.island, identity.islands) == (mailbox.folder, 2, 3)
    processes.close()
    assert not mailbox.folder.exists()


def test_what_measures_the_session_does_not_measure_islands(
    tmp_path: Path, started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COV_CORE_SOURCE", "shop")
    monkeypatch.setenv("COVERAGE_PROCESS_START", ".coveragerc")
    processes = processes_of(tmp_path)
    processes.start()
    names = started[0].environment.keys()
    assert not {"COV_CORE_SOURCE", "COVERAGE_PROCESS_START"} & names
    processes.close()


def test_reports_of_the_session_are_not_those_of_islands(
    tmp_path: Path, started: list[Started]
) -> None:
    processes = processes_of(tmp_path, "--junit-xml=report.xml", "-n", "3", "--", "tests")
    folder = processes.start().folder
    command = started[0].command
    options = command[: command.index("--")]
    assert options[-1] == f"--junit-xml={folder / 'island-1' / 'junit.xml'}"
    assert {"-n0", "--evosearch-seed=7"} < set(options)
    assert command[-2:] == ["--", "tests"]
    processes.close()


def test_an_island_that_has_ended_says_why_once(tmp_path: Path, started: list[Started]) -> None:
    processes = processes_of(tmp_path)
    folder = processes.start().folder
    line = "ERROR: evosearch: no Flask application found\n"
    (folder / "island-1" / "output.txt").write_text(line)
    assert processes.died() == {1: "no Flask application found", 2: "exit code 3"}
    assert processes.died() == {}
    processes.close()


def test_a_finisher_is_told_what_it_is_and_is_given_the_same_arguments(
    tmp_path: Path, started: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = processes_of(tmp_path, "--evosearch=60s", islands=1)

    mailbox = processes.start_finisher()

    monkeypatch.setenv("EVOSEARCH_ISLAND", started[0].environment["EVOSEARCH_ISLAND"])
    identity = Identity.own()
    assert identity is not None
    assert identity.finishes
    assert (identity.folder, identity.island, identity.islands) == (mailbox.folder, 1, 2)
    assert "--evosearch=60s" in started[0].command
    assert "-n0" not in started[0].command  # pytest-xdist need not be there
    processes.close()
    assert mailbox.is_called_to_stop
