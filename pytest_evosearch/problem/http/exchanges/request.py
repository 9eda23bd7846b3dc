"""Builds the request of a call: resolves links, and makes every value concrete and sendable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pytest_evosearch.core.isolation import json
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.problem.http.exchanges.address import can_be_sent
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.exchanges.signed_text import SignedText

Earlier: TypeAlias = "Mapping[int, tuple[int, Exchange]]"
"""Label of an earlier call -> its index in the test, and its exchange."""


def build_request(call: Call, endpoint: Endpoint, earlier: Earlier) -> Request:
    """Return the request of `call`, with links resolved, absent values omitted, and texts sendable.

    A link sends its fallback when its call is not in `earlier` or has no such value. If a call
    holds several bodies, JSON wins over a form, and a form over raw text.
    """
    builder = _Builder(earlier)
    for given in call.inputs:
        value = given.gene.value()
        if value is not ABSENT:
            builder.add(given.location, given.name, value)
    return builder.request(endpoint)


class _Builder:
    """Collects the parts of one request."""

    def __init__(self, earlier: Earlier) -> None:
        self.earlier = earlier
        self.origins: dict[ValuePath, Origin] = {}
        self.path: dict[str, object] = {}
        self.query: list[tuple[str, object]] = []
        self.headers: list[tuple[str, str]] = []
        self.cookies: list[tuple[str, str]] = []
        self.environ: list[tuple[str, str]] = []
        self.form: list[tuple[str, object]] = []
        self.files: list[tuple[str, Upload]] = []
        self.json: object = None
        self.has_json = False
        self.text: str | bytes | None = None
        self.rows: list[PlacedRow] = []
        self.answers: dict[str, Mapping[str, object]] = {}

    def add(self, location: Location, name: str, value: object) -> None:
        """Add one value at its location."""
        resolved = self._resolve(value, _origin_path(location, name))
        if resolved is ABSENT:
            return
        if location is Location.PATH:
            self.path[name] = path_value(resolved)
        elif location is Location.QUERY:
            self.query.extend((name, item) for item in form_values(resolved))
        elif location is Location.HEADER:
            self.headers.append((name, header_text(resolved)))
        elif location is Location.COOKIE:
            self.cookies.append((name, header_text(resolved).replace(";", "")))
        elif location is Location.ENVIRON:
            self._add_variable(name, header_text(resolved))
        elif location is Location.FORM:
            self.form.extend((name, item) for item in form_values(resolved))
        elif location is Location.FILE:
            self.files.append((name, upload(name, resolved)))
        elif location is Location.JSON:
            self.json, self.has_json = resolved, True
        elif location in (Location.ROW, Location.ANSWER):
            self._arrange(location, name, resolved)
        else:
            self.text = resolved if isinstance(resolved, bytes) else as_text(resolved)

    def _add_variable(self, name: str, text: str) -> None:
        if can_be_sent(name, text):
            self.environ.append((name, text))

    def _arrange(self, location: Location, name: str, resolved: object) -> None:
        """Add what is not sent, but there before the request."""
        if not isinstance(resolved, dict):
            return
        if location is Location.ROW:
            self.rows.append(PlacedRow(name.partition(" ")[0], resolved))
        else:
            self.answers[name] = resolved

    def request(self, endpoint: Endpoint) -> Request:
        """Return the collected parts as one request."""
        form: tuple[tuple[str, object], ...] = ()
        files: tuple[tuple[str, Upload], ...] = ()
        text = None
        if not self.has_json:
            form, files = tuple(self.form), tuple(self.files)
            text = None if form or files else self.text
        for name in endpoint.placeholders:
            self.path.setdefault(name, "")
        return Request(
            method=endpoint.method,
            template=endpoint.template,
            path=self.path,
            query=tuple(self.query),
            headers=tuple(self.headers),
            cookies=tuple(self.cookies),
            environ=tuple(self.environ),
            form=form,
            files=files,
            json=self.json,
            has_json=self.has_json,
            text=text,
            content_type=None if text is None else _content_type(endpoint),
            host=endpoint.host,
            origins=self.origins,
            rows=tuple(self.rows),
            answers=self.answers,
        )

    def _resolve(self, value: object, where: ValuePath) -> object:
        if isinstance(value, str):
            return sendable_text(value)
        if isinstance(value, Link):
            return self._follow(value, where)
        if isinstance(value, dict):
            resolved = {
                sendable_text(str(key)): self._resolve(item, (*where, str(key)))
                for key, item in value.items()
            }
            return {key: item for key, item in resolved.items() if item is not ABSENT}
        if isinstance(value, (list, tuple)):
            return [self._resolve(item, (*where, index)) for index, item in enumerate(value)]
        if isinstance(value, bytes) and where[0] == "json":
            return value.decode("latin-1")
        return value

    def _follow(self, link: Link, where: ValuePath) -> object:
        found = self.earlier.get(link.label)
        value = MISSING if found is None else select(found[1], link.selector)
        if found is None or value is MISSING or value is None:
            fallback = link.fallback
            if link.prefix and fallback is not ABSENT:
                fallback = f"{link.prefix}{as_text(fallback)}"
            return self._resolve(fallback, where)
        self.origins[where] = Origin(found[0], link.selector, link.prefix)
        return f"{link.prefix}{as_text(value)}" if link.prefix else value


def _origin_path(location: Location, name: str) -> ValuePath:
    if location is Location.JSON or location is Location.TEXT:
        return (location.value,)
    return (location.value, name)


def _content_type(endpoint: Endpoint) -> str:
    for parameter in endpoint.parameters:
        if parameter.location is Location.TEXT and parameter.content_type:
            return parameter.content_type
    return "text/plain"


def sendable_text(text: str) -> str:
    """Return `text` without lone surrogates, which no encoding can send."""
    if text.isascii():
        return text
    return text.encode("utf-8", "ignore").decode("utf-8")


def as_text(value: object) -> str:
    """Return the text of `value` outside JSON: ``true``, and the empty text for None."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, (dict, list)):
        return json.dumps(value, default=as_text)  # a list with a file in it is wrong on purpose
    return str(value)


def path_value(value: object) -> object:
    """Return the value of a path segment: numbers stay numbers, all others become texts."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    return as_text(value)


def form_values(value: object) -> list[object]:
    """Return the values of one query or form name: a list becomes repeated names."""
    if isinstance(value, list):
        return [path_value(item) for item in value]
    return [path_value(value)]


def header_text(value: object) -> str:
    """Return a header value that the protocol allows: latin-1 on one line."""
    text = as_text(value)
    if isinstance(text, SignedText):
        return text
    if not text.isascii():
        text = text.encode("latin-1", "ignore").decode("latin-1")
    if not text.isprintable():
        text = "".join(character for character in text if character.isprintable())
    return text.strip()


def upload(name: str, value: object) -> Upload:
    """Return a file made of content alone, or of an object with ``filename`` and ``content``."""
    filename, content_type = f"{name or 'file'}.txt", None
    if isinstance(value, dict):
        filename = header_text(value.get("filename", filename))
        given = value.get("content_type")
        content_type = header_text(given) if given else None
        value = value.get("content", b"")
    content = value if isinstance(value, bytes) else as_text(value).encode("utf-8", "ignore")
    return Upload(filename, content, content_type)
