"""Sees the exceptions behind responses of 5xx, whatever made the response.

Flask reports unhandled exceptions with a signal (without blinker: only in its log).  What an
error handler of the application is given (``@app.errorhandler(Exception)``) Flask
reports nothing, although the handler's page of 500 hides the same bug.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flask.signals import got_request_exception
from werkzeug.exceptions import HTTPException

FIRST_SERVER_ERROR = 500

_HANDLER = "handle_user_exception"
"""The method of Flask that finds the error handler of an exception, and raises it without one."""


@dataclass
class Failure:
    """The last exception that was reported during one request."""

    error: BaseException | None = None
    abort: HTTPException | None = None
    """What the application raised itself to answer with 5xx: ``abort(503)``."""

    def note(self, error: BaseException) -> None:
        """Note what was raised; behind a bare ``abort(500)`` stands what it was raised for."""
        if not isinstance(error, HTTPException):
            self.error = error
        elif (error.code or 0) >= FIRST_SERVER_ERROR:
            self.abort = error
            self.error = self.error or _handled_by(error)


def _handled_by(abort: HTTPException) -> BaseException | None:
    """Return the exception that was answered with 500 and no word, None where one was said."""
    handled = abort.__cause__ or abort.__context__
    is_bare = abort.code == FIRST_SERVER_ERROR and abort.description == type(abort).description
    return handled if is_bare and not isinstance(handled, HTTPException) else None


class HandlerWatch:
    """Notes in a `Failure` what error handlers are given, while it is entered.

    The method of this one application is covered up and put back for each request: what
    extensions put there (Flask-RESTful) is called as before.  HTTP's own exceptions are
    answers: ``abort(503)`` is no crash, but tells where the answer was decided.
    """

    def __init__(self, app: Any, failure: Failure) -> None:
        self._attributes: dict[str, Any] = getattr(app, "__dict__", {})
        self._app = app
        self._failure = failure
        self._handle: Any = None
        self._own: Any = None

    def __enter__(self) -> None:
        self._own = self._attributes.get(_HANDLER)
        self._handle = getattr(self._app, _HANDLER, None)
        if self._handle is not None:
            self._attributes[_HANDLER] = self._note

    def __exit__(self, *_exception: object) -> None:
        if self._own is not None:
            self._attributes[_HANDLER] = self._own
        else:
            self._attributes.pop(_HANDLER, None)

    def _note(self, error: Exception) -> Any:
        self._failure.note(error)
        return self._handle(error)


@contextmanager
def noted_failures(app: Any) -> Iterator[Failure]:
    """Note the exceptions of one request that Flask or an error handler answers.

    `failure_behind` says which of them count.
    """
    failure = Failure()

    def note(_sender: object, exception: BaseException, **_extra: object) -> None:
        failure.note(exception)

    with HandlerWatch(app, failure):
        try:
            got_request_exception.connect(note, weak=False)
        except RuntimeError:  # Flask 2.2 without blinker has no signals
            with _logged_exceptions(app, failure):
                yield failure
            return
        try:
            yield failure
        finally:
            got_request_exception.disconnect(note)


@contextmanager
def _logged_exceptions(app: Any, failure: Failure) -> Iterator[None]:
    """Note the exceptions that `app` logs, which are those that it answers with 500."""
    log_exception = getattr(app, "log_exception", None)
    if log_exception is None:
        yield
        return

    def note(exception_info: Any) -> None:
        failure.note(exception_info[1])
        log_exception(exception_info)

    app.log_exception = note
    try:
        yield
    finally:
        del app.log_exception


def failure_behind(status: int, error: BaseException | None) -> BaseException | None:
    """Return `error` unless it was dealt with after all: the answer is none of 5xx.

    Error handlers turn exceptions into client errors, and Flask-RESTX reports every
    exception before it asks them, also ``abort(404)``.
    """
    return error if status >= FIRST_SERVER_ERROR else None


def abort_behind(status: int, failure: Failure) -> HTTPException | None:
    """Return what the application raised to answer with this `status`, None for nothing."""
    abort = failure.abort
    return abort if abort is not None and abort.code == status else None
