"""Budgets: how long a search may take, in seconds or in evaluations.

People usually type seconds.  A budget of evaluations never looks at the clock, so two runs with it
can agree to the byte.
"""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_evosearch.core.clock import Clock
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import InvalidSetting

_DURATION = re.compile(
    r"(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m)?(?:(?P<seconds>\d+)s)?", re.ASCII
)
LONGEST_SECONDS = 365 * 24 * 3600
MOST_EVALUATIONS = 1_000_000_000
"""Largest number of evaluations: a larger one is a typing error, as no search reaches it."""

_LONGEST_TEXT = 40
"""Longest text, in characters, that is read as a budget."""

_EVALUATIONS = re.compile(r"(?P<evaluations>\d+)x", re.ASCII)


@dataclass(frozen=True)
class Budget:
    """Either a number of seconds or a number of evaluations; the other one is None."""

    seconds: float | None = None
    evaluations: int | None = None
    text: str = ""

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Read ``90s``, ``30m``, ``2h``, ``1h30m`` or ``5000x``, else raise `InvalidSetting`."""
        cleaned = text.strip().lower()
        match = _EVALUATIONS.fullmatch(cleaned)
        if match is not None and len(cleaned) <= _LONGEST_TEXT:
            return cls._checked(text, evaluations=int(match["evaluations"]))
        match = _DURATION.fullmatch(cleaned)
        if not cleaned or match is None or len(cleaned) > _LONGEST_TEXT:
            raise InvalidSetting(
                f"{text!r:.60} is not a budget: write a duration such as 90s, 30m, 2h or 1h30m, "
                "or a number of evaluations such as 5000x (--evosearch=30m)"
            )
        hours, minutes, seconds = (
            int(match[unit] or 0) for unit in ("hours", "minutes", "seconds")
        )
        return cls._checked(text, seconds=float(hours * 3600 + minutes * 60 + seconds))

    @classmethod
    def _checked(
        cls, text: str, seconds: float | None = None, evaluations: int | None = None
    ) -> Budget:
        if not (seconds or evaluations):
            raise InvalidSetting(f"the budget {text!r} is empty: write at least 1s or 1x")
        if (seconds or 0) > LONGEST_SECONDS or (evaluations or 0) > MOST_EVALUATIONS:
            raise InvalidSetting(
                f"the budget {text!r} is too large: write at most {LONGEST_SECONDS // 3600}h "
                f"or {MOST_EVALUATIONS}x"
            )
        return cls(seconds, evaluations, text.strip().lower())

    def divided(self, islands: int) -> Budget:
        """Return the budget of one of `islands` searches that run at once.

        The searches share the evaluations.  Each of them gets the whole time.
        """
        if self.evaluations is None:
            return self
        return replace(self, evaluations=-(-self.evaluations // islands))

    def part(self, share: float) -> Budget:
        """Return a share of the budget, at least one evaluation."""
        if self.evaluations is not None:
            return Budget(evaluations=max(1, round(share * self.evaluations)))
        return Budget(seconds=share * (self.seconds or 0.0))

    def __str__(self) -> str:
        return self.text or (f"{self.evaluations}x" if self.evaluations else f"{self.seconds:g}s")


class BudgetMeter:
    """Measures how much of a budget is spent.

    `share` never falls.  With a budget of evaluations it is 0 before the first one.  It is at least
    1 exactly when `exhausted` holds.
    """

    def __init__(self, budget: Budget, clock: Clock) -> None:
        self.budget = budget
        self.evaluations = 0
        self._clock = clock
        self._started = clock()

    def restart(self) -> None:
        """Measure time from now on, and forget the time before."""
        self._started = self._clock()

    @property
    def elapsed(self) -> float:
        """Return seconds since the meter was made, or since `restart`.

        Reports show them.  With a budget of evaluations no decision may use them.
        """
        return self._clock() - self._started

    @property
    def share(self) -> float:
        """Return the spent share of the budget, from 0 up."""
        if self.budget.evaluations is not None:
            return self.evaluations / self.budget.evaluations
        return self.elapsed / (self.budget.seconds or 1.0)

    @property
    def exhausted(self) -> bool:
        """Say whether the budget is spent."""
        return self.share >= 1.0

    def count(self, evaluations: int = 1) -> None:
        """Note that `evaluations` tests were executed."""
        self.evaluations += evaluations
