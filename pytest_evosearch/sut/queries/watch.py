"""Sees the statements of a running test, and scores what they want to be seen doing.

    cursor.execute(text, parameters)
        which test, which line of the application, which statement -> a site with its targets
        every target is retired: nothing more to do
        before it runs: rows are read and judged (`judging`)
        after it has run: rows or none is covered, the other one is as near as was judged

Invariant: whatever goes wrong here, the statement runs as it would without.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field
from itertools import islice
from typing import Any
from typing import Protocol

from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import predicate_target
from pytest_evosearch.core.targets import query_target
from pytest_evosearch.sut.queries.judging import MOST_WISHES
from pytest_evosearch.sut.queries.judging import RowReader
from pytest_evosearch.sut.queries.judging import RowsUnavailableError
from pytest_evosearch.sut.queries.judging import Verdict
from pytest_evosearch.sut.queries.judging import judged_rows
from pytest_evosearch.sut.queries.parsing import sqlglot
from pytest_evosearch.sut.queries.parsing import tree_of
from pytest_evosearch.sut.queries.refusals import refused_wishes
from pytest_evosearch.sut.queries.refusals import write_of
from pytest_evosearch.sut.queries.selection import Selection
from pytest_evosearch.sut.queries.selection import UnsupportedQueryError
from pytest_evosearch.sut.queries.selection import select
from pytest_evosearch.sut.queries.statements import Statement
from pytest_evosearch.sut.queries.statements import is_watched
from pytest_evosearch.sut.queries.statements import read_statement
from pytest_evosearch.sut.queries.wishes import Wish

LOOKS = 6
"""Looks at the rows for one site in one test; a loop over many rows runs it again and again."""

MOST_SITES = 5000
MOST_STATEMENTS = 4096
"""Statements that are remembered; an application that writes values into them makes new ones."""

MOST_AT_A_PLACE = 12
"""Statements of one line that are targets: one that is put together may come in many forms."""

MOST_SHOWN = 60
"""Characters of a statement that is told."""

OF_THE_SCHEMA = ("sqlite_", "pg_", "information_schema", "mysql.", "alembic_version")
"""Beginnings of tables that hold no data of an application."""


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

    name: str
    rows: TargetId
    none: TargetId
    selections: dict[str, Selection | None] = field(default_factory=dict)
    """By the text of the statement, which may hold values; None for what cannot be judged."""
    predicates: dict[TargetId, None] = field(default_factory=dict)
    test: object = None
    looks: int = 0

    def is_open(self, scales: QueryScales) -> bool:
        """Say whether there is anything left to learn."""
        return (
            scales.wants(self.rows)
            or scales.wants(self.none)
            or any(map(scales.wants, self.predicates))
        )

    def may_look(self, test: object) -> bool:
        """Say whether the rows may be looked at once more in this test."""
        if self.test is not test:
            self.test, self.looks = test, 0
        self.looks += 1
        return self.looks <= LOOKS


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


class _Acceptance(Question):
    """A write that was refused before."""

    def __init__(self, scales: QueryScales, target: TargetId) -> None:
        self._scales = scales
        self._target = target

    def finds(self, rows: bool) -> None:
        """Note that it was accepted: nothing was raised."""
        self._scales.raise_score(self._target, COVERED)

    def presume(self) -> None:
        """See `finds`."""
        self.finds(rows=True)


@dataclass(frozen=True)
class _Writing:
    """The last statement that writes."""

    statement: Statement
    parameters: Any
    dialect: str


class QueryWatch:
    """Watches the statements of the running test."""

    def __init__(self, scales: QueryScales, own_time: OwnTime) -> None:
        self._scales = scales
        self._own_time = own_time
        self._statements: dict[tuple[str, bool], Statement | None] = {}
        self._sites: dict[tuple[str, str], Site] = {}
        self._at_place: dict[str, int] = {}
        self.is_reading = False
        """Rows are being read: what runs now is a statement of ours."""
        self._writing: _Writing | None = None
        self._refused: set[str] = set()
        """Names of statements that a constraint has refused."""
        self._unread = ""
        self.passed_over = 0
        """Statements that could not be judged."""

    def ask(
        self, text: Any, parameters: Any, dialect: str, formats: bool, reader: RowReader
    ) -> Question | None:
        """Look at a statement before it runs; None where there is nothing to learn from it."""
        if self.is_reading or not isinstance(text, str):
            return None
        test = self._scales.test
        if test is None:
            return None
        statement = self._statement(text, parameters, formats)
        if statement is None:
            return None
        self._writing = None
        if statement.verb != "select":
            self._writing = _Writing(statement, parameters, dialect)
        if statement.verb == "insert":
            return self._accepting(statement)
        place = self._scales.place()
        site = None if place is None else self._site(place, statement.name)
        if site is None or not site.is_open(self._scales):
            return None
        verdict = selection = None
        if self._scales.is_measuring and site.may_look(test):
            with self._own_time.counted():
                selection = self._selection(site, statement, dialect)
                if selection is not None:
                    verdict = self._judged(site, statement, parameters, selection, reader)
        question = Question(self._scales, site, verdict)
        if selection is not None and selection.is_single_row:
            if verdict is not None:
                question.finds(verdict.finds)
            return None
        return question

    def _accepting(self, statement: Statement) -> Question | None:
        """Return what is told when an ``INSERT`` is accepted that was refused before."""
        if statement.name not in self._refused:
            return None
        place = self._scales.place()
        if place is None:
            return None
        target = query_target(f"{place} {statement.name}", "accepted")
        return _Acceptance(self._scales, target) if self._scales.wants(target) else None

    def note_refusal(self, error: Exception, reader: RowReader) -> None:
        """Take in that the last statement failed: a constraint says what it would have taken."""
        writing, self._writing = self._writing, None
        if writing is None or self._scales.test is None or not self._scales.is_measuring:
            return
        place = self._scales.place()
        if place is None or len(self._refused) >= MOST_SITES:
            return
        with self._own_time.counted():
            self.is_reading = True
            try:
                wishes = self._refused_wishes(writing, error, reader)
            except Exception:  # a message, or a value, that is like no other
                self.passed_over += 1
                return
            finally:
                self.is_reading = False
        if wishes:
            self._refused.add(writing.statement.name)
            target = query_target(f"{place} {writing.statement.name}", "accepted")
            self._scales.raise_score(target, REACHED_EMPTY)
            for wish in wishes:
                self._scales.suggest(target, *wish)

    def _refused_wishes(self, writing: _Writing, error: Exception, reader: RowReader) -> list[Wish]:
        statement = writing.statement
        values = statement.values(writing.parameters)
        write = write_of(statement.text, writing.dialect, values)
        if write is None:
            return []
        return list(islice(refused_wishes(error, write, writing.dialect, reader), MOST_WISHES))

    def _statement(self, text: str, parameters: Any, formats: bool) -> Statement | None:
        key = text, bool(parameters)
        if key not in self._statements:
            if len(self._statements) >= MOST_STATEMENTS:
                self._statements.clear()
            found = read_statement(text, parameters, formats) if is_watched(text) else None
            if found is not None and _is_of_schema(found):
                found = None
            self._statements[key] = found
        return self._statements[key]

    def _site(self, place: str, name: str) -> Site | None:
        site = self._sites.get((place, name))
        if site is None:
            if self._at_place.get(place, 0) >= MOST_AT_A_PLACE:
                return None
            if len(self._sites) >= MOST_SITES:
                return None
            self._at_place[place] = self._at_place.get(place, 0) + 1
            full = f"{place} {name}"
            site = Site(full, query_target(full, "rows"), query_target(full, "none"))
            self._sites[place, name] = site
        return site

    def _selection(self, site: Site, statement: Statement, dialect: str) -> Selection | None:
        known = site.selections
        if statement.text not in known:
            if len(known) >= MOST_AT_A_PLACE:
                known.clear()
            known[statement.text] = self._compiled(statement, dialect)
        return known[statement.text]

    def _compiled(self, statement: Statement, dialect: str) -> Selection | None:
        tree = tree_of(statement.text, dialect)
        if tree is None:
            self._pass_over(statement.text)
            return None
        try:
            return select(tree, dialect)
        except UnsupportedQueryError:
            return None
        except Exception:  # a tree of a release that names something otherwise
            self._pass_over(statement.text)
            return None

    def notices(self) -> list[str]:
        """Say once that statements could not be judged, and how many."""
        if not self._unread or sqlglot() is None:
            return []
        shown = " ".join(self._unread.split())[:MOST_SHOWN]
        counted = f"{self.passed_over} statement{'s' if self.passed_over > 1 else ''} of SQL"
        return [f"{counted} could not be judged and only count by finding rows, such as: {shown}"]

    def _pass_over(self, text: str) -> None:
        self.passed_over += 1
        self._unread = self._unread or text

    def _judged(
        self,
        site: Site,
        statement: Statement,
        parameters: Any,
        selection: Selection,
        reader: RowReader,
    ) -> Verdict | None:
        self.is_reading = True
        try:
            verdict = judged_rows(selection, reader, statement.values(parameters))
        except RowsUnavailableError:
            return None
        except Exception:  # the database, or values of a type that only the driver knows
            site.selections[statement.text] = None
            self._pass_over(statement.text)
            return None
        finally:
            self.is_reading = False
        self._score_predicates(site, selection, verdict)
        return verdict

    def _score_predicates(self, site: Site, selection: Selection, verdict: Verdict) -> None:
        """Score each condition; one alone says nothing more than the statement itself.

        Where there are no rows at all they wait: no value of theirs could help.
        """
        scales = self._scales
        if len(selection.predicates) < 2 or not verdict.looks:
            return
        judged = zip(selection.predicates, verdict.predicates, verdict.of_predicates, strict=True)
        for predicate, best, (to_true, to_false) in judged:
            for outcome, score, wishes in (
                (True, best.of_true, to_true),
                (False, best.of_false, to_false),
            ):
                target = predicate_target(site.name, predicate.name, outcome)
                site.predicates.setdefault(target)
                scales.raise_score(target, score)
                if score < COVERED and scales.wants(target):
                    for wish in wishes:
                        scales.suggest(target, *wish)


def _is_of_schema(statement: Statement) -> bool:
    table = statement.name.split()[1]
    return table.startswith(OF_THE_SCHEMA)
