"""Converts requests of this plugin to requests that a hook may change, and back.

    Request -> OutgoingRequest -> the hook -> Request, the same object where nothing changed

A written test sends what the search sent, whatever a hook changes.  A value from an earlier
response keeps its origin only while it is unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace

from pytest_evosearch.core.isolation import json
from pytest_evosearch.engine.extension_values import EndpointInfo
from pytest_evosearch.engine.extension_values import OutgoingRequest
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.problem.http.exchanges.request import as_text
from pytest_evosearch.problem.http.exchanges.request import header_text
from pytest_evosearch.problem.http.exchanges.request import path_value
from pytest_evosearch.problem.http.exchanges.request import sendable_text
from pytest_evosearch.problem.http.exchanges.responses import inside

PLAIN = (str, int, float)
"""Types of values outside of JSON."""


def endpoint_info(endpoint: Endpoint) -> EndpointInfo:
    """Return what a hook gets to know about `endpoint`."""
    return EndpointInfo(endpoint.method, endpoint.template, endpoint.name, endpoint.blueprint)


def outgoing(request: Request, endpoint: Endpoint, user: str | None, path: str) -> OutgoingRequest:
    """Return `request` in the form that a hook may change; `path` is the path that is sent."""
    return OutgoingRequest(
        endpoint_info(endpoint),
        path,
        None if user in (NOBODY, STRANGER) else user,
        headers=_by_name(request.headers),
        query=_by_name(request.query),
        cookies=_by_name(request.cookies),
        form=_by_name(request.form),
        json=deepcopy(request.json) if request.has_json else None,
        text=request.text,
    )


def _by_name(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, list[object]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def changed_request(request: Request, before: OutgoingRequest, after: OutgoingRequest) -> Request:
    """Return `request` with the differences between `before` and `after`.

    Raise ValueError, one line long, for what cannot be sent or written.
    """
    if after == before:
        return request
    fixed = (before.endpoint, before.url_path, before.user)
    if (after.endpoint, after.url_path, after.user) != fixed:
        raise ValueError("endpoint, url_path and user of a request cannot be changed")
    changed = request
    if after.headers != before.headers:
        changed = replace(changed, headers=tuple(_texts("headers", after.headers)))
    if after.cookies != before.cookies:
        changed = replace(changed, cookies=tuple(_texts("cookies", after.cookies)))
    if after.query != before.query:
        changed = replace(changed, query=tuple(_values("query", after.query)))
    changed = _with_body(changed, before, after)
    kept = {
        place: origin
        for place, origin in request.origins.items()
        if _values_at(changed, place) == _values_at(request, place)
    }
    return replace(changed, origins=kept)


def _with_body(request: Request, before: OutgoingRequest, after: OutgoingRequest) -> Request:
    changed = request
    if after.form != before.form:
        changed = replace(changed, form=tuple(_values("form", after.form)))
    if after.json != before.json:
        changed = replace(changed, json=_plain_json(after.json), has_json=after.json is not None)
    if after.text != before.text:
        if not isinstance(after.text, (str, bytes, type(None))):
            raise ValueError(f"the text of a request must be text or bytes, not {after.text!r:.60}")
        changed = replace(changed, text=after.text)
    has_form = bool(changed.form or changed.files)
    if changed.has_json + has_form + (changed.text is not None) > 1:
        raise ValueError("a request has one body: json, form or text")
    return changed


def _plain_json(value: object) -> object:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError) as error:
        raise ValueError(f"the json of a request cannot be sent: {error}") from None


def _texts(part: str, named: Mapping[str, object]) -> list[tuple[str, str]]:
    found = [(name, header_text(value)) for name, value in _values(part, named)]
    for name, _value in found:
        if not name.isascii() or not name.isprintable() or {" ", ":", ";"} & set(name):
            raise ValueError(f"{name!r} is not a name for {part}")
    return found


def _values(part: str, named: Mapping[str, object]) -> list[tuple[str, object]]:
    found = []
    for name, value in named.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if not isinstance(name, str) or not name or not isinstance(one, PLAIN):
                raise ValueError(
                    f"{part} hold texts and numbers by name, not {name!r}: {one!r:.60}"
                )
            plain = path_value(one)
            found.append((name, sendable_text(plain) if isinstance(plain, str) else plain))
    return found


def _values_at(request: Request, place: ValuePath) -> object:
    kind, *rest = place
    if kind == "json":
        return inside(request.json, tuple(rest))
    if kind == "text":
        return as_text(request.text)
    if kind == "path":
        return request.path.get(str(rest[0]))
    return [value for name, value in request.pairs.get(str(kind), ()) if name == rest[0]]
