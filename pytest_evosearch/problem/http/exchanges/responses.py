"""Reads values of responses by their selectors, and lists those worth a link."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from html import unescape
from itertools import islice
from urllib.parse import parse_qsl
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.core.forms import LARGEST_PAGE
from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.mails import mailed_code
from pytest_evosearch.problem.http.exchanges.mails import mailed_value
from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.problem.http.exchanges.xml_places import leaves
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.problem.http.exchanges.xml_places import value_at

LARGEST_BODY = 65_536
"""Most bytes of JSON that are parsed for values."""

MOST_VALUES = 30
"""Most values listed for one response."""

NEAR = 300
"""Bytes around a keyword in which a token is searched."""

_NAMED = r"""name=["'](?!csrf-param)(?P<name>[\w.-]*[cx]srf[\w.-]*)["']"""
_CONTENT = r"""content=["'](?P<token>[^"']{8,})["']"""
_META = re.compile(rf"<meta\s[^>]*?{_NAMED}[^>]*?{_CONTENT}", re.IGNORECASE)
_META_TURNED = re.compile(rf"<meta\s[^>]*?{_CONTENT}[^>]*?{_NAMED}", re.IGNORECASE)
_SCRIPTED = re.compile(
    r"""\b(?P<name>\w*[cx]srf\w*)["']?\s*[:=]\s*["'](?P<token>[^"'\s]{8,})["']""", re.IGNORECASE
)

ANSWER_KEYS = frozenset({"data", "errors", "extensions"})
"""Keys of a GraphQL response."""

WRAPPERS = 3
"""Levels around the content of a response: ``data``, the operation, a mutation's payload."""

_LONGEST_TEXT = 500
_DEEPEST = 3


class Missing:
    """Result of a selector without a value; the only instance is `MISSING`."""

    __slots__ = ()


MISSING = Missing()

MOST_LOCATION_FIELDS = 32


def select(exchange: Exchange, selector: Selector) -> object:
    """Return the value of the response at `selector`, or `MISSING`."""
    response = exchange.response
    if response is None or not selector:
        return MISSING
    kind, *rest = selector
    if kind == "mail" and rest and not rest[0]:
        code = mailed_code(exchange.mails, str(rest[1]))
        return MISSING if code is None else code
    if kind == "mail":
        value = mailed_value(exchange.mails, str(rest[0]), str(rest[-1])) if rest else None
        return MISSING if value is None else value
    if kind == "json":
        return _select_json(response, rest)
    if kind == XML:
        root = root_of(response)
        found = value_at(root, selector) if root is not None else None
        return MISSING if found is None else found
    if kind == "location" and rest and isinstance(rest[0], str):
        return location_query(response).get(rest[0], MISSING)
    if kind == "location":
        segments = location_segments(response)
        index = rest[0] if rest else -1
        inside = isinstance(index, int) and -len(segments) <= index < len(segments)
        return segments[index] if inside and isinstance(index, int) else MISSING
    if kind == "header":
        value = response.header(str(rest[0])) if rest else None
        return MISSING if value is None else value
    if kind == "form" and rest:
        return _select_field(response, str(rest[0]))
    if kind == "page" and rest:
        return loose_tokens(response).get(str(rest[0]), MISSING)
    return MISSING


def _select_json(response: Response, path: list[str | int]) -> object:
    if not response.is_json:
        return MISSING
    try:
        value = response.json()
    except ValueError:
        return MISSING
    return inside(value, path)


def inside(value: object, path: Sequence[str | int]) -> object:
    """Return the value at `path` in nested objects and arrays, or `MISSING`."""
    try:
        for key in path:
            value = value[key]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return MISSING
    return value


def location_path(response: Response) -> str:
    """Return the path of the Location header, empty without one."""
    try:
        return urlsplit(response.location or "").path
    except ValueError:
        return ""


def asks_to_log_in(response: Response | None) -> bool:
    """Say whether a response redirects to a log-in page, by the path of its address."""
    if response is None or not FIRST_REDIRECT <= response.status < FIRST_REFUSAL:
        return False
    path = re.sub("[-_]", "", location_path(response).lower())
    return any(word in path for word in LOG_IN.words())


def location_segments(response: Response) -> list[str]:
    """Return the decoded path segments of the Location header, without empty ones."""
    return [unquote(segment) for segment in location_path(response).split("/") if segment]


def leads_to_nothing(response: Response) -> bool:
    """Say whether a redirect leads to ``None``: the text of a page that the code did not have."""
    return location_segments(response)[-1:] == [str(None)]


def location_query(response: Response) -> dict[str, str]:
    """Return the query parameters of the Location header: ``?code=...&state=...``."""
    try:
        query = urlsplit(response.location or "").query
        return dict(parse_qsl(query, max_num_fields=MOST_LOCATION_FIELDS))
    except ValueError:
        return {}


def _select_field(response: Response, name: str) -> object:
    if response.mimetype != "text/html":
        return MISSING
    for form in parse_forms(response.text):
        if name in form.fields:
            return form.fields[name].value
    return MISSING


def excerpts(body: bytes, words: Iterable[bytes], near: int) -> Iterator[str]:
    """Yield up to `near` bytes around each of `words`, which are lower case.

    A search for a few bytes takes a tenth of the time of an expression over a whole page.
    """
    lowered = body.lower()
    found = sorted({place for word in words for place in _places(lowered, word)})
    start = end = 0
    for place in found:
        if place - near > end:
            if end:
                yield body[start:end].decode("utf-8", "replace")
            start = place - near
        end = place + near
    if end:
        yield body[start:end].decode("utf-8", "replace")


def _places(text: bytes, word: bytes) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def loose_tokens(response: Response) -> dict[str, str]:
    """Return CSRF tokens outside the forms of a page, by their names there.

    Tokens for scripts are in the head (``<meta name="csrf-token" content="...">``), or in the
    script itself (``var csrf_token = "...";``, ``'csrfNonce': "..."``).
    """
    found: dict[str, str] = {}
    if response.mimetype != "text/html":
        return found
    for near in excerpts(response.body[:LARGEST_PAGE], (b"csrf", b"xsrf"), NEAR):
        for pattern in (_META, _META_TURNED, _SCRIPTED):
            for match in pattern.finditer(near):
                found.setdefault(match["name"], unescape(match["token"]))
    return found


def linkable_values(response: Response) -> list[tuple[Selector, object]]:
    """List scalars of the response's JSON or XML that a later call may need."""
    found: list[tuple[Selector, object]] = []
    root = root_of(response)
    if root is not None:
        texts = (one for one in leaves(root) if 0 < len(one[1]) <= _LONGEST_TEXT)
        found.extend(islice(texts, MOST_VALUES))
    if response.is_json and 0 < len(response.body) <= LARGEST_BODY:
        try:
            document = response.json()
        except ValueError:
            document = None
        for leaf in _leaves(document, ("json",), _first_level(document)):
            found.append(leaf)
            if len(found) >= MOST_VALUES:
                break
    return found


def _first_level(document: object) -> int:
    """Return the level of the outermost value: GraphQL responses wrap their content."""
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        return 0
    return -WRAPPERS if ANSWER_KEYS.issuperset(document) else 0


def _leaves(value: object, path: Selector, depth: int) -> Iterator[tuple[Selector, object]]:
    if isinstance(value, dict):
        if depth < _DEEPEST:
            for key, child in value.items():
                yield from _leaves(child, (*path, key), depth + 1)
    elif isinstance(value, list):
        if value and depth < _DEEPEST:
            yield from _leaves(value[0], (*path, 0), depth + 1)
            if len(value) > 1 and not isinstance(value[0], (dict, list)):
                yield from _leaves(value[-1], (*path, -1), depth + 1)
    elif isinstance(value, str):
        if 0 < len(value) <= _LONGEST_TEXT:
            yield path, value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value
