"""Sees the statements of a running test, and scores their targets.

    cursor.execute(text, parameters)
        which test, which line of the application, which statement -> a site with its targets:
        the line's, which are covered by whatever it runs, and the statement's, which guide there
        every target is retired: nothing more to do
        before it runs: rows are read and judged (`row_nearness`)
        after it has run: rows or none is covered, the other one is as near as was judged

Invariant: a failure here never changes how the statement runs.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Any

from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.scores import COVERED
from pytest_evosearch.core.scores import REACHED_EMPTY
from pytest_evosearch.core.targets import predicate_target
from pytest_evosearch.core.targets import query_target
from pytest_evosearch.core.targets import statement_target
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.sut.queries.absent_tables import AbsentTables
from pytest_evosearch.sut.queries.parsing import sqlglot
from pytest_evosearch.sut.queries.parsing import tree_of
from pytest_evosearch.sut.queries.refused_writes import refused_wishes
from pytest_evosearch.sut.queries.refused_writes import write_of
from pytest_evosearch.sut.queries.row_nearness import MOST_WISHES
from pytest_evosearch.sut.queries.row_nearness import RowReader
from pytest_evosearch.sut.queries.row_nearness import RowsUnavailableError
from pytest_evosearch.sut.queries.row_nearness import Verdict
from pytest_evosearch.sut.queries.row_nearness import judged_rows
from pytest_evosearch.sut.queries.row_predicates import Selection
from pytest_evosearch.sut.queries.scopes import UnsupportedQueryError
from pytest_evosearch.sut.queries.selection import select
from pytest_evosearch.sut.queries.sites import ACCEPTED
from pytest_evosearch.sut.queries.sites import OTHERS
from pytest_evosearch.sut.queries.sites import Acceptance
from pytest_evosearch.sut.queries.sites import Question
from pytest_evosearch.sut.queries.sites import Site
from pytest_evosearch.sut.queries.sites import Unread
from pytest_evosearch.sut.queries.statements import Statement
from pytest_evosearch.sut.queries.statements import is_watched
from pytest_evosearch.sut.queries.statements import read_statement
from pytest_evosearch.sut.queries.wishes import Wish

MOST_SITES = 5000
MOST_STATEMENTS = 4096
"""Most statements that are remembered; an application may write values into them."""

MOST_AT_A_PLACE = 12
"""Most guiding statements of one line: a built statement may have many forms."""

MOST_SHOWN = 60
"""Most characters of a statement in a message."""

OF_THE_SCHEMA = ("sqlite_", "pg_", "information_schema", "mysql.", "alembic_version")
"""Prefixes of tables that hold no data of an application."""


class _UnreadableError(Exception):
    """Says that the rows of a statement could not be read."""


@dataclass(frozen=True)
class _Writing:
    """The last writing statement."""

    statement: Statement
    parameters: Any
    dialect: str


class QueryWatch:
    """Watches the statements of the running test."""

    def __init__(self, scales: Scales, own_time: OwnTime) -> None:
        self._scales = scales
        self._own_time = own_time
        self._statements: dict[tuple[str, bool], Statement | None] = {}
        self._sites: dict[tuple[str, str], Site] = {}
        self._at_place: dict[str, int] = {}
        self.is_reading = False
        """Whether rows are being read: then a running statement is ours."""
        self._writing: _Writing | None = None
        self._refused: set[str] = set()
        """Names of statements that a constraint has refused."""
        self._unread = ""
        self.passed_over = 0
        """Number of statements that could not be judged."""
        self.absent = AbsentTables()
        """What the statements of the present call ask for, and the database lacks."""

    def ask(
        self, text: Any, parameters: Any, dialect: str, formats: bool, reader: RowReader
    ) -> Question | None:
        """Examine a statement before it runs; None when nothing can be learnt from it."""
        if self.is_reading or not isinstance(text, str):
            return None
        self.absent.note_statement(text)
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
        with self._own_time.counted():
            selection = self._selection(site, statement, dialect)
            if selection is None:
                return Question(self._scales, site, None)
            verdict = None
            if self._scales.is_measuring and site.may_look(test):
                try:
                    verdict = self._judged(site, statement, parameters, selection, reader)
                except _UnreadableError:
                    passing = partial(self._give_up, site, statement.text)
                    return Unread(self._scales, site, selection.is_single_row, passing)
        question = Question(self._scales, site, verdict)
        if not selection.is_single_row:
            return question
        if verdict is not None:
            question.finds(verdict.finds)
        return None

    def _accepting(self, statement: Statement) -> Question | None:
        """Return a question that learns that an ``INSERT`` is accepted after an earlier refusal."""
        if statement.name not in self._refused:
            return None
        place = self._scales.place()
        if place is None:
            return None
        targets = (
            query_target(place, ACCEPTED),
            statement_target(f"{place} {statement.name}", ACCEPTED),
        )
        return Acceptance(self._scales, targets) if any(map(self._scales.wants, targets)) else None

    def note_refusal(self, error: Exception, reader: RowReader) -> None:
        """Learn from a failure of the last statement which values the constraint would accept."""
        if not self.is_reading:
            self.absent.note(error)
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
            except Exception:  # an unexpected message or value
                self.passed_over += 1
                return
            finally:
                self.is_reading = False
        if wishes:
            self._refused.add(writing.statement.name)
            target = statement_target(f"{place} {writing.statement.name}", ACCEPTED)
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
        known = self._sites.get((place, name))
        if known is not None:
            return known
        forms = self._at_place.get(place, 0)
        if forms >= MOST_AT_A_PLACE and name != OTHERS:
            return self._site(place, OTHERS)
        if len(self._sites) >= MOST_SITES:
            return None
        self._at_place[place] = forms + 1
        self._sites[place, name] = site = Site(place, name)
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
        except Exception:  # a tree of a version with other names
            self._pass_over(statement.text)
            return None

    def notices(self) -> list[str]:
        """Report once that statements could not be judged, and how many."""
        if not self._unread or sqlglot() is None:
            return []
        shown = " ".join(self._unread.split())[:MOST_SHOWN]
        counted = f"{self.passed_over} statement{'s' if self.passed_over > 1 else ''} of SQL"
        return [f"{counted} could not be judged and only count by finding rows, such as: {shown}"]

    def _give_up(self, site: Site, text: str) -> None:
        site.selections[text] = None
        self._pass_over(text)

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
        except Exception as error:  # the database, or values that only the driver knows
            raise _UnreadableError from error
        finally:
            self.is_reading = False
        self._score_predicates(site, selection, verdict)
        return verdict

    def _score_predicates(self, site: Site, selection: Selection, verdict: Verdict) -> None:
        """Score each condition, unless it is the only one of the statement.

        Without any rows they have no scores: no value could help.
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
                target = predicate_target(site.full, predicate.name, outcome)
                site.predicates.setdefault(target)
                scales.raise_score(target, score)
                if score < COVERED and scales.wants(target):
                    for wish in wishes:
                        scales.suggest(target, *wish)


def _is_of_schema(statement: Statement) -> bool:
    table = statement.name.split()[1]
    return table.startswith(OF_THE_SCHEMA)
