"""Puts Connexion 3, which is an ASGI application, behind Flask's own test client.

    Flask client -> AsgiFront (WSGI) -> Connexion's middlewares (ASGI: routing, security,
    validation) -> Flask's handlers (WSGI)

The Flask application at the end has no rules before the first request. Validation and security are
in the layers in front of it. The front is put into its ``wsgi_app``, the documented place of WSGI
middlewares, so all other code sees a plain Flask application.

All code runs in the calling thread, and the event loop stops while a handler runs. So time limits
work for handlers, SQLite connections stay in their thread, and an ``async`` view finds no running
loop, as in Flask. The written conftest.py uses ``a2wsgi.ASGIMiddleware`` there (Connexion installs
it), which gives equal responses from a thread.

Functions import `asyncio`: only an application of Connexion, or an asynchronous one, has loaded it.
"""

from __future__ import annotations

import contextvars
import weakref
from collections.abc import Awaitable
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import closing
from contextlib import suppress
from dataclasses import field
from http import HTTPStatus
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING
from typing import Any
from typing import TypeAlias

from werkzeug.exceptions import HTTPException
from werkzeug.test import run_wsgi_app
from werkzeug.wsgi import ClosingIterator

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.quick_dataclasses import dataclass

if TYPE_CHECKING:
    import asyncio

Environ: TypeAlias = "dict[str, Any]"
Scope: TypeAlias = "dict[str, Any]"
Message: TypeAlias = "dict[str, Any]"
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Headers: TypeAlias = "list[tuple[str, str]]"

BODY_LIMIT = (1 << 20) + 1
"""Most bytes of a handler's response that are read: 1 MiB and one, so that a cut is noticed."""

EXCHANGE = "pytest_evosearch.exchange"
"""Key of the exchange in a scope, for the last layer."""

NOWHERE = "/pytest-evosearch-starts"
"""Path that is requested once, so that Connexion registers its endpoints."""


def connexion_application(value: object) -> Any:
    """Return `value` when it is a Connexion 3 application with Flask inside, else None."""
    for base in type(value).__mro__:
        if base.__name__ == "FlaskApp" and base.__module__ == "connexion.apps.flask":
            return value
    return None


def put_front(connexion: Any) -> Any:
    """Let the Flask application of a Connexion 3 application respond through all its layers.

    Return the Flask application, with its rules registered. Raises Connexion's exception when its
    document is unusable.
    """
    app = connexion.app
    if not isinstance(vars(app).get("wsgi_app"), AsgiFront):
        app.wsgi_app = AsgiFront(connexion)
        app.wsgi_app.start()
    return app


def front_of(app: Any) -> AsgiFront | None:
    """Return the front of a Flask application, None when it has none."""
    front = vars(app).get("wsgi_app")
    return front if isinstance(front, AsgiFront) else None


def _new_event() -> asyncio.Event:
    from asyncio import Event

    return Event()


@dataclass
class _Exchange:
    """One request on its way through the layers and back."""

    environ: Environ
    body: bytes
    done: asyncio.Future[None]
    """Never done: code that waits for the client to disconnect waits for this."""
    sent: bool = False
    arrived: bool = False
    """Whether the last layer was reached: then no other layer waits for a disconnection."""
    status: int = 0
    headers: Headers = field(default_factory=list)
    answer: bytearray = field(default_factory=bytearray)
    waiting: list[_Inner] = field(default_factory=list)
    """Requests of the last layer, which handlers answer while the loop is stopped."""
    stopped: asyncio.Event = field(default_factory=_new_event)

    async def receive(self) -> Message:
        if self.sent and not self.arrived:
            await self.done
        body = b"" if self.sent else self.body
        self.sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = [
                (name.decode("latin1"), value.decode("latin1"))
                for name, value in message.get("headers", ())
            ]
        elif message["type"] == "http.response.body":
            self.answer += message.get("body", b"")


@dataclass
class _Inner:
    """A request to the handlers."""

    context: contextvars.Context
    environ: Environ
    answered: asyncio.Future[tuple[int, Headers, bytes]]


class AsgiFront:
    """A WSGI application around an ASGI one whose last layer is a WSGI application."""

    def __init__(self, connexion: Any) -> None:
        self.connexion = connexion
        last = connexion._middleware_app
        self._adapter = last.asgi_app
        self._handlers: Callable[..., Iterable[bytes]] = last.asgi_app.app
        last.asgi_app = self._last_layer
        self._loop: asyncio.AbstractEventLoop | None = None
        self._last: Environ = {}

    def meant_endpoint(self) -> str | None:
        """Return the Flask endpoint that the last request was for, None for an unknown address.

        It is known even when security or validation refuses the request before Flask reads it.
        """
        adapter = self.connexion.app.url_map.bind_to_environ(self._last)
        with suppress(HTTPException):
            return str(adapter.match()[0])
        return None

    def start(self) -> None:
        """Let the application build its layers, as it does at the first request."""
        environ = {
            "REQUEST_METHOD": "HEAD",
            "PATH_INFO": NOWHERE,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(),
        }
        contextvars.Context().run(self, environ, lambda *_arguments: None)

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer one WSGI request (PEP 3333); raise what the application does not handle."""
        self._last, loop = environ, self._event_loop()
        size = int(environ.get("CONTENT_LENGTH") or 0)
        exchange = _Exchange(environ, environ["wsgi.input"].read(size), loop.create_future())
        scope = {**_library("asgi").build_scope(environ), EXCHANGE: exchange}
        task = loop.create_task(self.connexion(scope, exchange.receive, exchange.send))
        try:
            self._run(loop, task, exchange)
        except BaseException:
            _abandon(loop, task)
            raise
        task.result()
        start_response(_status_line(exchange.status), exchange.headers)
        return [bytes(exchange.answer)]

    def _run(
        self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], exchange: _Exchange
    ) -> None:
        """Alternate between the loop and the handlers until the task is done."""
        while not task.done():
            loop.run_until_complete(_until_something_happens(task, exchange))
            exchange.stopped.clear()
            for inner in _taken(exchange.waiting):
                self._answer(inner)

    def _answer(self, inner: _Inner) -> None:
        try:
            inner.answered.set_result(inner.context.run(self._call_handlers, inner.environ))
        except StopIteration as error:  # a future refuses this exception
            inner.answered.set_exception(RuntimeError(text_of_exception(error)))
        except Exception as error:
            inner.answered.set_exception(error)

    def _call_handlers(self, environ: Environ) -> tuple[int, Headers, bytes]:
        chunks, status, headers = run_wsgi_app(self._handlers, environ)
        body = bytearray()
        with closing(ClosingIterator(chunks)):
            for chunk in chunks:
                body += chunk
                if len(body) > BODY_LIMIT:
                    break
        return int(status.partition(" ")[0]), list(headers), bytes(body)

    async def _last_layer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the adapter that runs handlers in threads."""
        exchange: _Exchange | None = scope.get(EXCHANGE)
        if exchange is None:  # the project's own client, or the start of a server
            await self._adapter(scope, receive, send)
            return
        exchange.arrived = True
        environ = environ_of(scope, exchange.environ, await _whole_body(receive))
        from asyncio import get_running_loop

        future = get_running_loop().create_future()
        inner = _Inner(contextvars.copy_context(), environ, future)
        exchange.waiting.append(inner)
        exchange.stopped.set()
        status, headers, body = await inner.answered
        encoded = [(name.encode("latin1"), value.encode("latin1")) for name, value in headers]
        await send({"type": "http.response.start", "status": status, "headers": encoded})
        await send({"type": "http.response.body", "body": body})

    def _event_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop of this front, a new one after the last was abandoned."""
        if self._loop is None or self._loop.is_closed():
            from asyncio import new_event_loop

            self._loop = new_event_loop()
            weakref.finalize(self, self._loop.close)
        return self._loop


async def _until_something_happens(task: asyncio.Task[None], exchange: _Exchange) -> None:
    """Return when the request is answered, or when a handler must run."""
    import asyncio

    stopped = asyncio.ensure_future(exchange.stopped.wait())
    try:
        await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopped.cancel()


def _taken(waiting: list[_Inner]) -> Iterator[_Inner]:
    while waiting:
        yield waiting.pop()


def _abandon(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    """End work that a time limit or Ctrl-C interrupted, and the loop with it."""
    from asyncio import CancelledError

    task.cancel()
    with suppress(Exception, CancelledError):
        loop.run_until_complete(task)
    loop.close()


async def _whole_body(receive: Receive) -> bytes:
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def environ_of(scope: Scope, first: Environ, body: bytes) -> Environ:
    """Return the WSGI request for the handlers: `first` with the changes of the layers."""
    made: Environ = _library("wsgi").build_environ(scope, BytesIO(body))
    kept = {
        key: value
        for key, value in first.items()
        if not key.startswith(("HTTP_", "CONTENT_")) and key not in ("REQUEST_URI", "RAW_URI")
    }
    of_server = {key for key in made if key.startswith("wsgi.") and key in kept}
    return kept | {
        key: value for key, value in made.items() if key == "wsgi.input" or key not in of_server
    }


def _library(side: str) -> Any:
    """Return a module of a2wsgi, which Connexion needs itself."""
    return import_module(f"a2wsgi.{side}")


def _status_line(status: int) -> str:
    with suppress(ValueError):
        return f"{status} {HTTPStatus(status).phrase}"
    return f"{status} Unknown"
