"""Runs pytest on the written folder in a fresh interpreter."""

from __future__ import annotations

import importlib.util
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from threading import Lock

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.sandbox.child_processes import descendants_of
from pytest_evosearch.sut.sandbox.child_processes import end_processes
from pytest_evosearch.write.modules.browser_module import MODULE as BROWSER_MODULE
from pytest_evosearch.write.verification.bytecode import link_bytecode

OTHER_SETTINGS = (
    "PYTEST_ADDOPTS",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "COVERAGE_PROCESS_START",
)
"""Variables of the surrounding session that a fresh run must not inherit."""

VERIFYING = "EVOSEARCH_VERIFYING"
"""Variable that keeps a project's own ``addopts = --evosearch`` from starting a search."""

MEASURING_PREFIXES = ("COV_CORE_", "COVERAGE_PROCESS_")
"""Prefixes of variables with which coverage.py measures every started process."""

OTHER_PREFIXES = ("EVOSEARCH_", "PYTEST_XDIST_", *MEASURING_PREFIXES)


@dataclass(frozen=True)
class PytestProcess:
    """How pytest is run for the project in `root`."""

    root: Path
    arguments: tuple[str, ...] = ()
    """Further arguments: the project's own options (``--backend=memory``)."""
    environment: Mapping[str, str] = field(default_factory=dict)
    inherited: Mapping[str, str] | None = None
    """Variables that a run inherits: those of the user's shell, not what the application or the
    search has set since.  None for those of this process.
    """
    plugins: Collection[str] | None = None
    """Modules of the plugins that pytest loads here; None where only a guess is possible."""
    python: str = sys.executable
    traces: Path | None = None
    """File in which the runs note created files; None when it is not needed."""
    sharing: dict[str, str] = field(default_factory=dict, compare=False)
    """Variables with which runs set slow fixtures up once (`write.plugins.set_up_once`).

    Empty where fixtures are fast or cannot be shared, as a run may find out.
    """
    needed: set[str] = field(default_factory=set, compare=False)
    """Plugins of ours without which pytest does not begin here, as runs have found out."""
    restore: Callable[[], object] = field(default=lambda: None, compare=False)
    """Called before a run begins beside no other: restores databases that runs have changed."""
    _beginning: Lock = field(default_factory=Lock, compare=False)
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set, compare=False)

    def pytest_arguments(
        self, targets: Path | Sequence[Path], scratch: Path, workers: int = 0
    ) -> list[str]:
        """Return the arguments for a run of `targets`; `scratch` is a throw-away folder.

        `workers` (0 for none) only count if pytest-xdist is installed.
        """
        places = [targets] if isinstance(targets, Path) else targets
        given = [*map(str, places), "-q", "--maxfail=0", "-o", f"cache_dir={scratch / 'cache'}"]
        given.append("--continue-on-collection-errors")  # otherwise no other test is run
        # Tracebacks are not read, and expected failures would spend much time on them.
        given.append("--tb=line")
        given.append(f"--rootdir={self.root}")
        if all(place.name != BROWSER_MODULE for place in places):
            given.append(f"--ignore-glob=*/{BROWSER_MODULE}")
        if self._will_load("xdist.plugin"):
            given.append(f"-n{workers}")
        if self._will_load("pytest_cov.plugin"):
            given.append("--no-cov")
        return [*given, *self.arguments]

    @property
    def has_left_traces(self) -> bool:
        """Say whether the runs have created files that were not removed since."""
        return self.traces is not None and self.traces.exists()

    @property
    def has_workers(self) -> bool:
        """Say whether pytest-xdist can run tests in several processes."""
        return self._will_load("xdist.plugin")

    @property
    def same_order(self) -> list[str]:
        """Return the options that keep the order of the files."""
        return ["--randomly-dont-reorganize"] if self._will_load("pytest_randomly") else []

    def _will_load(self, plugin: str) -> bool:
        """Say whether the run will know the options of an installed `plugin`."""
        if self.plugins is not None:
            return plugin in self.plugins
        package = plugin.partition(".")[0]
        if importlib.util.find_spec(package) is None:
            return False
        environment = {**self._inherited, **self.environment}
        if environment.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
            return package in environment.get("PYTEST_PLUGINS", "")
        return True

    def run(
        self, command: Sequence[str], seconds: float, extra: Mapping[str, str] | None = None
    ) -> tuple[int | None, str]:
        """Run ``python command`` in the root; return its exit code (None: cut off) and output."""
        # Not a pipe: processes of the application would keep it open, and reading would wait for
        # them.
        with tempfile.TemporaryFile() as output:
            with self._beginning:  # runs at once begin in threads of their own
                if not self._running:
                    self.restore()
                process = subprocess.Popen(
                    [self.python, *command],
                    cwd=self.root,
                    env=self._environment(extra or {}),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=os.name == "posix",
                )
                self._running.add(process)
            code = self._awaited(process, seconds)
            output.seek(0)
            return code, output.read().decode("utf-8", "replace")

    def _awaited(self, process: subprocess.Popen[bytes], seconds: float) -> int | None:
        """Return the exit code of a process; end it and return None when it takes longer."""
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.returncode is None:
                end_process(process)
                process.wait()
            self._running.discard(process)

    def end_all(self) -> None:
        """End every run that other threads wait for."""
        for process in list(self._running):
            end_process(process)

    @property
    def bytecode(self) -> Path | None:
        """Return the runs' folder for bytecode; None when pytest writes no bytecode here.

        Without bytecode, pytest compiles every plugin and every test again, and a run with a dozen
        plugins takes twice as long. The runs share one folder, so no files appear beside the
        user's.
        """
        if sys.pycache_prefix:
            return Path(sys.pycache_prefix)
        cache = self.root / ".pytest_cache"
        return cache / "d" / "evosearch" / "bytecode" if cache.is_dir() else None

    def find_bytecode(self) -> None:
        """Let the runs find the bytecode of libraries that this process has imported."""
        if self.bytecode is not None and not sys.pycache_prefix:
            link_bytecode(self.bytecode, list(sys.modules.values()), self.root)

    def forget_bytecode(self, folder: Path) -> None:
        """Delete the bytecode of `folder`.

        Python compares the size and the whole seconds of a source with its bytecode. A test that is
        written, run and repaired within one second can keep both.
        """
        if self.bytecode is not None:
            within = Path(*folder.resolve().parts[1:])
            shutil.rmtree(self.bytecode / within, ignore_errors=True)

    def search_path(self, first: Path) -> str:
        """Return a PYTHONPATH that begins with `first`."""
        inherited = self.environment.get("PYTHONPATH", self._inherited.get("PYTHONPATH", ""))
        return os.pathsep.join([str(first), *([inherited] if inherited else [])])

    @property
    def _inherited(self) -> Mapping[str, str]:
        return os.environ if self.inherited is None else self.inherited

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        kept = {
            name: value
            for name, value in self._inherited.items()
            if name not in OTHER_SETTINGS and not name.startswith(OTHER_PREFIXES)
        }
        fixed = {
            "PYTHONDONTWRITEBYTECODE": "1",
            VERIFYING: "1",
            "EVOSEARCH_VERIFY_PARENT": str(os.getpid()),
        }
        if self.traces is not None:
            fixed["EVOSEARCH_VERIFY_TRACES"] = str(self.traces)
        if self.bytecode is not None:
            fixed |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.bytecode)}
        return {**kept, **self.environment, **extra, **fixed}


def end_process(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    if descendants_of(process.pid):
        end_processes(lambda: [*descendants_of(process.pid), process.pid])
    if os.name == "posix":
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
    else:
        process.kill()
