"""Records the requests of the project's own tests to a Flask application, however they send them.

Each request passes through `Flask.full_dispatch_request`. It may come from a client, from a class
of the project's own, or from a server in a thread. A test may also have pushed the request context
itself. The records can be pickled.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from contextlib import suppress
from typing import Any

import flask
from werkzeug.datastructures import FileStorage

from pytest_evosearch.core.quick_dataclasses import dataclass

LARGEST_BODY = 100_000
"""Most bytes of a body that are recorded."""


@dataclass(frozen=True)
class RecordedRequest:
    """A request, and the relevant parts of its response."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    body: Mapping[str, Any] | None = None
    """Body as arguments of a client: ``json`` or ``data``."""
    status: int = 0
    answer: object = None
    """The JSON of the response."""
    set_cookies: tuple[str, ...] = ()
    """Names of the cookies that the response sets."""


@dataclass(frozen=True)
class RecordedTest:
    """One passed test of the project, and its recorded requests."""

    name: str
    requests: tuple[RecordedRequest, ...]


class RequestRecorder:
    """Keeps the requests since the last `take`."""

    def __init__(self) -> None:
        self._recorded: list[RecordedRequest] = []

    def take(self) -> tuple[RecordedRequest, ...]:
        """Return the recorded requests, and forget them."""
        recorded, self._recorded = tuple(self._recorded), []
        return recorded

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Record each request to any Flask application inside the block."""
        dispatch: Any = flask.Flask.full_dispatch_request

        def full_dispatch_request(app: flask.Flask, *arguments: Any) -> Any:
            response = dispatch(app, *arguments)
            with suppress(Exception):  # a body that cannot be parsed teaches nothing
                self._recorded.append(_record_of(app, flask.request, response))
            return response

        application: Any = flask.Flask
        application.full_dispatch_request = full_dispatch_request
        try:
            yield
        finally:
            application.full_dispatch_request = dispatch


def _record_of(
    app: flask.Flask, request: flask.Request, response: flask.Response
) -> RecordedRequest:
    answer = response.get_json(silent=True) if not response.is_streamed else None
    own = ("User-Agent", app.test_client().environ_base.get("HTTP_USER_AGENT"))
    return RecordedRequest(
        method=request.method,
        path=request.path,
        query=tuple(request.args.items(multi=True)),
        headers=tuple(pair for pair in request.headers.items() if pair != own),
        cookies=tuple(request.cookies.items()),
        body=body_of(request),
        status=response.status_code,
        answer=answer,
        set_cookies=tuple(
            line.partition("=")[0].strip() for line in response.headers.getlist("Set-Cookie")
        ),
    )


def body_of(request: flask.Request) -> dict[str, Any] | None:
    """Return the body as arguments of a client; call this after the view has returned."""
    if (request.content_length or 0) > LARGEST_BODY:
        return None
    sent = request.get_json(silent=True) if request.is_json else None
    if sent is not None:
        return {"json": sent}
    if request.form or request.files:
        fields = request.form.to_dict(flat=False).items()
        named = {name: held if len(held) > 1 else held[0] for name, held in fields}
        return {"data": {**named, **_files(request)}}
    data = request.get_data(as_text=True)
    return {"data": data} if data else None


def _files(request: flask.Request) -> dict[str, Any]:
    return {name: [_content(file), file.filename or name] for name, file in request.files.items()}


def _content(file: FileStorage) -> bytes:
    """Return what was uploaded, also if the view has read it; nothing if it closed the file."""
    try:
        file.stream.seek(0)
        return file.stream.read()
    except (ValueError, OSError):
        return b""
