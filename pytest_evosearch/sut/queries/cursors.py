"""Cursors that report their statements to a watch, for any class of DB-API 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_evosearch.sut.queries.row_nearness import RowReader
from pytest_evosearch.sut.queries.sites import Question
from pytest_evosearch.sut.queries.watch import QueryWatch

NOT_COUNTED = 1 << 63
"""Row count of some drivers while rows are still arriving."""


def watched_cursor(  # noqa: C901 - one small class
    base: type[Any],
    watching: Callable[[], QueryWatch | None],
    dialect: str,
    formats: bool,
    reader_of: Callable[[Any], RowReader],
) -> type[Any]:
    """Return a class of cursors, derived from `base`, whose statements are watched.

    `watching` returns the watch of a connection, None while no application is searched.
    """

    class Cursor(base):  # type: ignore[misc]
        _question: Question | None = None

        def execute(self, query: Any, *arguments: Any, **named: Any) -> Any:
            watch = watching()
            question = None
            if watch is not None and not watch.is_reading:
                parameters = arguments[0] if arguments else next(iter(named.values()), None)
                question = watch.ask(query, parameters, dialect, formats, reader_of(self))
            try:
                result = super().execute(query, *arguments, **named)
            except Exception as error:
                if watch is not None:
                    watch.note_refusal(error, reader_of(self))
                # The error refers to this frame. While a cursor lives, SQLite does not really close
                # its connection, and keeps the locks of its transaction.
                del self, question
                raise
            self._question = answered(question, self, counts_rows=formats)
            return result

        def fetchone(self) -> Any:
            row = super().fetchone()
            if self._question is not None:
                self._report(row is not None)
            return row

        def fetchmany(self, *arguments: Any, **named: Any) -> Any:
            rows = super().fetchmany(*arguments, **named)
            if self._question is not None:
                self._report(bool(rows))
            return rows

        def fetchall(self) -> Any:
            rows = super().fetchall()
            if self._question is not None:
                self._report(bool(rows))
            return rows

        def __next__(self) -> Any:
            if self._question is None:
                return super().__next__()
            try:
                row = super().__next__()
            except StopIteration:
                self._report(rows=False)
                raise
            self._report(rows=True)
            return row

        def _report(self, rows: bool) -> None:
            question, self._question = self._question, None
            if question is not None:
                question.finds(rows)

    Cursor.__name__ = Cursor.__qualname__ = base.__name__
    Cursor.__module__ = base.__module__
    return Cursor


def answered(question: Question | None, cursor: Any, counts_rows: bool) -> Question | None:
    """Report what the cursor knows to a question; return the question when rows must still be read.

    Some drivers do not count rows before they are read (`counts_rows`).
    """
    if question is None:
        return None
    count = cursor.rowcount if counts_rows or cursor.description is None else -1
    if isinstance(count, int) and 0 <= count < NOT_COUNTED:
        question.finds(count > 0)
        return None
    return question
