"""A run that begins anew since a call hung or crashed in C: what it knows, what it has left.

first beginning    the search starts; `Beginning.can_be_followed` prepares the next one
a call hangs       `sut.sandbox.fresh_start` makes a fresh interpreter of the process; the same
or crashes         where code in C ends the process
next beginning     it is told when the command began first, and what has hung or crashed; the tests
                   that were found are kept by `engine.recovery`
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart

VARIABLE = "EVOSEARCH_BEGUN"
"""Of the environment: where the next beginning finds what it knows."""

LEAST_SECONDS = 20.0
"""What is left in any case, also of a shorter budget: else nothing would be tried but what has
hung, or there would be no time to verify a test."""

PATIENCE_SECONDS = 5.0
PATIENCE_SHARE = 0.1
MOST_PATIENCE_SECONDS = 30.0
"""How long a call may miss its alarms, beyond its time limit: what takes long in C, and comes
back, costs less than to begin anew."""


MOST_CRASHES = 3
"""Endpoints that crash until every test gets a process of its own: each time costs a start."""


@dataclass(frozen=True)
class Dangers:
    """The endpoints whose calls end a process, in one beginning or an earlier one."""

    hung: Sequence[str] = ()
    """Those that did not come back from C."""
    crashed: Mapping[str, str] = field(default_factory=dict)
    """Those that ended the process by a signal, with its name and the place."""
    unknown: bool = False
    """Whether the process has died between two calls."""

    @property
    def apart(self) -> Sequence[str]:
        """Return the endpoints that have to be called in a process of their own."""
        return (*self.hung, *self.crashed)

    @property
    def are_everywhere(self) -> bool:
        """Say whether nothing can be called safely in this process."""
        return self.unknown or len(self.crashed) >= MOST_CRASHES

    def told(self) -> Iterator[str]:
        """Say why the run has begun anew, one line for each way."""
        if self.hung:
            yield _told(self.hung, "did not come back from C, where no time limit reaches")
        if self.crashed:
            crashes = [f"{name} ({crash})" for name, crash in self.crashed.items()]
            yield _told(crashes, "ended the process")


@dataclass(frozen=True)
class Beginning:
    """What a run knows that may have begun before."""

    began: float = 0.0
    """When the command began first, by `core.clock.monotonic`; 0 when it begins now."""
    dangers: Dangers = field(default_factory=Dangers)
    """What earlier beginnings have met."""
    start: FreshStart | None = None
    """How to begin anew; None when that is not possible."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Beginning:
        """Return what an earlier beginning has left."""
        told = environment.get(VARIABLE)
        if told is None:
            return cls()
        known = json.loads(told)
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
        """Begin anew when a call hangs or crashes inside the block of a command that `began`.

        `note` is where the reason goes.  Where all tests have processes of their own, what still
        crashes is no call, and would crash again.
        """
        if self.start is None or note is None:
            yield
            return
        known = {"began": self.began or began, **asdict(dangers)}
        given = note, {VARIABLE: json.dumps(known)}, not dangers.are_everywhere
        with self.start.possible(*given) as possible:
            if possible:
                ceiling.expect_to_hear(patience(budget))
            yield


FIRST_BEGINNING = Beginning()
"""Of a run that cannot begin anew."""


def _told(endpoints: Sequence[str], what: str) -> str:
    they, run = ("it", "runs") if len(endpoints) == 1 else ("they", "run")
    return (
        f"{', '.join(endpoints)} {what}: "
        f"the run has begun anew, and {they} {run} in processes that can be ended"
    )


def patience(budget: Budget) -> float:
    """Return the seconds that a call may be deaf to alarms."""
    if budget.seconds is None:
        return MOST_PATIENCE_SECONDS / 2
    return min(PATIENCE_SECONDS + PATIENCE_SHARE * budget.seconds, MOST_PATIENCE_SECONDS)
