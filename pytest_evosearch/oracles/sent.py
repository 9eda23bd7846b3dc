"""What a request sent, in the forms for which oracles search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.json_places import scalars_in


def sent_texts(request: Request) -> Iterator[tuple[str, str]]:
    """Yield (place, text) for every text of `request`: ``("query q", "x")``."""
    for place, pairs in request.pairs.items():
        for name, value in pairs:
            if isinstance(value, str) and place != "environ":
                yield f"{place} {name}", value
    for name, upload in request.files:
        yield f"file {name}", upload.filename
    yield from _inside("json", request.json)
    if isinstance(request.text, str):
        yield "body", request.text


def distinct_texts(request: Request) -> Iterator[tuple[str, str]]:
    """Yield (place, text) for texts that were sent in one place only.

    For other texts it is not known which place the application used.
    """
    sent = list(sent_texts(request))
    times = Counter(text for _place, text in sent)
    return ((place, text) for place, text in sent if times[text] == 1)


def _inside(place: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _inside(f"{place} {key}" if place == "json" else f"{place}.{key}", part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _inside(f"{place}[]", part)


def row_texts(request: Request) -> Iterator[str]:
    """Yield what the rows hold that are made for `request`, as texts."""
    return (str(value) for row in request.rows for value in row.values.values())


def was_sent(request: Request, text: str) -> bool:
    """Say whether `text` is part of anything that `request` sent, or of a row made for it."""
    if any(text in sent for _place, sent in sent_texts(request)):
        return True
    if any(text in stored for stored in row_texts(request)):
        return True
    raw = request.text
    if isinstance(raw, bytes) and text.encode() in raw:
        return True
    if any(text.encode() in upload.content for _name, upload in request.files):
        return True
    return request.has_json and text in json.dumps(request.json, default=str)


def sent_numbers(request: Request) -> Iterator[float]:
    """Yield every number in `request`, even one that is written as text."""
    plain = [*request.path.values(), *(value for _name, value in (*request.query, *request.form))]
    inner = (value for value in scalars_in(request.json) if not isinstance(value, bool))
    for value in [*plain, *inner]:
        number = _number_of(value)
        if number is not None:
            yield number


def _number_of(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, (int, float, str)) else None
    except (ValueError, OverflowError):
        return None
