"""A faster way into a Flask application than its test client, with the same effect.

The ordinary client makes an `EnvironBuilder`, a `Request`, a `TestResponse` and header objects for
every request. Here the WSGI environment comes from a template, and cookies are looked at only when
there are any. Unusual requests (the project's own client class, files, a base URL, an unusual
character in the path) go through `send`. All requests do when the two ways differ on a sample,
which is compared when the sender is created.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from typing import TypeAlias
from urllib.parse import unquote
from urllib.parse import urlsplit

import werkzeug.urls
from flask.signals import got_request_exception
from flask.testing import EnvironBuilder
from flask.testing import FlaskClient
from werkzeug.wsgi import get_current_url

from pytest_evosearch.sut.clients.client import ORDINARY_READER
from pytest_evosearch.sut.clients.client import BodyReader
from pytest_evosearch.sut.clients.client import RawResponse
from pytest_evosearch.sut.clients.client import Reading
from pytest_evosearch.sut.clients.client import close_quietly
from pytest_evosearch.sut.clients.client import plain_headers
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.watching.failures import Failure
from pytest_evosearch.sut.watching.failures import HandlerWatch
from pytest_evosearch.sut.watching.failures import abort_behind
from pytest_evosearch.sut.watching.failures import failure_behind

Environ: TypeAlias = "dict[str, Any]"

_PLAIN_PATH = re.compile(r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@%-][A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?")
"""Paths that URL parsing and quoting do not change."""

_KNOWN_ARGUMENTS = frozenset(
    (
        *("method", "path", "query_string", "headers", "json", "data", "content_type"),
        "environ_overrides",
    )
)
_BODY_HEADERS = frozenset(("content-type", "content-length"))

_SAMPLES: tuple[dict[str, Any], ...] = (
    {
        "path": "/a%20b/%C3%A9",
        "query_string": "q=%20x&q=y",
        "headers": [("X-A", "1"), ("x-a", "2")],
    },
    {"path": "/a", "method": "POST", "json": {"a": ["é", None]}},
    {"path": "/a", "method": "PUT", "data": {"b": ["x y&", "é/?"], "a": ["1"]}},
    {"path": "/a", "method": "PATCH", "data": b"\xff", "content_type": "text/plain"},
)
_encode_form: Callable[[Any], str] | None = getattr(werkzeug.urls, "_urlencode", None)


class _Unusual(Exception):
    """Says that the fast way does not support a request."""


class _UnreadableCookie(Exception):
    """Says that the client cannot read a cookie; the application is not at fault."""


class LeanSender:
    """Sends requests to one application; can replace `client.send`."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._settings: tuple[Any, ...] = ()
        self._template: Environ = {}
        self._failure = failure = Failure()
        self._handlers = HandlerWatch(app, failure)

        def note(_sender: object, exception: BaseException, **_extra: object) -> None:
            failure.note(exception)

        # The signal refers to it weakly. A weak *method* complains when it is collected together
        # with its object (weakref.WeakMethod); a plain function does not.
        self._note_failure = note
        self._usable = (
            _encode_form is not None and self._agrees_with_builder() and self._gets_exceptions()
        )

    def send(
        self,
        client: Any,
        *,
        passing: tuple[type[BaseException], ...] = (KeyboardInterrupt,),
        reader: BodyReader = ORDINARY_READER,
        **arguments: Any,
    ) -> RawResponse:
        """Send one request, exactly as `client.send` does."""
        if self._knows(client):
            try:
                environ = self.environ(client, arguments)
            except _Unusual:
                pass
            else:
                return self._call(client, environ, passing, reader)
        return send(client, passing=passing, reader=reader, **arguments)

    def environ(self, client: Any, arguments: Mapping[str, Any]) -> Environ:
        """Build the WSGI environment of a request; raise `_Unusual` for an unusual one."""
        if not _KNOWN_ARGUMENTS.issuperset(arguments):
            raise _Unusual
        path = arguments.get("path", "/")
        query = arguments.get("query_string", "")
        if type(path) is not str or type(query) is not str or not _PLAIN_PATH.fullmatch(path):
            raise _Unusual
        environ = {**client.environ_base, **self._present_template()}
        environ["REQUEST_METHOD"] = arguments.get("method", "GET")
        environ["PATH_INFO"] = _wsgi_text(unquote(path)) if "%" in path else path
        environ["QUERY_STRING"] = query if query.isascii() else _wsgi_text(query)
        environ["REQUEST_URI"] = environ["RAW_URI"] = path
        environ["wsgi.errors"] = sys.stderr
        self._add_body(environ, arguments)
        if headers := arguments.get("headers"):
            _add_headers(environ, headers)
        if variables := arguments.get("environ_overrides"):
            environ.update(variables)
        if client._cookies:
            client._add_cookies_to_wsgi(environ)
        elif client._cookies is not None:
            environ.pop("HTTP_COOKIE", None)
        return environ

    def _knows(self, client: Any) -> bool:
        return (
            self._usable
            and type(client) is FlaskClient
            and client.application is self._app
            and not client.preserve_context
            and "open" not in vars(client)  # a user whose requests go elsewhere
        )

    def _present_template(self) -> Environ:
        """Return the common part of all requests, remade when the application was reconfigured."""
        config = self._app.config
        get = config.get
        settings = get("SERVER_NAME"), get("APPLICATION_ROOT"), get("PREFERRED_URL_SCHEME")
        if settings != self._settings:
            builder = EnvironBuilder(self._app, "/")
            self._template = builder.get_environ()
            builder.close()
            self._settings = settings
        return self._template

    def _add_body(self, environ: Environ, arguments: Mapping[str, Any]) -> None:
        body, content_type = b"", arguments.get("content_type")
        json, data = arguments.get("json"), arguments.get("data")
        if json is not None:
            if data is not None:
                raise _Unusual
            body = self._json_body(json)
            content_type = content_type or "application/json"
        elif isinstance(data, dict) and data:
            if content_type is not None:
                raise _Unusual
            body, content_type = _form_body(data), "application/x-www-form-urlencoded"
        elif type(data) is bytes and data:
            body = data
        elif data or content_type is not None:
            raise _Unusual
        environ["wsgi.input"] = BytesIO(body)
        if content_type is not None:
            environ["CONTENT_TYPE"] = content_type
        if body:
            environ["CONTENT_LENGTH"] = str(len(body))

    def _json_body(self, value: Any) -> bytes:
        try:
            text: str = self._app.json.dumps(value)
            return text.encode()
        except Exception:
            raise _Unusual from None

    def _call(
        self,
        client: Any,
        environ: Environ,
        passing: tuple[type[BaseException], ...],
        reader: BodyReader,
    ) -> RawResponse:
        """Call the application as `werkzeug.test.run_wsgi_app` does, and read the response."""
        self._failure.error = self._failure.abort = None
        answer: list[Any] = []
        body = bytearray()

        def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
            if exc_info:
                raise exc_info[1].with_traceback(exc_info[2])
            answer[:] = status, headers
            return body.extend

        result: Any = None
        error: BaseException | None = None
        reading = Reading()
        try:
            with self._handlers:
                result = self._app(environ.copy(), start_response)
            reading = self._read(client, environ, result, answer, body, reader)
        except passing:
            raise
        except _UnreadableCookie as unreadable:
            return RawResponse(error=unreadable.__cause__, entered=False)
        except BaseException as raised:
            error = raised
        finally:
            error = close_quietly(result, passing) or error
        if not answer:
            error = self._failure.error or error
            return RawResponse(error=error or RuntimeError("the application did not answer"))
        status = _status_code(answer[0])
        error = failure_behind(status, self._failure.error) or error
        abort = abort_behind(status, self._failure)
        return RawResponse(
            status,
            plain_headers(answer[1]),
            bytes(body),
            error,
            truncated=reading.truncated,
            live=reading.live,
            late=reading.late,
            abort=abort,
        )

    def _read(
        self,
        client: Any,
        environ: Environ,
        result: Iterable[bytes],
        answer: list[Any],
        body: bytearray,
        reader: BodyReader,
    ) -> Reading:
        """Read the body; the client stores its cookies as soon as there are headers."""
        chunks = iter(result)
        if not answer:  # an application may start its response with its first chunk
            body += next(chunks, b"")
        if answer and client._cookies is not None:
            cookies = [value for name, value in answer[1] if name.lower() == "set-cookie"]
            if cookies:
                url = urlsplit(get_current_url(environ))
                host = url.hostname or "localhost"
                try:
                    client._update_cookies_from_response(host, url.path, cookies)
                except (StopIteration, ValueError) as error:  # a cookie name that is no token, say
                    raise _UnreadableCookie from error
        return reader.read(chunks, answer[1] if answer else (), body)

    def _gets_exceptions(self) -> bool:
        """Subscribe to unhandled exceptions, which Flask 2.2 only reports with blinker."""
        try:
            got_request_exception.connect(self._note_failure)  # weak: ends with this object
        except RuntimeError:
            return False
        return True

    def _agrees_with_builder(self) -> bool:
        """Say whether both ways make equal environments from a few samples."""
        client = self._app.test_client()
        if type(client) is not FlaskClient or not hasattr(client, "_cookies"):
            return False
        return all(
            comparable(self.environ(client, sample)) == comparable(ordinary_environ(client, sample))
            for sample in _SAMPLES
        )


def ordinary_environ(client: Any, arguments: Mapping[str, Any]) -> Environ:
    """Return the environment that the ordinary client makes of a request."""
    builder = EnvironBuilder(
        client.application, environ_base=client._copy_environ({}), **dict(arguments)
    )
    try:
        environ: Environ = builder.get_environ()
    finally:
        builder.close()
    client._add_cookies_to_wsgi(environ)
    return environ


def comparable(environ: Environ) -> Environ:
    """Return `environ` with its body read, so that two of them can be compared."""
    return {**environ, "wsgi.input": environ["wsgi.input"].read()}


def _add_headers(environ: Environ, headers: Any) -> None:
    if type(headers) is not list:
        raise _Unusual
    given: dict[str, str] = {}
    for name, value in headers:
        if type(value) is not str or "\n" in value or "\r" in value:
            raise _Unusual
        if name.lower() in _BODY_HEADERS:
            raise _Unusual
        key = f"HTTP_{name.upper().replace('-', '_')}"
        given[key] = f"{given[key]}, {value}" if key in given else value
    environ.update(given)


def _form_body(data: Mapping[str, Any]) -> bytes:
    pairs = []
    for name, values in data.items():
        for value in values if type(values) is list else [values]:
            if type(value) is not str:
                raise _Unusual
            pairs.append((name, value))
    assert _encode_form is not None
    try:
        return _encode_form(pairs).encode("ascii")
    except UnicodeError:
        raise _Unusual from None


def _wsgi_text(text: str) -> str:
    """Return `text` in WSGI's form: UTF-8 bytes as Latin-1 characters (PEP 3333)."""
    try:
        return text.encode().decode("latin1")
    except UnicodeError:
        raise _Unusual from None


def _status_code(status: str) -> int:
    try:
        return int(str.partition(status, " ")[0])
    except (ValueError, TypeError):
        return 0
