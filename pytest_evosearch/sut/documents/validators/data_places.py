"""Finds the place in the current request that validated data come from."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from flask import has_request_context
from flask import request as current_request

from pytest_evosearch.core.http_words import BODILESS
from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.documents.validators.hooks import Placed
from pytest_evosearch.sut.watching.recorded_json import RecordingDict
from pytest_evosearch.sut.watching.recorded_json import RecordingList
from pytest_evosearch.sut.watching.recorded_json import plain
from pytest_evosearch.sut.watching.recorded_reads import JsonPath

LARGEST_RAW_BODY = 100_000
"""Largest body, in bytes, that we parse ourselves to compare it."""

SHORTEST_TEXT = 3
"""Fewest characters of a text that is found among the parameters; shorter ones are everywhere."""

MOST_INNER_VALUES = 60
"""Most objects and lists inside a body that are compared with validated data."""


class Place(NamedTuple):
    """A place in a request."""

    location: str
    """``json``, ``form``, ``query``, ``header`` or ``cookie``."""
    path: JsonPath = ()
    """For JSON the keys down to the place."""
    certain: bool = True
    """False when only empty values agree: then a refusal must confirm that it is input."""
    added: frozenset[str] = frozenset()
    """Names in the data that are not in the request."""
    name: str = ""
    """The parameter, if the data are one text among those of the place."""


def request_in_progress() -> Any:
    """Return the request that is being handled, None outside any request."""
    if not has_request_context():
        return None
    return current_request._get_current_object()  # type: ignore[attr-defined]


def place_of(data: object, request: Any) -> Place | None:
    """Return the place of `data` in `request`, None when the data come from elsewhere.

    Only parts that the handler has read are compared; nothing is parsed for it.
    """
    if isinstance(data, Placed):
        return Place(data.location)
    if isinstance(data, RecordingDict | RecordingList) and hasattr(data, "path"):
        return Place("json", data.path)
    own = vars(request)
    # webargs wraps its argument; forms with files combine several mappings.
    for candidate in (data, getattr(data, "data", None), *getattr(data, "dicts", ())):
        for name, location in _containers(request):
            if candidate is not None and candidate is own.get(name):
                return Place(location)
    if isinstance(data, (str, bytes)):
        return Place("json") if _is_raw_body(data, own) else _place_of_text(data, request)
    return _place_by_content(plain(data), request)


def _containers(request: Any) -> tuple[tuple[str, str], ...]:
    either = "query" if request.method in BODILESS else "form"
    return (
        ("form", "form"),
        ("args", "query"),
        ("values", either),
        ("headers", "header"),
        ("cookies", "cookie"),
    )


def _is_raw_body(data: str | bytes, own: Mapping[str, Any]) -> bool:
    raw = own.get("_cached_data")
    given = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return bool(raw) and given == raw


def _place_of_text(text: str | bytes, request: Any) -> Place | None:
    """Return the parameter, or the place in a JSON body, that has this text."""
    if isinstance(text, bytes) or len(text) < SHORTEST_TEXT:
        return None
    own = vars(request)
    for container, location in (("args", "query"), ("form", "form")):
        for name, value in _flat(own.get(container) or {}).items():
            if value == text:
                return Place(location, name=name)
    body = _json_body(own)
    for path, inner in _inside(body, ()) if body is not None else ():
        for key, value in inner.items() if isinstance(inner, dict) else ():
            if value == text:
                return Place("json", (*path, key))
    return None


def _place_by_content(data: object, request: Any) -> Place | None:
    if not isinstance(data, (Mapping, list)):
        return None
    body = _json_body(vars(request))
    for path, inner in _inside(body, ()) if body is not None else ():
        if inner == data and (inner or not path):
            return Place("json", path, certain=bool(inner))
    if not isinstance(data, Mapping):
        return None
    given = _flat(data)
    if isinstance(body, dict):
        place = _overlapping("json", given, body)
        if place is not None:
            return place
    return _place_in_texts(given, request)


def _place_in_texts(given: Mapping[str, object], request: Any) -> Place | None:
    """Return the place among the containers of texts that the handler has read."""
    own = vars(request)
    names = ("args", "form") if request.method in BODILESS else ("form", "args")
    for name in names:
        container = own.get(name)
        if container is None:
            continue
        location = "query" if name == "args" else "form"
        sent = _flat(container)
        if not sent and not given:
            return Place(location, certain=False)
        place = _overlapping(location, given, sent)
        if place is not None:
            return place
    return None


def _overlapping(
    location: str, given: Mapping[str, object], sent: Mapping[str, object]
) -> Place | None:
    """Return the place if one mapping contains the other without a contradiction."""
    present = {name: value for name, value in given.items() if value is not None}
    brought = {name for name, value in sent.items() if value is not None}
    common = present.keys() & brought
    if not common or any(not _same(present[name], sent[name]) for name in common):
        return None
    added = present.keys() - brought
    if added and len(common) < len(brought):
        return None
    return Place(location, added=frozenset(added))


def _same(given: object, sent: object) -> bool:
    """Say whether a value is the sent one, perhaps converted from text."""
    if isinstance(sent, list) and not isinstance(given, (list, tuple)):
        sent = sent[0] if sent else None
    return given == sent or (isinstance(sent, str) and str(given) == sent)


def _flat(container: Mapping[Any, Any]) -> dict[str, object]:
    """Return the first value of every name, without a note in a recording container."""
    if isinstance(container, dict) and hasattr(container, "getlist"):
        values = ((key, dict.__getitem__(container, key)) for key in dict.__iter__(container))
        return {key: value[0] if value else None for key, value in values}
    listed = {str(key): container[key] for key in container}
    return {key: item[0] if _is_single(item) else item for key, item in listed.items()}


def _is_single(item: object) -> bool:
    """Say whether this is one value as ``dict(request.form)`` shows it."""
    return isinstance(item, list) and len(item) == 1 and isinstance(item[0], str)


def _json_body(own: Mapping[str, Any]) -> Any:
    """Return the parsed body: the handler's, or one from the bytes that it has read."""
    watched = own.get("_watched_json")
    if watched is not None:
        return watched[0]
    raw = own.get("_cached_data")
    if not raw or len(raw) > LARGEST_RAW_BODY or raw.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _inside(body: object, path: JsonPath) -> Iterator[tuple[JsonPath, object]]:
    """Yield the body, then its objects and lists, level by level."""
    waiting: list[tuple[JsonPath, object]] = [(path, body)]
    for _ in range(MOST_INNER_VALUES):
        if not waiting:
            return
        path, value = waiting.pop(0)
        yield path, value
        items: list[tuple[str | int, object]] = []
        if isinstance(value, dict):
            items = list(value.items())
        elif isinstance(value, list):
            items = list(enumerate(value))
        waiting += [((*path, key), item) for key, item in items if isinstance(item, (dict, list))]
