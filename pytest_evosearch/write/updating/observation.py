"""Observes the present values in assertions of written tests, in fresh interpreters.

Four passes show what is stable: the unchanged one, one with a moved clock, one with another random
seed, and one with another hash seed, time zone and order. Values that differ are unstable.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.settings.phase_shares import SECONDS_PER_TEST
from pytest_evosearch.settings.phase_shares import START_UP_SECONDS
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.verification.circumstances import ANOTHER_CLOCK
from pytest_evosearch.write.verification.circumstances import ANOTHER_HASH
from pytest_evosearch.write.verification.circumstances import ANOTHER_ORDER
from pytest_evosearch.write.verification.circumstances import ANOTHER_SEED
from pytest_evosearch.write.verification.circumstances import ANOTHER_ZONE
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import Sight
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.recorded_run import sight_of

BETWEEN_RUNS = "changes between runs"

PASSES: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("", {}),
    ("changes with the clock", ANOTHER_CLOCK),
    ("changes with the random seed", ANOTHER_SEED),
    (BETWEEN_RUNS, {**ANOTHER_HASH, **ANOTHER_ZONE, **ANOTHER_ORDER}),
)
"""Meaning of a difference from the first pass, and environment of each pass."""


@dataclass
class Run:
    """One row of a test in one pass."""

    sights: dict[int, Sight] = field(default_factory=dict)
    """Line of the ``assert`` -> its values."""
    raised: str = ""
    """The exception that ended the test; empty when it ran to its end."""
    ended: bool = False

    @property
    def holds(self) -> bool:
        """Say whether the test would pass."""
        return self.ended and all(sight.holds for sight in self.sights.values())

    def within(self, lines: range) -> Run:
        """Return this run with only the observations on `lines`."""
        sights = {line: sight for line, sight in self.sights.items() if line in lines}
        return replace(self, sights=sights)


Runs = Mapping[tuple[str, str], Mapping[int, Run]]
"""(path of the module, test) -> row -> its observations; a test without a table has row 0."""


@dataclass(frozen=True)
class Observations:
    """All passes over a set of tests."""

    passes: Sequence[Runs]
    broken: str = ""
    """Why there are none; empty when there are some."""

    def rows(self, module: Path, test: str) -> list[list[Run]]:
        """Return, for every row of a test, the runs of all passes, the unchanged one first."""
        address = (str(module), test)
        rows = sorted(self.passes[0].get(address, ()))
        nothing = Run()
        return [[one.get(address, {}).get(row, nothing) for one in self.passes] for row in rows]


def observe(
    folder: Path, process: PytestProcess, tests: Mapping[Path, Collection[str]]
) -> Observations:
    """Run `tests` (module -> names) of `folder` in every pass.

    When all assertions hold in the first pass, there is nothing to refresh, and it is the only one.
    """
    passes: list[Runs] = []
    for _meaning, environment in PASSES:
        runs, last_line = _pass(folder, process, tests, environment)
        if not runs:
            return Observations(passes, last_line or "no test was run")
        passes.append(runs)
        if len(passes) == 1 and all(run.holds for rows in runs.values() for run in rows.values()):
            break
    return Observations(passes)


def _pass(
    folder: Path,
    process: PytestProcess,
    tests: Mapping[Path, Collection[str]],
    environment: Mapping[str, str],
) -> tuple[Runs, str]:
    wanted = {str(path): sorted(names) for path, names in tests.items()}
    extra = {**environment, "EVOSEARCH_OBSERVE_TESTS": json.dumps(wanted)}
    seconds = START_UP_SECONDS + SECONDS_PER_TEST * sum(map(len, tests.values()))
    entries, _code, output = run_with_plugins(process, [folder], seconds, environment=extra)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    rows = {entry["item"]: entry["row"] for entry in entries if "item" in entry}
    seen = ({**entry, "row": rows.get(entry["of"])} for entry in entries if "of" in entry)
    return read_runs(seen), lines[-1] if lines else ""


def read_runs(entries: Iterable[Mapping[str, object]]) -> Runs:
    """Return the runs in the log of one pass."""
    runs: dict[tuple[str, str], dict[int, Run]] = {}
    for entry in entries:
        rows = runs.setdefault((str(entry["file"]), str(entry["test"])), {})
        row = entry["row"]
        run = rows.setdefault(row if isinstance(row, int) else 0, Run())
        line = entry.get("line")
        if isinstance(line, int):
            run.sights[line] = sight_of(entry)
        elif "raised" in entry:
            run.raised = run.raised or str(entry["raised"])
        else:
            run.ended = True
    return runs


def reliable(first: object, others: Sequence[tuple[str, object]]) -> object:
    """Return `first`, with `Unstable` for parts that differ in `others` (reason, value)."""
    shapes = [value for _reason, value in others]
    if isinstance(first, dict) and all(
        isinstance(value, dict) and value.keys() == first.keys() for value in shapes
    ):
        return {key: reliable(element, list(_parts(others, key))) for key, element in first.items()}
    if isinstance(first, list) and all(
        isinstance(value, list) and len(value) == len(first) for value in shapes
    ):
        return [
            reliable(element, list(_parts(others, place))) for place, element in enumerate(first)
        ]
    reasons = [reason for reason, value in others if value != first]
    if not reasons:
        return first
    return Unstable(reasons[0] if len(reasons) == 1 else BETWEEN_RUNS)


def _parts(others: Sequence[tuple[str, object]], key: str | int) -> Iterator[tuple[str, object]]:
    for reason, value in others:
        if isinstance(value, dict):
            yield reason, value[key]
        else:
            assert isinstance(value, list)
            assert isinstance(key, int)
            yield reason, value[key]
