"""Turns what a browser asks for into a recorded request, and an answer into what it gets."""

from __future__ import annotations

import base64
from collections.abc import Collection
from collections.abc import Mapping
from html import escape
from typing import Any

import flask
from werkzeug.test import EnvironBuilder

from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.watching.recorded_requests import RecordedRequest
from pytest_evosearch.sut.watching.recorded_requests import body_of


def recorded(
    asked: Mapping[str, Any],
    set_cookies: Collection[str] = (),
    own_headers: Collection[str] = (),
) -> RecordedRequest:
    """Return a request of a browser without `own_headers`, which it sends by itself.

    `set_cookies` are those that the application has set.
    """
    content_type = asked["headers"].get("content-type")
    path, _, query = asked["target"].partition("?")
    builder = EnvironBuilder(
        path,
        method=asked["request"],
        query_string=query,
        data=base64.b64decode(asked["body"]),
        content_type=content_type,
    )
    request = flask.Request(builder.get_environ())
    return RecordedRequest(
        method=request.method,
        path=request.path,
        query=tuple(request.args.items(multi=True)),
        headers=tuple(
            (name, text)
            for name, text in asked["headers"].items()
            if name not in own_headers and not name.startswith("sec-")
        ),
        cookies=tuple(pair for pair in asked["cookies"].items() if pair[0] not in set_cookies),
        body=body_of(request),
    )


def json_of(body: bytes) -> object:
    """Return the JSON of an answer, None where it is none."""
    try:
        found: object = json.loads(body)
    except ValueError:
        return None
    return found


def answer(status: int, headers: Collection[tuple[str, str]], body: bytes) -> dict[str, Any]:
    """Return an answer as the driver takes it; several cookies share a header there."""
    held: dict[str, str] = {}
    for name, text in headers:
        key = name.lower()
        if key not in ("content-length", "content-encoding", "transfer-encoding"):
            held[key] = f"{held[key]}\n{text}" if key in held else text
    return {"status": status, "headers": held, "body": base64.b64encode(body).decode()}


def led_on(headers: Collection[tuple[str, str]], location: str) -> dict[str, Any]:
    """Return a page that goes on to `location`, because no browser lets us answer a redirect."""
    cookies = [pair for pair in headers if pair[0].lower() == "set-cookie"]
    page = f'<meta http-equiv="refresh" content="0;url={escape(location)}">'
    return answer(200, [*cookies, ("Content-Type", "text/html")], page.encode())
