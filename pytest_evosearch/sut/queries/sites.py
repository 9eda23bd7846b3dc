"""Statements at lines of the application, their targets, and what comes of one that runs.

A line has one target for each outcome, whichever statement it puts together; each statement has
its own, and its conditions have theirs, which guide there.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Protocol

from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import query_target
from pytest_evosearch.core.targets import statement_target
from pytest_evosearch.sut.queries.row_nearness import Verdict
from pytest_evosearch.sut.queries.row_predicates import Selection

LOOKS = 6
"""Looks at the rows for one site in one test; a loop over many rows runs it again and again."""

OTHERS = "others"
"""Name of all statements of a line beyond the first ones; their rows are not looked at."""

ROWS, NONE, ACCEPTED = "rows", "none", "accepted"
"""Outcomes of a statement."""


class QueryScales(Protocol):
    """What is needed of `instrument.probing.weighing.Scales`."""

    @property
    def test(self) -> object | None:
        """The running test, None for code that does not belong to it."""
        ...

    @property
    def is_measuring(self) -> bool:
        """Whether distances are wanted."""
        ...

    def wants(self, target: TargetId) -> bool:
        """Say whether the score of a target is of interest."""
        ...

    def raise_score(self, target: TargetId, score: float) -> None:
        """Note how near the test has come to a target."""
        ...

    def suggest(self, target: TargetId, relation: str, observed: object, wanted: object) -> None:
        """Note a comparison on the way to a target."""
        ...

    def place(self) -> str | None:
        """Return the innermost line of the application that is being executed."""
        ...


@dataclass
class Site:
    """A statement at a line of the application."""

    place: str
    name: str
    selections: dict[str, Selection | None] = field(default_factory=dict)
    """By the text of the statement, which may hold values; None for what cannot be judged."""
    predicates: dict[TargetId, None] = field(default_factory=dict)
    test: object = None
    looks: int = 0

    def __post_init__(self) -> None:
        self.full = f"{self.place} {self.name}"
        self.rows = statement_target(self.full, ROWS)
        self.none = statement_target(self.full, NONE)
        self.rows_here = query_target(self.place, ROWS)
        self.none_here = query_target(self.place, NONE)

    def is_open(self, scales: QueryScales) -> bool:
        """Say whether there is anything left to learn."""
        own = (self.rows, self.none, self.rows_here, self.none_here)
        return any(map(scales.wants, own)) or any(map(scales.wants, self.predicates))

    def may_look(self, test: object) -> bool:
        """Say whether the rows may be looked at once more in this test."""
        if self.test is not test:
            self.test, self.looks = test, 0
        self.looks += 1
        return self.looks <= LOOKS and self.name != OTHERS


class Question:
    """A statement that is about to run; told afterwards what came of it."""

    def __init__(self, scales: QueryScales, site: Site, verdict: Verdict | None) -> None:
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
            return  # no value makes it find nothing: that counts if it happens, and is no aim
        scales.raise_score(other, verdict.near_none if rows else verdict.near_rows)
        for wish in verdict.leaving if rows else verdict.wishes:
            scales.suggest(other, *wish)

    def presume(self) -> None:
        """Note what the rows have shown, where the driver does not count what it returns."""
        if self._verdict is not None:
            self.finds(self._verdict.finds)


class Acceptance(Question):
    """A write that was refused before."""

    def __init__(self, scales: QueryScales, targets: Sequence[TargetId]) -> None:
        self._scales = scales
        self._targets = targets

    def finds(self, rows: bool) -> None:
        """Note that it was accepted: nothing was raised."""
        for target in self._targets:
            self._scales.raise_score(target, COVERED)

    def presume(self) -> None:
        """See `finds`."""
        self.finds(rows=True)


class Unread(Question):
    """A statement whose rows could not be read: if it runs itself, that is no fault of a value."""

    def __init__(
        self, scales: QueryScales, site: Site, is_single_row: bool, pass_over: Callable[[], None]
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
