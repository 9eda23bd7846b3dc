"""A run that begins anew since a call did not come back from C: what it knows, what it has left.

first beginning    the search starts; `Beginning.can_be_followed` prepares the next one
a call hangs       `sut.sandbox.fresh_start` makes a fresh interpreter of the process
next beginning     it is told when the command began first, and what has hung; the tests that were
                   found are kept by `engine.recovery`
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.fresh_start import FreshStart

VARIABLE = "EVOSEARCH_BEGUN"
"""Of the environment: where the next beginning finds what it knows."""

LEAST_SHARE = 0.25
LEAST_SECONDS = 3.0
"""What is left of a budget in any case, in parts of it and in seconds: else nothing would be tried
but what has hung."""

PATIENCE_SECONDS = 5.0
PATIENCE_SHARE = 0.1
MOST_PATIENCE_SECONDS = 30.0
"""How long a call may miss its alarms, beyond its time limit: what takes long in C, and comes
back, costs less than to begin anew."""


@dataclass(frozen=True)
class Beginning:
    """What a run knows that may have begun before."""

    began: float = 0.0
    """When the command began first, by `core.clock.monotonic`; 0 when it begins now."""
    hung: Sequence[str] = ()
    """The endpoints that did not come back."""
    start: FreshStart | None = None
    """How to begin anew; None when that is not possible."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Beginning:
        """Return what an earlier beginning has left."""
        told = environment.get(VARIABLE)
        if told is None:
            return cls()
        known = json.loads(told)
        return cls(float(known["began"]), tuple(known["hung"]))

    def counted_from(self, began: float, budget: Budget) -> float:
        """Return the moment from which a budget of seconds counts, for a command that `began`."""
        if not self.began or budget.seconds is None:
            return began
        least = min(LEAST_SHARE * budget.seconds, LEAST_SECONDS)
        return max(self.began, monotonic() - (budget.seconds - least))

    @contextmanager
    def can_be_followed(
        self,
        began: float,
        note: Path | None,
        hung: Sequence[str],
        ceiling: Ceiling,
        budget: Budget,
    ) -> Iterator[None]:
        """Begin anew when a call hangs inside the block of a command that `began`.

        `note` is where the reason goes.
        """
        if self.start is None or note is None:
            yield
            return
        known = {"began": self.began or began, "hung": list(hung)}
        with self.start.possible(note, {VARIABLE: json.dumps(known)}) as possible:
            if possible:
                ceiling.expect_to_hear(patience(budget))
            yield


FIRST_BEGINNING = Beginning()
"""Of a run that cannot begin anew."""


def told_of_hanging(hung: Sequence[str]) -> str:
    """Say why the run has begun anew."""
    they, run = ("it", "runs") if len(hung) == 1 else ("they", "run")
    named = ", ".join(hung)
    return (
        f"{named} did not come back from C, where no time limit reaches: "
        f"the run has begun anew, and {they} {run} in processes that can be ended"
    )


def patience(budget: Budget) -> float:
    """Return the seconds that a call may be deaf to alarms."""
    if budget.seconds is None:
        return MOST_PATIENCE_SECONDS / 2
    return min(PATIENCE_SECONDS + PATIENCE_SHARE * budget.seconds, MOST_PATIENCE_SECONDS)
