"""Writes requests as ``curl`` commands that can be pasted into a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from collections.abc import Sequence
from urllib.parse import quote
from urllib.parse import urlencode

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request

SERVER = "http://localhost:5000"
"""The address at which ``flask run`` listens."""


def curl_script(exchanges: Sequence[Exchange]) -> str:
    """Return one ``curl`` command for each request, in order, with the responses as comments.

    A value from an earlier response is that of the recorded run; a comment says so.
    """
    return "\n".join(line for exchange in exchanges for line in _lines_of(exchange))


def _lines_of(exchange: Exchange) -> Iterable[str]:
    request = exchange.request
    if exchange.user is not None:
        yield f"# as the user {_one_line(exchange.user)}"
    for path, origin in request.origins.items():
        place = ".".join(str(part) for part in path)
        yield f"# {_one_line(place)} is taken from the answer of call {origin.call + 1}"
    for name, value in request.environ:
        yield f"# the server sends {_one_line(name)}: {_one_line(value)}"
    yield curl_command(request)


def curl_command(request: Request) -> str:
    """Return `request` as one shell command."""
    parts = ["curl", "-i"]
    if request.method == "HEAD":
        parts.append("--head")
    elif request.method != "GET" or _has_body(request):
        parts += ["-X", request.method]
    parts.append(shlex.quote(url_of(request)))
    for name, value in request.headers:
        parts += ["-H", shlex.quote(f"{name}: {value}")]
    for name, value in request.cookies:
        parts += ["-b", shlex.quote(f"{name}={value}")]
    return " ".join([*parts, *_body_parts(request)])


def url_of(request: Request) -> str:
    """Return the URL on `SERVER`, or on the host that the request names."""
    return f"http://{request.host}{path_of(request)}" if request.host else SERVER + path_of(request)


def path_of(request: Request) -> str:
    """Return path and query with filled placeholders, percent-encoded."""
    path = PLACEHOLDER.sub(
        lambda match: quote(_text(request.path.get(match[1], "")), safe="", errors="replace"),
        address_of(request.template),
    )
    query = urlencode([(name, _text(value)) for name, value in request.query], errors="replace")
    return f"{path}?{query}" if query else path


def _has_body(request: Request) -> bool:
    return bool(request.has_json or request.form or request.files or request.text is not None)


def _body_parts(request: Request) -> list[str]:
    if request.has_json:
        body = _json_text(request.json)
        return ["-H", "'Content-Type: application/json'", "--data-raw", shlex.quote(body)]
    if request.files:
        return _multipart(request)
    if request.form:
        fields = [(name, _text(value)) for name, value in request.form]
        return ["--data-raw", shlex.quote(urlencode(fields, errors="replace"))]
    if request.text is not None:
        content_type = request.content_type or "text/plain"
        header = ["-H", shlex.quote(f"Content-Type: {content_type}")]
        return [*header, "--data-raw", _shell_text(request.text)]
    return []


def _multipart(request: Request) -> list[str]:
    parts = []
    for name, value in request.form:
        parts += ["--form-string", shlex.quote(f"{name}={_text(value)}")]
    for name, upload in request.files:
        parts += ["-F", shlex.quote(f"{name}=@{upload.filename}")]
    return parts


def _json_text(value: object) -> str:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return repr(value)


def _shell_text(body: str | bytes) -> str:
    """Quote a body; bytes that are not text get the ``$'...'`` form of bash."""
    if isinstance(body, bytes):
        if not body.isascii():
            return "$'" + "".join(_bash_byte(byte) for byte in body) + "'"
        body = body.decode("ascii")
    return shlex.quote(body)


def _bash_byte(byte: int) -> str:
    character = chr(byte)
    plain = 0x20 <= byte < 0x7F and character not in "'\\"
    return character if plain else f"\\x{byte:02x}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
