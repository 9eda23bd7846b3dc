"""Sends one request through a test client, and never raises for what the application does.

The caller provides the empty `contextvars.Context` (`send` is a plain function for that
reason): with a pushed application context, Flask before 3.2 shares `g`, and so the logged-in
user, between requests.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from typing import NamedTuple
from typing import TypeAlias

import werkzeug.test
from flask.views import http_method_funcs

from pytest_evosearch.core.told import read_of
from pytest_evosearch.errors import CutOff
from pytest_evosearch.sut.watching.failures import Failure
from pytest_evosearch.sut.watching.failures import abort_behind
from pytest_evosearch.sut.watching.failures import failure_behind
from pytest_evosearch.sut.watching.failures import noted_failures

BODY_LIMIT = 1 << 20
"""Bytes of a response body that are read (1 MiB); a stream without an end is cut there."""

CHUNK_LIMIT = 10_000
"""Pieces of a body that are read: one that comes byte by byte takes seconds to a megabyte."""

LIVE_TYPES = ("text/event-stream", "multipart/x-mixed-replace")
"""Content types of streams that tell what happens while it does, usually without an end."""

SHORTCUTS = http_method_funcs - {"trace"}
"""Methods of a client that stand for a method of HTTP."""

Headers: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True)
class RawResponse:
    """What came out of one request."""

    status: int = 0
    """0 when an exception came out instead of an answer."""
    headers: Headers = ()
    body: bytes = b""
    error: BaseException | None = None
    """What failed: it left the application, or Flask or an error handler answered it with 5xx."""
    entered: bool = True
    """False when the client itself failed before the application was called."""
    truncated: bool = False
    """The body went on, and was cut off."""
    live: bool = False
    """The body is the first piece of a stream of `LIVE_TYPES`; empty when none came in time."""
    late: bool = False
    """The body went on until time was up."""
    abort: BaseException | None = None
    """What the application raised on purpose to answer with 5xx."""


def is_live(headers: Iterable[tuple[str, str]]) -> bool:
    """Say whether the headers announce a stream of `LIVE_TYPES`."""
    kinds = (value for name, value in headers if name.lower() == "content-type")
    return next(kinds, "").partition(";")[0].strip().lower() in LIVE_TYPES


class Reading(NamedTuple):
    """How the reading of a body ended; for the fields see `RawResponse`."""

    truncated: bool = False
    live: bool = False
    late: bool = False


@dataclass(frozen=True)
class BodyReader:
    """Reads the body of an answer, up to a limit of time."""

    limit: int = BODY_LIMIT
    when_live: Callable[[], object] = bool
    """Called before the first piece of a live stream is waited for: it need not come."""
    when_first: Callable[[], object] = bool
    """Called with the first piece of any body: a test that does not read the rest is done here."""

    def read(
        self, chunks: Iterable[bytes], headers: Iterable[tuple[str, str]], body: bytearray
    ) -> Reading:
        """Append `chunks` to `body` up to the limits; say how that ended.

        Of a live stream the first one is enough.  What keeps coming until time is up has not hung.
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
    """Return headers as plain strings: an application may send objects that only look like it."""
    return tuple([(_plain(name), _plain(value)) for name, value in headers])


def _plain(value: object) -> str:
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else str(read_of(value, str, ""))


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
    reader: BodyReader = ORDINARY_READER,
    **arguments: Any,
) -> RawResponse:
    """Send one request described by the keyword arguments of `client.open`.

    A client with a ``post`` of its own is asked as a written test asks it: it may fetch a token
    first.  Redirects are not followed, unless such a client follows them.  Every exception,
    `SystemExit` too, comes back in `RawResponse.error`, except the types in `passing`, which are
    the caller's own: those of its time limit and of its user's Ctrl-C.
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
    # Another client than Werkzeug's has read the whole body: it is no stream any more.
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
    """Take a Werkzeug response apart, or one of another client (httpx, WebTest, a server's)."""
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
