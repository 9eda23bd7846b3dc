"""Makes individuals from requests that tests have sent, to begin the search with.

each request of a test -> the endpoint whose template matches its path -> a call
each value             -> the endpoint's gene holding it, or the plainest gene that can
parts of responses     -> links to the call that returned them
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from urllib.parse import parse_qsl

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.problem.http.composing.examples import ExampleCall
from pytest_evosearch.problem.http.composing.examples import ExampleTest
from pytest_evosearch.problem.http.composing.examples import Joined
from pytest_evosearch.problem.http.composing.examples import Part
from pytest_evosearch.problem.http.descriptions.guesses import TEXT
from pytest_evosearch.problem.http.descriptions.guesses import gene_holding
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.descriptions.parameters import FRAMEWORK_HEADERS
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.graphql_documents import coordinate_in
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import walk_json
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import PrefixedGene
from pytest_evosearch.problem.http.filling.adoption import holding

_HOLE = "\ue000"
"""Marks a part of a response in a path; a private character, so no path contains it."""


def individuals_from(
    tests: Iterable[ExampleTest], model: EndpointModel, max_calls: int
) -> Iterator[Individual]:
    """Yield one individual for each test that calls endpoints of `model`, each only once.

    `model` learns undeclared parameters that a test sends.
    """
    seen = set()
    for test in tests:
        calls = tuple(_calls(test, model))[:max_calls]
        if calls and calls not in seen:
            seen.add(calls)
            yield Individual(calls)


def _calls(test: ExampleTest, model: EndpointModel) -> Iterator[Call]:
    labels: dict[int, int] = {}
    for index, example in enumerate(test.calls):
        match = _matched(example, model)
        if match is not None:
            inputs = tuple(_Inputs(match.endpoint, model, labels).all(example, match))
            labels[index] = index + 1
            yield Call(match.endpoint.key, inputs, index + 1)


@dataclass(frozen=True)
class _Match:
    """The endpoint of a request, with the values in its address."""

    endpoint: Endpoint
    path: Mapping[str, object]
    query: Mapping[str, object]


def _matched(example: ExampleCall, model: EndpointModel) -> _Match | None:
    endpoints = [each for each in model.endpoints if each.method == example.method]
    text, parts = _with_holes(example.target)
    path, _, query = text.partition("?")
    coordinate = _operation_asked_for(example)
    found = [
        (len(PLACEHOLDER.sub("", endpoint.template)), values, endpoint)
        for endpoint in endpoints
        if operation_of(endpoint.template) in ("", coordinate)
        if (values := _path_values(endpoint, path, parts)) is not None
    ]
    if not found:
        return None
    _literal, values, endpoint = max(found, key=lambda each: each[0])
    pairs = {name: value for name, value in parse_qsl(query, True) if _HOLE not in value}
    return _Match(endpoint, values, pairs)


def _operation_asked_for(example: ExampleCall) -> str:
    """Return the GraphQL operation in the body of a request, empty for none."""
    body = example.options.get("json")
    document = body.get("query") if isinstance(body, dict) else None
    return coordinate_in(document) if isinstance(document, str) else ""


def _with_holes(target: str | Joined) -> tuple[str, list[Part]]:
    """Return the text of an address with a special character for each part of a response."""
    if not isinstance(target, Joined):
        return target, []
    parts = [piece for piece in target.pieces if isinstance(piece, Part)]
    text = "".join(piece if isinstance(piece, str) else _HOLE for piece in target.pieces)
    return text, parts


def _path_values(endpoint: Endpoint, path: str, parts: Iterable[Part]) -> dict[str, object] | None:
    """Return the path parameters of `path` where it fits the endpoint's template."""
    template = address_of(endpoint.template)
    literals = [re.escape(literal) for literal in PLACEHOLDER.split(template)[::2]]
    found = re.fullmatch("([^/]+)".join(literals).rstrip("/") + "/?", path or "/")
    found = found or re.fullmatch("(.+)".join(literals), path)
    if found is None:
        return None
    waiting = iter(parts)
    values: dict[str, object] = {}
    for name, text in zip(endpoint.placeholders, found.groups(), strict=True):
        held = [next(waiting) for _ in range(text.count(_HOLE))]
        # A part within a longer text has no link: the endpoint's own gene stands for both.
        values[name] = text if not held else held[0] if text == _HOLE else None
    return values


class _Inputs:
    """Makes the inputs of one call."""

    def __init__(self, endpoint: Endpoint, model: EndpointModel, labels: Mapping[int, int]) -> None:
        self._endpoint = endpoint
        self._model = model
        self._labels = labels

    def all(self, example: ExampleCall, match: _Match) -> Iterator[Input]:
        """Yield the inputs of `example`."""
        for name, value in match.path.items():
            given = None if value is None else self._input(Location.PATH, name, value)
            yield given or self._default(name)
        query = {**match.query, **_mapping(example.options.get("query_string"))}
        yield from self._each(Location.QUERY, query)
        headers = _mapping(example.options.get("headers"))
        own = {name.title(): held for name, held in headers.items()}
        own = {name: held for name, held in own.items() if name.lower() not in FRAMEWORK_HEADERS}
        yield from self._each(Location.HEADER, own)
        yield from self._each(Location.COOKIE, _mapping(example.options.get("cookies")))
        if self._endpoint.method not in ("GET", "HEAD", "OPTIONS"):
            yield from self._body(example.options)

    def _default(self, name: str) -> Input:
        parameter = self._model.parameter(self._endpoint.key, (Location.PATH, name))
        return Input(Location.PATH, name, parameter.gene if parameter is not None else TEXT)

    def _each(self, location: Location, values: Mapping[str, object]) -> Iterator[Input]:
        for name, value in values.items():
            given = self._input(location, name, value)
            if given is not None:
                yield given

    def _body(self, options: Mapping[str, object]) -> Iterator[Input]:
        data = options.get("data")
        sent = options.get("json")
        if sent is not None:
            yield from self._each(Location.JSON, {"": sent})
        elif isinstance(data, dict):
            for name, value in data.items():
                is_file = isinstance(_first(value), bytes)
                location = Location.FILE if is_file else Location.FORM
                yield from self._each(location, {str(name): _file(value) if is_file else value})
        elif isinstance(data, (str, bytes)):
            yield from self._each(Location.TEXT, {"": data})

    def _input(self, location: Location, name: str, value: object) -> Input | None:
        """Return an input that holds `value`; None when no part of the value is known."""
        parameter = self._model.parameter(self._endpoint.key, (location, name))
        present = parameter.gene if parameter is not None else None
        gene = self._gene(location, value, present)
        if gene is None:
            return None
        if parameter is None and location is not Location.PATH:
            holder = gene_holding(_plain(value))
            if location is Location.FILE:
                holder = gene = file_gene(name, BytesGene()).adopt(_plain(value)) or holder
            known = Parameter(location, name, holder, source="test")
            self._model.add(self._endpoint.key, known)
        return Input(location, name, gene)

    def _gene(self, location: Location, value: object, present: Gene | None) -> Gene | None:
        if isinstance(value, Part):
            return self._link(value, present or TEXT)
        if isinstance(value, Joined):
            return self._prefixed(value)
        plain = _plain(value)
        if isinstance(plain, bool) and location not in BODY_LOCATIONS:
            plain = "true" if plain else "false"
        gene = holding(present, plain, location) if present is not None else gene_holding(plain)
        if gene is None:
            return None
        for path, part in _parts(value):
            place = find(gene, path)
            if place is not None and part.call in self._labels:
                fallback = gene_holding(_at(plain, path))
                gene = replaced(gene, place, self._link(part, fallback))
        return gene

    def _link(self, part: Part, fallback: Gene) -> Gene:
        label = self._labels.get(part.call)
        return fallback if label is None else LinkGene(label, part.selector, fallback)

    def _prefixed(self, text: Joined) -> Gene | None:
        """Return the text before a part of a response, such as ``Bearer `` before a token."""
        prefix, *rest = text.pieces
        if isinstance(prefix, str) and len(rest) == 1 and isinstance(rest[0], Part):
            return PrefixedGene(self._link(rest[0], TEXT), prefix)
        return None


def _mapping(value: object) -> dict[str, object]:
    if isinstance(value, dict):
        return {str(name): held for name, held in value.items()}
    if isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return {str(name): held for name, held in value}
    return {}


def _first(value: object) -> object:
    """Return the content of ``(content, filename)``."""
    return value[0] if isinstance(value, list) and value else value


def _file(value: object) -> object:
    """Return ``(content, filename)`` as the value of an upload; content alone unchanged."""
    if isinstance(value, list) and len(value) > 1 and isinstance(value[1], str):
        return {"content": value[0], "filename": value[1]}
    return _first(value)


def _plain(value: object) -> object:
    """Return `value` with 1 for each part of a response."""
    if isinstance(value, Part):
        return 1
    if isinstance(value, dict):
        return {str(name): _plain(held) for name, held in value.items()}
    if isinstance(value, list):
        return [_plain(held) for held in value]
    return value


def _parts(value: object) -> Iterator[tuple[tuple[str | int, ...], Part]]:
    """Yield the places of a JSON body that hold parts of responses."""
    return ((place, part) for place, part in walk_json(value) if isinstance(part, Part))


def _at(value: object, path: tuple[str | int, ...]) -> object:
    for key in path:
        value = value[key]  # type: ignore[index]  # `_parts` has walked here
    return value
