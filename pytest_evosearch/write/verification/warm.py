"""Pairs runs for one interpreter, which loads the application once and forks for each run.

The leading run needs its circumstances from the start of the interpreter (another hash seed, a
clock that is moved before any import). The following run needs only circumstances that an
interpreter can change to afterwards: another order, zone or number of threads, the real clock,
warnings as errors, two processes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import field
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.verification.circumstances import APART
from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.recorded_run import Entry
from pytest_evosearch.write.verification.verdicts import Verdict


@dataclass(frozen=True)
class Run:
    """One interpreter, or its forks: the circumstances, and the tests to run."""

    circumstances: Circumstances
    targets: tuple[Path, ...]
    """Files to run; () for everything that the project collects."""
    apart: bool = False
    """Whether every module runs in a fork of the interpreter that has loaded them all."""
    follower: Run | None = None
    """The run of later forks of this interpreter."""
    leader: bool = True
    """Whether it has an interpreter of its own."""
    outcome: Future[Verdict] = field(default_factory=Future, compare=False)
    """For a run without its own interpreter: the verdict from its leader."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the variables of the process."""
        then = {} if self.follower is None else {"EVOSEARCH_VERIFY_THEN": self.follower._described}
        return {**self.circumstances.environment, **(APART if self.apart else {}), **then}

    @property
    def modules(self) -> list[Path]:
        """Return the modules that are run."""
        found = [modules_of(one) if one.is_dir() else [one] for one in self.targets]
        return [module for modules in found for module in modules]

    @property
    def is_in_forks(self) -> bool:
        """Say whether forks of an interpreter run the tests."""
        return self.apart or not self.leader

    @property
    def alone(self) -> Run:
        """Return this run with its own interpreter."""
        return replace(self, leader=True, follower=None, outcome=Future())

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options of the process."""
        markers = ("--strict-markers",) if self.follower is not None else ()
        return (*self.circumstances.options, *markers)

    def notify_follower(self, verdict: Verdict) -> None:
        """Pass the verdict of this interpreter's forks to the follower."""
        if self.follower is not None:
            self.follower.outcome.set_result(verdict)

    @contextmanager
    def reporting_failure(self) -> Iterator[None]:
        """End the follower, too, when an exception ends the block."""
        try:
            yield
        except BaseException as error:
            if self.follower is not None:
                self.follower.outcome.set_exception(error)
            raise

    @property
    def _described(self) -> str:
        one = self.circumstances
        warnings = [
            after for name, after in zip(one.options, one.options[1:], strict=False) if name == "-W"
        ]
        environment = {
            name: value for name, value in one.environment.items() if name != "PYTHONHASHSEED"
        }
        described = {"environment": environment, "warnings": warnings, "processes": one.workers}
        return json.dumps(described)


def modules_of(folder: Path) -> list[Path]:
    """Return the modules of a written suite."""
    return sorted(folder.glob(f"{PREFIX}*.py"))


def warmed(runs: Sequence[Run]) -> list[Run]:
    """Return the runs, with a follower where one interpreter is enough for two."""
    leaders = [run for run in runs if _holds(run, MOVED) and run.targets]
    followers = [run for run in runs if _holds(run, STRICT)]
    if len(leaders) != 1 or len(followers) != 1 or leaders[0].targets != followers[0].targets:
        return list(runs)
    follower = replace(followers[0], leader=False, outcome=Future())
    leader = replace(leaders[0], apart=True, follower=follower)
    exchanged = {id(leaders[0]): leader, id(followers[0]): follower}
    found = [exchanged.get(id(run), run) for run in runs]
    return sorted(found, key=lambda run: not run.leader)  # a follower waits for its leader


def _holds(run: Run, one: Circumstances) -> bool:
    return one in (run.circumstances, *run.circumstances.members)


def divided(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Return the log entries of the leader, and those of its follower."""
    place = next((at for at, entry in enumerate(entries) if "change" in entry), len(entries))
    collected = [entry for entry in entries[:place] if "item" in entry]
    return list(entries[:place]), [*collected, *entries[place + 1 :]]


def is_complete(entries: Sequence[Entry]) -> bool:
    """Say whether the log of a follower has an entry for each test."""
    items = {entry["item"] for entry in entries if "item" in entry}
    described = {entry.get("ended", entry.get("left out")) for entry in entries}
    return bool(items) and items <= described
