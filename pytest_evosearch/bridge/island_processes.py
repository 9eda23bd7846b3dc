"""The processes of islands: each runs pytest with the same arguments and the number of its island.

    home      IslandProcesses: starts them when its own application is ready, ends them
    others    Identity.own: which island this is; kept_apart: what keeps it from the others

For the project's fixtures an island is a worker of pytest-xdist (`worker_id`, PYTEST_XDIST_WORKER).
So what keeps workers apart keeps islands apart.  This module separates the rest.  An island opens
throw-away copies of SQLite files outside the temporary folder, and of files that it writes.  It may
delete none (`sut.sandbox.copied_files`).
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import asdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.failing.putting_back import place_below
from pytest_evosearch.core.failing.putting_back import put_back_all
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scratch import ScratchFolder
from pytest_evosearch.report.terminal_lines import PREFIX
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.sandbox import child_processes
from pytest_evosearch.sut.sandbox.confinement import isolated_files
from pytest_evosearch.write.verification.pytest_process import MEASURING_PREFIXES
from pytest_evosearch.write.verification.pytest_process import end_process

if TYPE_CHECKING:
    from pytest_evosearch.engine.beside.mailbox import Mailbox

ISLAND = "EVOSEARCH_ISLAND"
"""Variable with the identity of an island's process, as JSON."""

LAST_SECONDS = 10.0
"""Seconds for a process to tear its fixtures down, when home no longer waits for it."""

FINISHER_SECONDS = 2.0
"""Seconds for a finisher at the end; it was asked to stop when the last verification began."""

_LOG = "output.txt"


@dataclass(frozen=True)
class Identity:
    """Which island a process is."""

    folder: Path
    """Folder for the messages of all islands of this search."""
    island: int
    islands: int
    home: int
    """Number of the process that started it."""
    finishes: bool = False
    """Whether it finishes tests that home finds, instead of searching."""

    @classmethod
    def own(cls) -> Identity | None:
        """Return which island this process is; None for home, and when there are no islands."""
        described = os.environ.get(ISLAND)
        if not described:
            return None
        known = json.loads(described)
        return cls(**{**known, "folder": Path(known["folder"])})

    @property
    def own_folder(self) -> Path:
        """Return the folder for files of this island alone."""
        return self.folder / f"island-{self.island}"

    @property
    def mailbox(self) -> Mailbox:
        """Return the folder as a mailbox."""
        from pytest_evosearch.engine.beside.mailbox import Mailbox

        return Mailbox(self.folder, self.island, self.islands)

    def environment(self) -> dict[str, str]:
        """Return the variables that make a process this island."""
        described = {**asdict(self), "folder": str(self.folder)}
        return {
            ISLAND: json.dumps(described),
            "PYTEST_XDIST_WORKER": f"gw{self.island}",
            "PYTEST_XDIST_WORKER_COUNT": str(self.islands),
            "PYTEST_XDIST_TESTRUNUID": self.folder.name,
        }

    def worker_input(self) -> dict[str, object]:
        """Return what pytest-xdist gives to its workers, and what fixtures request."""
        return {
            "workerid": f"gw{self.island}",
            "workercount": self.islands,
            "testrunuid": self.folder.name,
        }


class IslandProcesses:
    """Starts the other islands of a search, and ends them."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        # Copied before fixtures and the application add variables for this process alone.
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(MEASURING_PREFIXES)
        }
        self._home: Identity | None = None
        self._running: dict[Identity, subprocess.Popen[bytes]] = {}

    def start(self) -> Mailbox:
        """Start the islands, and return where home reads their messages."""
        self._folder = ScratchFolder("islands")
        home = self._home = Identity(
            self._folder.path, 0, self._settings.search.islands, os.getpid()
        )
        for number in range(1, home.islands):
            identity = replace(home, island=number)
            self._running[identity] = self._started(identity)
        return home.mailbox

    def start_finisher(self) -> Mailbox:
        """Start a process that finishes what this one finds."""
        from pytest_evosearch.engine.beside.letters import FINISHER
        from pytest_evosearch.engine.beside.letters import HOME
        from pytest_evosearch.engine.beside.letters import PROCESSES

        self._folder = ScratchFolder("beside")
        self._home = Identity(self._folder.path, HOME, PROCESSES, os.getpid())
        finisher = replace(self._home, island=FINISHER, finishes=True)
        self._running[finisher] = self._started(finisher)
        return self._home.mailbox

    def died(self) -> Mapping[int, str]:
        """Return the islands that ended since the last call, each with the reason."""
        ended = {}
        for identity, process in list(self._running.items()):
            if process.poll() is not None:
                del self._running[identity]
                ended[identity.island] = _last_words(identity.own_folder, process.returncode)
        return ended

    def end(self, island: int) -> None:
        """End the process of one island."""
        for identity in [one for one in self._running if one.island == island]:
            _end(self._running.pop(identity))

    def close(self) -> None:
        """End the islands that still run, and remove their files; a second call does nothing."""
        if self._home is None:
            return
        self._home.mailbox.call_to_stop()
        finishes = any(identity.finishes for identity in self._running)
        end = monotonic() + (FINISHER_SECONDS if finishes else LAST_SECONDS)
        for process in self._running.values():
            try:
                process.wait(max(0.0, end - monotonic()))
            except subprocess.TimeoutExpired:
                _end(process)
                put_back_all(place_below(self._settings.rootdir))
            _end(process)
        self._running.clear()
        self._folder.close()

    def _started(self, identity: Identity) -> subprocess.Popen[bytes]:
        identity.own_folder.mkdir()
        with (identity.own_folder / _LOG).open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "pytest", *self._arguments(identity.own_folder)],
                cwd=self._config.invocation_params.dir,
                env={**self._environment, **identity.environment()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=os.name == "posix",  # Ctrl-C goes to home, which stops them
            )

    def _arguments(self, own: Path) -> list[str]:
        given = [str(argument) for argument in self._config.invocation_params.args]
        added = [
            f"--evosearch-seed={self._settings.seed}",
            f"--basetemp={own / 'temporary'}",
        ]
        if self._settings.search.islands > 1:  # pytest-xdist is installed, and -n asked for more
            added.append("-n0")
        if self._config.getoption("xmlpath", None):
            added.append(f"--junit-xml={own / 'junit.xml'}")
        # After "--" no word is an option.
        place = given.index("--") if "--" in given else len(given)
        return [*given[:place], *added, *given[place:]]


def _last_words(folder: Path, code: int) -> str:
    """Return why the process of an island ended: its own message, else its signal or exit code."""
    from pytest_evosearch.engine.recovery import last_call

    if code < 0:
        call = last_call(folder) if -code != getattr(signal, "SIGKILL", 0) else ""
        return f"{signal.strsignal(-code)}{f' when {call} was called' if call else ''}"
    with suppress(OSError):
        lines = (folder / _LOG).read_text("utf-8", "replace").splitlines()
        said = [line for line in lines if line.startswith(("ERROR: evosearch: ", "E "))]
        if said:
            return said[-1].partition(PREFIX)[2] or said[-1][1:].strip()
    return f"exit code {code}"


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children, which would otherwise use its folders."""
    below = child_processes.descendants_of(process.pid) if process.poll() is None else []
    end_process(process)
    process.wait()
    child_processes.end_processes(lambda: filter(child_processes.is_running, below))


@contextmanager
def kept_apart(identity: Identity, root: Path) -> Iterator[None]:
    """Keep this island from the files of the other islands, while inside."""
    folder = identity.own_folder / "copies"
    folder.mkdir(exist_ok=True)
    with isolated_files(folder, root):
        yield
