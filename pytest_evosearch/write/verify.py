"""Runs the written tests in fresh interpreters: as they are, and under other circumstances.

Pass 1 is what the user will do next.  Pass 2 has another hash seed, time zone and random
seed, a clock 400 days ahead, and the tests in reverse: what depends on any of these shows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pytest_evosearch.core.isolation import json
from pytest_evosearch.write import perturbation
from pytest_evosearch.write.pytest_process import PytestProcess

START_UP_SECONDS = 120.0
"""Allowed for one run besides its tests: importing a large application takes a while."""

SECONDS_PER_TEST = 5.0
"""Allowed for each test of a run, on average."""

PLUGIN = "evosearch_verification"
"""Name under which `perturbation` is copied and loaded."""

PASSES: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("in a fresh interpreter", {}),
    (
        "with another clock, time zone, hash seed, random seed and order",
        {
            "PYTHONHASHSEED": "4242",
            "TZ": "Pacific/Kiritimati",
            "EVOSEARCH_VERIFY_ORDER": "reversed",
            "EVOSEARCH_VERIFY_HOURS": "9613",
            "EVOSEARCH_VERIFY_SEED": "271828",
        },
    ),
)
"""Circumstances of each pass: what to call them, and the environment; 9613 hours are 400.5 days."""


@dataclass(frozen=True)
class Failure:
    """One test that did not pass."""

    file: str
    """Name of the module, without folders; the test is empty when the whole module failed."""
    test: str
    row: int | None
    reason: str
    hung: bool = False


@dataclass(frozen=True)
class Verdict:
    """What verification found."""

    failures: tuple[Failure, ...] = ()
    broken: str = ""
    """Why the runs say nothing about single tests; empty when they do."""


class Verifier(Protocol):
    """Decides which of the tests in a folder can be relied on."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run the tests of `folder` (about `tests` of them)."""
        ...


@dataclass(frozen=True)
class FreshInterpreters:
    """The verifier: two passes of pytest, each in an interpreter of its own."""

    process: PytestProcess
    tell: Callable[[str], None] = lambda _circumstances: None
    """Told before each run how it is run; a run may take minutes."""

    def __call__(self, folder: Path, tests: int) -> Verdict:
        """Run both passes; a run that breaks ends the verification."""
        failures: list[Failure] = []
        for circumstances, environment in PASSES:
            self.tell(circumstances)
            verdict = self._run_pass(folder, tests, circumstances, environment)
            failures.extend(verdict.failures)
            if verdict.broken:
                return Verdict(tuple(failures), verdict.broken)
        return Verdict(tuple(failures))

    def _run_pass(
        self, folder: Path, tests: int, circumstances: str, environment: Mapping[str, str]
    ) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="evosearch-verify-") as name:
            scratch = Path(name)
            source = Path(perturbation.__file__).read_text(encoding="utf-8")
            (scratch / f"{PLUGIN}.py").write_text(source, encoding="utf-8")
            log = scratch / "outcomes.jsonl"
            extra = {**environment, "EVOSEARCH_VERIFY_LOG": str(log)}
            extra["PYTHONPATH"] = self.process.search_path(scratch)
            command = ["-m", "pytest", "-p", PLUGIN]
            command += self.process.pytest_arguments(folder, scratch)
            seconds = START_UP_SECONDS + SECONDS_PER_TEST * tests
            code, output = self.process.run(command, seconds, extra)
            entries = list(_entries(log))
        return read_verdict(entries, code, output, circumstances)


def _entries(log: Path) -> Iterator[dict[str, object]]:
    if not log.exists():
        return
    # What follows the last line break was cut off in the middle of a line.
    for line in log.read_text(encoding="utf-8").split("\n")[:-1]:
        yield json.loads(line)


def read_verdict(
    entries: list[dict[str, object]], code: int | None, output: str, circumstances: str
) -> Verdict:
    """Return what the log of one pass says; `code` is None when the run was cut off."""
    items = {str(entry["item"]): entry for entry in entries if "item" in entry}
    failures: dict[str, Failure] = {}
    for entry in entries:
        if entry.get("outcome") == "failed":
            nodeid = str(entry["report"])
            unstable = "unstable: " if circumstances == PASSES[-1][0] else ""
            reason = f"{unstable}fails {circumstances}: {entry.get('reason')}"
            failures.setdefault(nodeid, _failure(nodeid, items, reason))
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
        return Verdict(broken="" if code == 5 else _explain(code, output, circumstances))
    return Verdict()


def _unfinished(entries: list[dict[str, object]]) -> str:
    ended = {entry["ended"] for entry in entries if "ended" in entry}
    started = [str(entry["started"]) for entry in entries if "started" in entry]
    return next((nodeid for nodeid in reversed(started) if nodeid not in ended), "")


def _failure(
    nodeid: str, items: Mapping[str, Mapping[str, object]], reason: str, hung: bool = False
) -> Failure:
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
