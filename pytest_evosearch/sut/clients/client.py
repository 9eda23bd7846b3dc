"""Sends one request through a test client; returns exceptions of the application.

The caller provides an empty `contextvars.Context`, so `send` is a plain function. In a pushed
application context, Flask before 3.2 would share `g`, and so the logged-in user, between requests.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from collections.abc import Iterable
from types import TracebackType
from typing import Any
from typing import NamedTuple
from typing import TypeAlias

import werkzeug.test
from flask.views import http_method_funcs

from pytest_evosearch.core.exception_texts import read_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import CutOff
from pytest_evosearch.sut.watching.failures import Failure
from pytest_evosearch.sut.watching.failures import abort_behind
from pytest_evosearch.sut.watching.failures import failure_behind
from pytest_evosearch.sut.watching.failures import noted_failures

BODY_LIMIT = 1 << 20
"""Most bytes of a response body that are read (1 MiB); an endless stream is cut there."""

CHUNK_LIMIT = 10_000
"""Most pieces of a body that are read: a megabyte that comes byte by byte takes seconds."""

LIVE_TYPES = ("text/event-stream", "multipart/x-mixed-replace")
"""Content types of event streams, which usually have no end."""

SHORTCUTS = http_method_funcs - {"trace"}
"""Methods of a client that send an HTTP method."""

Headers: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True)
class RawResponse:
    """The result of one request."""

    status: int = 0
    """The status; 0 when an exception came out instead of a response."""
    headers: Headers = ()
    body: bytes = b""
    error: BaseException | None = None
    """The failure: it left the application, or was turned into a 5xx response."""
    entered: bool = True
    """False when the client itself failed before it called the application."""
    truncated: bool = False
    """Whether the body was longer, and was cut off."""
    live: bool = False
    """Whether the body is the first piece of a live stream; empty when none came in time.

    See `LIVE_TYPES`.
    """
    late: bool = False
    """Whether the body continued until the time limit."""
    abort: BaseException | None = None
    """The exception that the application raised on purpose to send a 5xx response."""


def is_live(headers: Iterable[tuple[str, str]]) -> bool:
    """Say whether the headers announce a stream of `LIVE_TYPES`."""
    kinds = (value for name, value in headers if name.lower() == "content-type")
    return next(kinds, "").partition(";")[0].strip().lower() in LIVE_TYPES


class Reading(NamedTuple):
    """How the reading of a body ended; `RawResponse` describes the fields."""

    truncated: bool = False
    live: bool = False
    late: bool = False


@dataclass(frozen=True)
class BodyReader:
    """Reads the body of a response, up to a time limit."""

    limit: int = BODY_LIMIT
    when_live: Callable[[], object] = bool
    """Called before the wait for the first piece of a live stream, which may never come."""
    when_first: Callable[[], object] = bool
    """Called at the first piece of any body; a test that reads no more is done here."""

    def read(
        self, chunks: Iterable[bytes], headers: Iterable[tuple[str, str]], body: bytearray
    ) -> Reading:
        """Append `chunks` to `body` up to the limits; return how that ended.

        For a live stream, the first piece is enough. A body that continues until the time limit
        does not count as a hang.
        """
        live, number = is_live(headers), 0
        if live:
            self.when_live()
        try:
            for number, chunk in enumerate(chunks, start=1):
                body += chunk
                if number == 1:
                    self.when_first()
                if len(body) > self.limit:
                    del body[self.limit :]
                    return Reading(truncated=True, live=live)
                if live or number == CHUNK_LIMIT:
                    return Reading(truncated=True, live=live)
        except CutOff:
            if not live and number < 2:
                raise
            return Reading(truncated=True, live=live, late=True)
        return Reading()


ORDINARY_READER = BodyReader()


def plain_headers(headers: Iterable[tuple[object, object]]) -> Headers:
    """Return headers as plain strings: an application may send objects that only resemble them."""
    return tuple([(_plain(name), _plain(value)) for name, value in headers])


def _plain(value: object) -> str:
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else str(read_of(value, str, ""))


Visit: TypeAlias = "Callable[..., Any]"
"""Calls a function with the arguments after it, before the search begins.

The function calls the application, which may hang. The result is None when the call was cut off.
"""


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
    reader: BodyReader = ORDINARY_READER,
    **arguments: Any,
) -> RawResponse:
    """Send one request, given as keyword arguments of `client.open`.

    On a client with its own ``post``, call that method, as a written test does: it may fetch a
    token first. Redirects are only followed by clients that do so themselves. Every exception, even
    `SystemExit`, is returned in `RawResponse.error`. Only the types in `passing` are raised: those
    of the caller's time limit and of the user's Ctrl-C.
    """
    with noted_failures(getattr(client, "application", None)) as failure:
        try:
            response = _ask(client, arguments)
        except passing:
            raise
        except BaseException as error:
            return RawResponse(error=failure.error or error, entered=_entered(error))
        return _collect(response, failure, passing, reader)


def _ask(client: Any, arguments: dict[str, Any]) -> Any:
    name = arguments.get("method", "GET").lower()
    ordinary = getattr(werkzeug.test.Client, name, None) if name in SHORTCUTS else None
    own = getattr(client, name, None)
    if ordinary is None or own is None or getattr(own, "__func__", own) is ordinary:
        return client.open(**arguments)
    rest = {key: value for key, value in arguments.items() if key not in ("method", "path")}
    return own(arguments["path"], **rest)


def _collect(
    response: Any,
    failure: Failure,
    passing: tuple[type[BaseException], ...],
    reader: BodyReader,
) -> RawResponse:
    status, headers, chunks = _parts(response)
    # A client that is not Werkzeug's has read the whole body, so it is no stream any more.
    announced = headers if hasattr(response, "iter_encoded") else ()
    body = bytearray()
    error: BaseException | None = None
    reading = Reading()
    try:
        reading = reader.read(chunks, announced, body)
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
        failure_behind(status, failure.error) or error,
        entered=True,
        truncated=reading.truncated,
        live=reading.live,
        late=reading.late,
        abort=abort_behind(status, failure),
    )


def _parts(response: Any) -> tuple[int, Headers, Iterable[bytes]]:
    """Split a Werkzeug response, or one of another client (httpx, WebTest, a server's)."""
    if hasattr(response, "iter_encoded"):
        return response.status_code, plain_headers(response.headers), response.iter_encoded()
    headers = response.headers
    pairs = headers.multi_items() if hasattr(headers, "multi_items") else headers.items()
    content = next(
        getattr(response, name) for name in ("content", "data", "body") if hasattr(response, name)
    )
    status: int = getattr(response, "status_code", 0) or getattr(response, "status_int", 0)
    return status, tuple((str(name), str(value)) for name, value in pairs), (content,)


def close_quietly(
    response: Any, passing: tuple[type[BaseException], ...] = (KeyboardInterrupt,)
) -> BaseException | None:
    """Close `response`, which runs code of the application; return the exception of that code."""
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
    """Say whether `error` came from the application, and not from building the request."""
    gate = werkzeug.test.run_wsgi_app.__code__
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code is gate:
            return True
        traceback = traceback.tb_next
    return False
