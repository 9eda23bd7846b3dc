"""Turns a `Request` into the keyword arguments of Flask's test client.

A written test must send an identical request, so this module keeps to simple rules: placeholders
are percent-encoded whole, and queries and forms keep their order.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import quote
from urllib.parse import urlencode

from pytest_evosearch.problem.http.exchanges.address import base_url_of
from pytest_evosearch.problem.http.exchanges.address import other_variables
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.exchange import Request

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


def path_of(request: Request) -> str:
    """Return the path with every placeholder filled and percent-encoded."""
    beginning, rest = _parts_of(request.template)
    if not rest:
        return beginning
    path, values = [beginning], request.path
    for name, following in rest:
        path += (quote(str(values.get(name, "")), safe=""), following)
    return "".join(path)


@lru_cache(maxsize=4096)
def _parts_of(template: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the beginning of a path, and each placeholder with what follows it."""
    beginning, *rest = _PLACEHOLDER.split(address_of(template))
    return beginning, tuple(zip(rest[::2], rest[1::2], strict=True))


def client_arguments(
    request: Request,
    headers: Sequence[tuple[str, str]],
    query: Sequence[tuple[str, object]] = (),
) -> dict[str, Any]:
    """Return the arguments for `FlaskClient.open`; `headers` and `query` are the user's."""
    arguments: dict[str, Any] = {"method": request.method, "path": path_of(request)}
    pairs = [*query, *request.query]
    if pairs:
        arguments["query_string"] = urlencode([(name, str(value)) for name, value in pairs])
    merged = [*headers, *request.headers]
    if merged:
        arguments["headers"] = merged
    if request.environ or request.host:
        address = base_url_of(dict(request.environ), request.host or "")
        if address is not None:
            arguments["base_url"] = address
        variables = other_variables(request.environ)
        if variables:
            arguments["environ_overrides"] = dict(variables)
    arguments.update(_body_arguments(request))
    return arguments


def relieved(request: Request, held: AbstractSet[tuple[str, str]]) -> Request:
    """Return `request` without inputs that the sender's client adds anyway."""
    if not held:
        return request
    headers = {name.lower() for location, name in held if location == Location.HEADER.value}
    cookies = {name for location, name in held if location == Location.COOKIE.value}
    query = {name for location, name in held if location == Location.QUERY.value}
    environ = {name for location, name in held if location == Location.ENVIRON.value}
    return replace(
        request,
        headers=tuple(pair for pair in request.headers if pair[0].lower() not in headers),
        cookies=tuple(pair for pair in request.cookies if pair[0] not in cookies),
        query=tuple(pair for pair in request.query if pair[0] not in query),
        environ=tuple(pair for pair in request.environ if pair[0] not in environ),
    )


def _body_arguments(request: Request) -> dict[str, Any]:
    if request.has_json:
        return {"json": request.json}
    if request.files or request.form:
        return {"data": _form_data(request)}
    if request.text is not None:
        data = request.text.encode() if isinstance(request.text, str) else request.text
        return {"data": data, "content_type": request.content_type or "text/plain"}
    return {}


def _form_data(request: Request) -> dict[str, list[Any]]:
    data: dict[str, list[Any]] = {}
    for name, value in request.form:
        data.setdefault(name, []).append(str(value))
    for name, upload in request.files:
        part = (io.BytesIO(upload.content), upload.filename, upload.content_type)
        data.setdefault(name, []).append(part)
    return data
