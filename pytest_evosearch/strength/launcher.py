"""Runs a suite in forked processes: once to record each test's lines, then against mutants.

This is a separate script, copied into a scratch folder: it imports nothing from pytest-evosearch.
Its only argument is a JSON file. Its result is another JSON file, or a line of JSON for each trial.

    survey   one run under coverage.py; a context for each test says which lines it runs
    trials   the modules that are not the application's are imported once; every trial forks,
             puts the changed source in the place of its file, and runs the tests that run
             the changed statement until one fails

A child process may hang or eat memory: time and address space are bounded.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import json
import os
import signal
import sys
import threading
import time
import warnings
from pathlib import Path
from types import CodeType
from typing import Any

POLL_SECONDS = 0.005
"""Seconds between two looks at a running child."""

MEMORY_BYTES = 4 << 30
"""Address space of a child in bytes: an endless mutant must not use up the machine."""

SHARED = "shared"
"""Context of lines in fixtures with a wider scope than a test: they may matter to every test."""

CALL, SET_UP = "call", "set-up"


class Survey:
    """A pytest plugin: switches coverage's context for each test, and measures its time."""

    def __init__(self, measured: Any) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self._running = ""

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test is about to run."""
        self._running = nodeid
        self.seconds.setdefault(nodeid, 0.0)
        self._switch(SET_UP)

    def pytest_fixture_setup(self, fixturedef: Any) -> None:
        """Distinguish the set-up of one test from shared set-ups."""
        if fixturedef.scope == "function":
            self._switch(SET_UP)
        else:
            self.measured.switch_context(SHARED)

    def pytest_runtest_call(self) -> None:
        """Begin the test itself; hooks of a late plugin run before pytest's own."""
        self._switch(CALL)

    def pytest_runtest_teardown(self) -> None:
        """End the test itself."""
        self._switch(SET_UP)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Add up the phases of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.outcome == "failed":
            self.failed.append(report.nodeid)

    def _switch(self, phase: str) -> None:
        self.measured.switch_context(f"{phase} {self._running}")


class Selection:
    """A pytest plugin: runs only certain tests, and reports failures with their lines."""

    def __init__(self, tests: list[str] | None) -> None:
        self._tests = None if tests is None else set(tests)
        self.failures: list[dict[str, Any]] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Skip tests that do not run the changed code."""
        if self._tests is not None:
            items[:] = [item for item in items if item.nodeid in self._tests]

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record a failure with the last executed line of the test."""
        if report.outcome == "failed":
            file = str(report.location[0])
            lines = [
                entry.reprfileloc.lineno
                for entry in getattr(
                    getattr(report.longrepr, "reprtraceback", None), "reprentries", ()
                )
                if getattr(entry, "reprfileloc", None) is not None
                and str(entry.reprfileloc.path).endswith(Path(file).name)
            ]
            line = lines[-1] if lines else 0
            self.failures.append({"test": report.nodeid, "when": report.when, "line": line})


def survey(job: dict[str, Any]) -> int:
    """Run the suite once under coverage.py, and write what each test runs."""
    coverage = importlib.import_module("coverage")
    measured = coverage.Coverage(config_file=False, data_file=None, include=job["files"])
    plugin = Survey(measured)
    started = time.monotonic()
    measured.start()
    code = run_pytest([*job["paths"], *job["arguments"]], plugin)
    measured.stop()
    data = measured.get_data()
    lines = {}
    for file in data.measured_files():
        contexts = data.contexts_by_lineno(file).items()
        lines[file] = {number: sorted(filter(None, names)) for number, names in contexts}
    answer = {
        "code": code,
        "elapsed": time.monotonic() - started,
        "seconds": plugin.seconds,
        "failed": plugin.failed,
        "lines": lines,
        "modules": foreign_modules(job["files"], job["root"]),
    }
    Path(job["answer"]).write_text(json.dumps(answer), encoding="utf-8")
    return 0


def run_pytest(arguments: list[str], plugin: Any) -> int:
    """Run pytest in this process, in which no part of the suite was imported yet."""
    return int(importlib.import_module("pytest").main(arguments, plugins=[plugin]))


def foreign_modules(files: list[str], root: str) -> list[str]:
    """Return the imported modules that belong neither to the application nor to the project.

    pytest's plugins are left out: pytest must import them itself, to rewrite their assertions.
    """
    application = {str(Path(file).resolve()) for file in files}
    own = {
        name.partition(".")[0]
        for name, module in list(sys.modules.items())
        if is_of(module, application) or is_below(module, root)
    }
    found = []
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        if top in own or top.startswith(("_pytest", "pytest", "__", "coverage")):
            continue
        if getattr(module, "__spec__", None) is not None and getattr(module, "__file__", None):
            found.append(name)
    return [name for name in found if name.partition(".")[0] not in plugin_packages()]


def is_of(module: Any, files: set[str]) -> bool:
    """Say whether a module was loaded from one of `files`."""
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and str(Path(file).resolve()) in files


def is_below(module: Any, root: str) -> bool:
    """Say whether a module lies in the project and not in an environment inside it."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or "site-packages" in file:
        return False
    return Path(file).resolve().is_relative_to(Path(root).resolve())


def plugin_packages() -> set[str]:
    """Return the top-level names of installed pytest plugins."""
    metadata = importlib.import_module("importlib.metadata")
    points = metadata.entry_points(group="pytest11")
    return {point.value.partition(":")[0].partition(".")[0] for point in points}


def preload(job: dict[str, Any]) -> bool:
    """Import what every trial needs; return False when an import makes forks unsafe."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in job["modules"]:
            with contextlib.suppress(Exception):  # code that needs it imports it
                importlib.import_module(name)
    importlib.import_module("pytest")
    application = {str(Path(file).resolve()) for file in job["files"]}
    spoiled = any(is_of(module, application) for module in list(sys.modules.values()))
    return not spoiled and threading.active_count() == 1


def trials(job: dict[str, Any]) -> int:
    """Try one mutant after another, each in a fork."""
    if job["modules"] and not preload(job):
        job["modules"] = []
        cold = Path(job["answer"]).with_suffix(".cold")
        cold.write_text(json.dumps(job), encoding="utf-8")
        os.execv(sys.executable, [sys.executable, __file__, str(cold)])
    with Path(job["answer"]).open("a", encoding="utf-8") as answers:
        for trial in job["trials"]:
            answers.write(json.dumps(attempt(job, trial)) + "\n")
            answers.flush()
    return 0


def attempt(job: dict[str, Any], trial: dict[str, Any]) -> dict[str, Any]:
    """Fork, run the trial, and wait; end a child that takes too long."""
    log = Path(job["answer"]).with_name(f"trial-{trial['name']}.json")
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = child_main(job, trial, log)
        finally:
            os._exit(code)
    return {
        "name": trial["name"],
        "code": wait(child, started + trial["seconds"]),
        "seconds": time.monotonic() - started,
        "failures": json.loads(log.read_text(encoding="utf-8")) if log.exists() else [],
    }


def wait(child: int, end: float) -> int | None:
    """Return the exit code of a child, None when it was ended."""
    while True:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(POLL_SECONDS)


def child_main(job: dict[str, Any], trial: dict[str, Any], log: Path) -> int:
    """Run the tests of a trial in this process, with the changed source in place."""
    bound_memory()
    output = os.open(log.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    if trial["file"]:
        overlay(trial["file"], trial["source"])
    selection = Selection(trial["tests"])
    try:
        code = run_pytest([*trial["paths"], *job["arguments"]], selection)
    except BaseException:  # the change may raise anything anywhere
        code = 71
    log.write_text(json.dumps(selection.failures), encoding="utf-8")
    sys.stdout.flush()
    return code


def bound_memory() -> None:
    """Limit the address space, where the system supports it."""
    import resource  # only available where there is fork

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def overlay(file: str, source: str) -> None:
    """Make every loader of source files read `source` in place of `file`."""
    loader = importlib.machinery.SourceFileLoader
    wanted = os.path.realpath(file)
    original = loader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        if os.path.realpath(path) != wanted:
            return original(self, fullname)
        code: CodeType = compile(source, path, "exec", dont_inherit=True)
        return code

    loader.get_code = get_code  # type: ignore[method-assign]


def main() -> int:
    """Do the job from the command line."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.path[0] = str(Path.cwd())  # like ``python -m pytest``
    sys.argv = ["pytest"]
    # The bytecode of tests and unchanged modules is kept for the next trial, outside the project;
    # changed sources never get any.
    sys.pycache_prefix = job["bytecode"]
    sys.dont_write_bytecode = False
    return survey(job) if job["kind"] == "survey" else trials(job)


if __name__ == "__main__":
    sys.exit(main())
