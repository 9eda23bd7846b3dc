"""Sends one request through a test client, and never raises for what the application does.

The caller provides the empty `contextvars.Context` (`send` is a plain function for that
reason): with a pushed application context, Flask before 3.2 shares `g`, and so the logged-in
user, between requests.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from typing import TypeAlias

import werkzeug.test
from flask.signals import got_request_exception

BODY_LIMIT = 1 << 20
"""Bytes of a response body that are read (1 MiB); a stream without an end is cut there."""

FIRST_SERVER_ERROR = 500

Headers: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True)
class RawResponse:
    """What came out of one request."""

    status: int = 0
    """0 when an exception came out instead of an answer."""
    headers: Headers = ()
    body: bytes = b""
    error: BaseException | None = None
    """What left the application unhandled, also when Flask turned it into an answer of 500."""
    entered: bool = True
    """False when the client itself failed before the application was called."""
    truncated: bool = False
    """The body was longer than the limit and was cut off."""


@dataclass
class Failure:
    """The last exception that Flask reported as unhandled during one request."""

    error: BaseException | None = None


Visit: TypeAlias = "Callable[..., Any]"
"""Calls a function with the arguments that follow it, before the search begins; what it calls
is the application, which may hang.  None when it was cut off."""


def plain_visit(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function` in an empty context, as a server would: the simplest `Visit`."""
    return contextvars.Context().run(function, *args, **kwargs)


def make_client(app: Any) -> Any:
    """Return a fresh test client of the application's own class (`test_client_class`)."""
    return app.test_client()


def send(
    client: Any,
    *,
    passing: tuple[type[BaseException], ...] = (KeyboardInterrupt,),
    body_limit: int = BODY_LIMIT,
    **arguments: Any,
) -> RawResponse:
    """Send one request described by the keyword arguments of `client.open`.

    Redirects are not followed.  Every exception, `SystemExit` too, comes back in
    `RawResponse.error`, except the types in `passing`, which are the caller's own: those
    of its time limit and of its user's Ctrl-C.
    """
    with unhandled_exceptions(getattr(client, "application", None)) as failure:
        try:
            response = client.open(**arguments)
        except passing:
            raise
        except BaseException as error:
            return RawResponse(error=failure.error or error, entered=_entered(error))
        return _collect(response, failure, passing, body_limit)


@contextmanager
def unhandled_exceptions(app: Any) -> Iterator[Failure]:
    """Note the exceptions that Flask answers with 500, whatever `PROPAGATE_EXCEPTIONS` says."""
    failure = Failure()

    def note(_sender: object, exception: BaseException, **_extra: object) -> None:
        failure.error = exception

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
        failure.error = exception_info[1]
        log_exception(exception_info)

    app.log_exception = note
    try:
        yield
    finally:
        del app.log_exception


def _collect(
    response: Any,
    failure: Failure,
    passing: tuple[type[BaseException], ...],
    body_limit: int,
) -> RawResponse:
    status, headers, chunks = _parts(response)
    body = bytearray()
    error: BaseException | None = None
    truncated = False
    try:
        truncated = read_body(chunks, body, body_limit)
    except passing:
        raise
    except BaseException as raised:
        error = raised
    finally:
        error = close_quietly(response, passing) or error
    return RawResponse(
        status,
        headers,
        bytes(body),
        unhandled(failure.error, status) or error,
        entered=True,
        truncated=truncated,
    )


def unhandled(error: BaseException | None, status: int) -> BaseException | None:
    """Return `error` unless it was handled after all: the answer has another status than 5xx.

    Flask-RESTX reports every exception before it asks its error handlers, also
    ``abort(404)``.
    """
    return error if status >= FIRST_SERVER_ERROR else None


def _parts(response: Any) -> tuple[int, Headers, Iterable[bytes]]:
    """Take a Werkzeug response apart, or one of another client (httpx, WebTest)."""
    if hasattr(response, "iter_encoded"):
        return response.status_code, tuple(response.headers), response.iter_encoded()
    headers = response.headers
    pairs = headers.multi_items() if hasattr(headers, "multi_items") else headers.items()
    content = response.content if hasattr(response, "content") else response.body
    status: int = getattr(response, "status_code", 0) or getattr(response, "status_int", 0)
    return status, tuple((str(name), str(value)) for name, value in pairs), (content,)


def read_body(chunks: Iterable[bytes], body: bytearray, limit: int) -> bool:
    """Append `chunks` to `body` up to `limit` bytes; say whether something was left out."""
    for chunk in chunks:
        body += chunk
        if len(body) > limit:
            del body[limit:]
            return True
    return False


def close_quietly(
    response: Any, passing: tuple[type[BaseException], ...] = (KeyboardInterrupt,)
) -> BaseException | None:
    """Close `response`, which runs code of the application; return what that raised."""
    close: Callable[[], object] | None = getattr(response, "close", None)
    if close is None:
        return None
    try:
        close()
    except passing:
        raise
    except BaseException as error:
        return error
    return None


def _entered(error: BaseException) -> bool:
    """Say whether `error` came from behind the WSGI call, and not from building the request."""
    gate = werkzeug.test.run_wsgi_app.__code__
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code is gate:
            return True
        traceback = traceback.tb_next
    return False
