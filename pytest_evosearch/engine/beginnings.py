"""A run that starts again because a call hung or crashed in C: what it knows of earlier starts.

first beginning    the search starts; `Beginning.can_be_followed` prepares the next one
a call hangs       `sut.sandbox.fresh_start` starts a new interpreter in this process; so it
or crashes         does where code in C ends the process
next beginning     it learns when the command first began, and what has hung or crashed;
                   `engine.recovery` keeps the tests that were found
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import asdict
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart

VARIABLE = "EVOSEARCH_BEGUN"
"""Environment variable with what the next beginning needs to know."""

LEAST_SECONDS = 20.0
"""Seconds that are left in any case, even with a shorter budget.

Without them the new run could neither try other calls nor verify a test.
"""

PATIENCE_SECONDS = 5.0
PATIENCE_SHARE = 0.1
MOST_PATIENCE_SECONDS = 30.0
"""Longest time in seconds that a call may miss its alarms, after its time limit.

A call that takes long in C and returns costs less than a new start.
"""


MOST_CRASHES = 3
"""Number of crashing endpoints after which every test gets its own process: each costs a start."""


@dataclass(frozen=True)
class Dangers:
    """The endpoints whose calls end a process, in this beginning or an earlier one."""

    hung: Sequence[str] = ()
    """Endpoints whose calls did not return from C."""
    crashed: Mapping[str, str] = field(default_factory=dict)
    """Endpoints whose calls ended the process by a signal, with its name and the place."""
    unknown: bool = False
    """Whether the process has died between two calls."""

    @property
    def apart(self) -> Sequence[str]:
        """Return the endpoints that must be called in a process of their own."""
        return (*self.hung, *self.crashed)

    @property
    def are_everywhere(self) -> bool:
        """Say whether no endpoint can be called safely in this process."""
        return self.unknown or len(self.crashed) >= MOST_CRASHES

    def lines(self) -> Iterator[str]:
        """Yield why the run started again, one line for each reason."""
        if self.hung:
            yield _line(self.hung, "did not return from C, where time limits have no effect")
        if self.crashed:
            crashes = [f"{name} ({crash})" for name, crash in self.crashed.items()]
            yield _line(crashes, "ended the process")


@dataclass(frozen=True)
class Beginning:
    """What a run knows that may have started before."""

    began: float = 0.0
    """When the command first began, by `core.clock.monotonic`; 0 when it begins now."""
    dangers: Dangers = field(default_factory=Dangers)
    """What earlier beginnings have found."""
    start: FreshStart | None = None
    """How to start again; None when that is not possible."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Beginning:
        """Return what an earlier beginning wrote into the environment."""
        written = environment.get(VARIABLE)
        if written is None:
            return cls()
        known = json.loads(written)
        dangers = Dangers(tuple(known["hung"]), known["crashed"], known["unknown"])
        return cls(float(known["began"]), dangers)

    def counted_from(self, began: float, budget: Budget) -> float:
        """Return the moment from which a budget of seconds counts, for a command that `began`."""
        if not self.began or budget.seconds is None:
            return began
        return max(self.began, monotonic() + LEAST_SECONDS - budget.seconds)

    @contextmanager
    def can_be_followed(
        self,
        began: float,
        note: Path | None,
        dangers: Dangers,
        ceiling: Ceiling,
        budget: Budget,
    ) -> Iterator[None]:
        """Start again when a call hangs or crashes inside the block of a command that `began`.

        The reason is written to `note`.  Where every test has its own process, a crash here comes
        from no call and would happen again.  So there is no new start.
        """
        if self.start is None or note is None:
            yield
            return
        known = {"began": self.began or began, **asdict(dangers)}
        given = note, {VARIABLE: json.dumps(known)}, not dangers.are_everywhere
        with self.start.possible(*given) as possible:
            if possible:
                ceiling.expect_progress(patience(budget))
            yield


FIRST_BEGINNING = Beginning()
"""The beginning of a run that cannot start again."""


def _line(endpoints: Sequence[str], what: str) -> str:
    they, run = ("it", "runs") if len(endpoints) == 1 else ("they", "run")
    return (
        f"{', '.join(endpoints)} {what}: "
        f"the run has started again, and {they} {run} in processes that can be ended"
    )


def patience(budget: Budget) -> float:
    """Return the seconds for which a call may miss its alarms."""
    if budget.seconds is None:
        return MOST_PATIENCE_SECONDS / 2
    return min(PATIENCE_SECONDS + PATIENCE_SHARE * budget.seconds, MOST_PATIENCE_SECONDS)
