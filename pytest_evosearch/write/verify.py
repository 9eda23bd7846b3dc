"""Runs the written tests in fresh interpreters: as they are, and under other circumstances.

    as they are                   what the user will do next
    moved                         another clock, time zone, hash seed, random seed, reversed order
    strict                        warnings are errors, markers are strict, random order
    module by module              each in an interpreter of its own, without the plugin
    in two processes at once      where pytest-xdist is installed
    with the project's own suite  unless that takes long

What depends on any of these shows.  After a repair only what failed is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Protocol

from pytest_evosearch.write.modules import PREFIX
from pytest_evosearch.write.pytest_process import PytestProcess
from pytest_evosearch.write.recorded_run import Entry
from pytest_evosearch.write.recorded_run import Sight
from pytest_evosearch.write.recorded_run import run_with_plugins
from pytest_evosearch.write.recorded_run import sight_of

START_UP_SECONDS = 120.0
"""Allowed for one run besides its tests: importing a large application takes a while."""

SECONDS_PER_TEST = 5.0
"""Allowed for each test of a run, on average."""

OWN_SUITE_SECONDS = 20.0
"""Allowed for the run with the project's own suite: a longer one is given up."""

WORKERS = 2


class Scope(Enum):
    """What one interpreter runs."""

    FOLDER = "every written test"
    MODULES = "one module"
    PROJECT = "the project's own suite too"


@dataclass(frozen=True)
class Circumstances:
    """One way to run the written tests."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    scope: Scope = Scope.FOLDER
    workers: int = 0
    unstable: bool = False
    """A test that fails only here depends on what changes from run to run."""
    optional: bool = False
    """The project may not bear them itself: a run without results says nothing of the tests."""


PLAIN = Circumstances("in a fresh interpreter")
STRICT = Circumstances(
    "where warnings are errors",
    {"PYTHONHASHSEED": "1", "TZ": "America/St_Johns", "EVOSEARCH_VERIFY_ORDER": "1"},
    ("-W", "error", "--strict-markers"),
    optional=True,
)
TOGETHER = Circumstances("in two processes at once", workers=WORKERS, optional=True)
ALL = (
    PLAIN,
    Circumstances(
        "with another clock, time zone, hash seed, random seed and order",
        {
            "PYTHONHASHSEED": "4242",
            "TZ": "Pacific/Kiritimati",
            "EVOSEARCH_VERIFY_ORDER": "reversed",
            "EVOSEARCH_VERIFY_HOURS": "9613",
            "EVOSEARCH_VERIFY_SEED": "271828",
        },
        unstable=True,
    ),
    STRICT,
    Circumstances(
        "as a module by itself",
        options=("-p", "no:evosearch"),
        scope=Scope.MODULES,
        unstable=True,
        optional=True,
    ),
    TOGETHER,
    Circumstances("with the project's own suite", scope=Scope.PROJECT, optional=True),
)
"""In the order in which they are run; 9613 hours are 400.5 days."""


@dataclass(frozen=True)
class Failure:
    """One test that did not pass."""

    file: str
    """Name of the module, without folders; the test is empty when the whole module failed."""
    test: str
    row: int | None
    reason: str
    hung: bool = False
    line: int = 0
    """Of the assertion that does not hold; 0 when it was none."""
    sight: Sight | None = None
    """What that assertion compared."""
    warning: str = ""
    """Class of the warning that was an error, as a filter names it; empty for anything else."""


@dataclass(frozen=True)
class Verdict:
    """What verification found."""

    failures: tuple[Failure, ...] = ()
    broken: str = ""
    """Why the runs say nothing about single tests; empty when they do."""
    notices: tuple[str, ...] = ()
    """What is worth telling though no single test is to blame."""
    crowded: bool = False
    """Tests fail only where two processes run at once: something is shared."""


class Verifier(Protocol):
    """Decides which of the tests in a folder can be relied on."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run the tests of `folder` (about `tests` of them)."""
        ...


@dataclass
class FreshInterpreters:
    """The verifier of one suite; from the second call on it repeats only what failed."""

    process: PytestProcess
    circumstances: Sequence[Circumstances] = ALL
    tell: Callable[[str], None] = lambda _circumstances: None
    """Told before each run how it is run; a run may take minutes."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run `folder` in every way that is left; a run that breaks ends the verification."""
        failures: list[Failure] = []
        notices: list[str] = []
        crowded = False
        again: list[Circumstances] = []
        for one in self.circumstances:
            self.tell(one.name)
            verdict = self._verdict(one, folder, tests)
            failures.extend(verdict.failures)
            notices.extend(verdict.notices)
            crowded = crowded or verdict.crowded
            if verdict.failures or verdict.crowded:
                again.append(one)
            if verdict.broken:
                return Verdict(tuple(failures), verdict.broken)
            if verdict.failures and one is PLAIN:
                break  # the rest would mostly fail for the same reasons
        if PLAIN not in again:
            self.circumstances = again
        return Verdict(tuple(failures), notices=tuple(notices), crowded=crowded)

    def _verdict(self, one: Circumstances, folder: Path, tests: int) -> Verdict:
        if one.workers and not self.process.has_workers:
            return Verdict()
        if one.scope is Scope.PROJECT:
            return self._with_own_suite(one, folder)
        targets = [folder]
        if one.scope is Scope.MODULES:
            targets = sorted(folder.glob(f"{PREFIX}*.py"))
            if len(targets) == 1:
                return Verdict()
        verdicts = [self._run(one, target, tests) for target in targets]
        failures = tuple(failure for verdict in verdicts for failure in verdict.failures)
        broken = "" if one.optional else next((v.broken for v in verdicts if v.broken), "")
        verdict = Verdict(failures, broken)
        if one is TOGETHER and failures:
            return _told(failures)
        warned = {(failure.file, failure.test) for failure in failures if failure.warning}
        if one is STRICT and len(warned) >= tests > 1:
            return Verdict()  # the project itself warns: no test can help that
        return verdict

    def _run(self, one: Circumstances, target: Path, tests: int) -> Verdict:
        seconds = START_UP_SECONDS + SECONDS_PER_TEST * tests
        entries, code, output = run_with_plugins(
            self.process,
            [target],
            seconds,
            environment=one.environment,
            options=one.options,
            workers=one.workers,
        )
        return read_verdict(entries, code, output, one)

    def _with_own_suite(self, one: Circumstances, folder: Path) -> Verdict:
        """Run everything that the project collects; only what was written is judged."""
        entries, code, output = run_with_plugins(
            self.process, [], OWN_SUITE_SECONDS, environment=one.environment
        )
        if code is None:
            return Verdict()
        names = {path.name for path in folder.glob(f"{PREFIX}*.py")}
        failures = read_verdict(entries, code, output, one).failures
        return Verdict(tuple(failure for failure in failures if failure.file in names))


def _told(failures: Sequence[Failure]) -> Verdict:
    """Blame the project for what fails only in two processes: they share a file or a port."""
    tests = {(failure.file, failure.test) for failure in failures}
    first = failures[0]
    return Verdict(
        notices=(f"{len(tests)} written tests share something: {first.test} {first.reason}",),
        crowded=True,
    )


def read_verdict(
    entries: Sequence[Entry], code: int | None, output: str, circumstances: Circumstances
) -> Verdict:
    """Return what the log of one run says; `code` is None when the run was cut off."""
    items = {str(entry["item"]): entry for entry in entries if "item" in entry}
    compared = {str(entry["compared"]): entry for entry in entries if "compared" in entry}
    failures: dict[str, Failure] = {}
    for entry in entries:
        if entry.get("outcome") == "failed":
            nodeid = str(entry["report"])
            unstable = "unstable: " if circumstances.unstable else ""
            reason = f"{unstable}fails {circumstances.name}: {entry.get('reason')}"
            failure = _failure(nodeid, items, reason)
            failures.setdefault(nodeid, _with_details(failure, entry, compared.get(nodeid)))
        elif "uncollected" in entry:
            nodeid = str(entry["uncollected"])
            reason = f"cannot be collected: {entry.get('reason')}"
            failures.setdefault(nodeid, Failure(Path(nodeid).name, "", None, reason))
    running = _unfinished(entries)
    if code is None and running:
        failures[running] = _failure(running, items, "does not end", hung=True)
    if failures:
        return Verdict(tuple(failures.values()))
    if code not in (0, 5) or (code == 5 and not items):
        return Verdict(broken="" if code == 5 else _explain(code, output, circumstances.name))
    return Verdict()


def _with_details(failure: Failure, entry: Entry, compared: Entry | None) -> Failure:
    failure = replace(failure, warning=str(entry.get("warning", "")))
    if compared is None:
        return failure
    line = compared["line"]
    return replace(failure, line=line if isinstance(line, int) else 0, sight=sight_of(compared))


def _unfinished(entries: Sequence[Entry]) -> str:
    ended = {entry["ended"] for entry in entries if "ended" in entry}
    started = [str(entry["started"]) for entry in entries if "started" in entry]
    return next((nodeid for nodeid in reversed(started) if nodeid not in ended), "")


def _failure(nodeid: str, items: Mapping[str, Entry], reason: str, hung: bool = False) -> Failure:
    item = items.get(nodeid)
    if item is None:
        return Failure(Path(nodeid.partition("::")[0]).name, "", None, reason, hung)
    row = item["row"]
    place = row if isinstance(row, int) else None
    return Failure(str(item["file"]), str(item["test"]), place, reason, hung)


def _explain(code: int | None, output: str, circumstances: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1][:200] if lines else "no output"
    if code is None:
        return f"the verification {circumstances} did not end: {last}"
    return f"the verification {circumstances} ended with exit code {code}: {last}"
