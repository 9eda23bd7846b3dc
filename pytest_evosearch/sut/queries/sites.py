"""Statements at lines of the application, their targets, and their results.

A line has one target for each outcome, whichever statement it builds. Each statement has targets of
its own, and so does each of its conditions; they guide the search to the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import query_target
from pytest_evosearch.core.targets import statement_target
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.queries.row_nearness import Verdict
from pytest_evosearch.sut.queries.row_predicates import Selection

LOOKS = 6
"""Most looks at rows for one site in one test; a loop may run a statement again and again."""

OTHERS = "others"
"""Common name of a line's statements after the first ones; their rows are not read."""

ROWS, NONE, ACCEPTED = "rows", "none", "accepted"
"""Outcomes of a statement."""


@dataclass
class Site:
    """A statement at a line of the application."""

    place: str
    name: str
    selections: dict[str, Selection | None] = field(default_factory=dict)
    """Text of a statement, perhaps with values -> its selection; None when it cannot be judged."""
    predicates: dict[TargetId, None] = field(default_factory=dict)
    test: object = None
    looks: int = 0

    def __post_init__(self) -> None:
        self.full = f"{self.place} {self.name}"
        self.rows = statement_target(self.full, ROWS)
        self.none = statement_target(self.full, NONE)
        self.rows_here = query_target(self.place, ROWS)
        self.none_here = query_target(self.place, NONE)

    def is_open(self, scales: Scales) -> bool:
        """Say whether there is anything left to learn."""
        own = (self.rows, self.none, self.rows_here, self.none_here)
        return any(map(scales.wants, own)) or any(map(scales.wants, self.predicates))

    def may_look(self, test: object) -> bool:
        """Say whether this test may read the rows once more."""
        if self.test is not test:
            self.test, self.looks = test, 0
        self.looks += 1
        return self.looks <= LOOKS and self.name != OTHERS


class Question:
    """A statement that is about to run; it receives the result afterwards."""

    def __init__(self, scales: Scales, site: Site, verdict: Verdict | None) -> None:
        self._scales = scales
        self._site = site
        self._verdict = verdict

    def finds(self, rows: bool) -> None:
        """Note whether the statement has returned or changed rows."""
        site, verdict, scales = self._site, self._verdict, self._scales
        taken, other = (site.rows, site.none) if rows else (site.none, site.rows)
        scales.raise_score(site.rows_here if rows else site.none_here, COVERED)
        scales.raise_score(taken, COVERED)
        if verdict is None:
            scales.raise_score(other, REACHED_EMPTY)
            return
        if rows and not verdict.leaving:
            return  # no value makes it find nothing: that result counts, but is no goal
        scales.raise_score(other, verdict.near_none if rows else verdict.near_rows)
        for wish in verdict.leaving if rows else verdict.wishes:
            scales.suggest(other, *wish)

    def presume(self) -> None:
        """Note the judgement of the rows, where the driver does not count its results."""
        if self._verdict is not None:
            self.finds(self._verdict.finds)


class Acceptance(Question):
    """A write that was refused before."""

    def __init__(self, scales: Scales, targets: Sequence[TargetId]) -> None:
        self._scales = scales
        self._targets = targets

    def finds(self, rows: bool) -> None:
        """Note that it was accepted: there was no exception."""
        for target in self._targets:
            self._scales.raise_score(target, COVERED)

    def presume(self) -> None:
        """See `finds`."""
        self.finds(rows=True)


class Unread(Question):
    """A statement whose rows could not be read: if it runs, its values are not at fault."""

    def __init__(
        self, scales: Scales, site: Site, is_single_row: bool, pass_over: Callable[[], None]
    ) -> None:
        super().__init__(scales, site, None)
        self._is_single_row = is_single_row
        self._pass_over = pass_over

    def finds(self, rows: bool) -> None:
        """Note that only the reading has failed."""
        self._pass_over()
        if not self._is_single_row:
            super().finds(rows)

    def presume(self) -> None:
        """Note nothing: the statement may have found rows, or none."""
