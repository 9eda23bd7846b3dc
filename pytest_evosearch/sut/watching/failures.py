"""Sees the exceptions behind 5xx responses, whatever created the response.

Flask reports unhandled exceptions with a signal (without blinker: only in its log). Flask does not
report an exception that an error handler of the application receives
(``@app.errorhandler(Exception)``), although the handler's 500 page hides the bug, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask.signals import got_request_exception
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RoutingException

from pytest_evosearch.core.quick_dataclasses import dataclass

FIRST_SERVER_ERROR = 500

_HANDLER = "handle_user_exception"
"""Flask's method that finds the error handler of an exception, and raises without one."""


@dataclass
class Failure:
    """The last reported exception of one request."""

    error: BaseException | None = None
    abort: HTTPException | None = None
    """The exception that the application raised itself to send a 5xx response: ``abort(503)``."""

    def note(self, error: BaseException) -> None:
        """Note an exception; for a bare ``abort(500)``, note its cause."""
        if not isinstance(error, HTTPException) or isinstance(error, RoutingException):
            self.error = error  # a redirect of the URL map, where a trap makes an error of it
        elif (error.code or 0) >= FIRST_SERVER_ERROR:
            self.abort = error
            self.error = self.error or _handled_by(error)


def _handled_by(abort: HTTPException) -> BaseException | None:
    """Return the cause of a bare 500 response, None when it has a message."""
    handled = abort.__cause__ or abort.__context__
    is_bare = abort.code == FIRST_SERVER_ERROR and abort.description == type(abort).description
    return handled if is_bare and not isinstance(handled, HTTPException) else None


class HandlerWatch:
    """Notes in a `Failure` the exceptions that error handlers receive, while it is entered.

    It replaces and restores the method of this one application for each request, and calls
    replacements of extensions (Flask-RESTful) as before. HTTP exceptions are responses:
    ``abort(503)`` is no crash, but shows where the response was decided.
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
    """Note the exceptions of one request that Flask or an error handler turns into a response.

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
    """Note the exceptions that `app` logs: those that cause a 500 response."""
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
    """Return `error`, or None when it was handled: the response is not 5xx.

    Error handlers turn exceptions into client errors. Flask-RESTX reports every exception before it
    calls them, even ``abort(404)``.
    """
    return error if status >= FIRST_SERVER_ERROR else None


def abort_behind(status: int, failure: Failure) -> HTTPException | None:
    """Return the exception that the application raised for this `status`, None for none."""
    abort = failure.abort
    return abort if abort is not None and abort.code == status else None
