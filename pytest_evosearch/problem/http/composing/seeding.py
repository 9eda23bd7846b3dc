"""Makes individuals from the requests of the project's own tests, to begin the search with.

    each request of a test -> the endpoint whose template matches its path -> a call
    each value             -> the endpoint's gene holding it, or the plainest gene that can
    parts of responses     -> links to the call that returned them

Unknown values come from the endpoint's own genes (in paths) or are not sent.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from urllib.parse import parse_qsl

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.problem.examples.values import UNKNOWN
from pytest_evosearch.problem.examples.values import Address
from pytest_evosearch.problem.examples.values import Answer
from pytest_evosearch.problem.examples.values import Encoded
from pytest_evosearch.problem.examples.values import ExampleCall
from pytest_evosearch.problem.examples.values import ExampleTest
from pytest_evosearch.problem.examples.values import Joined
from pytest_evosearch.problem.examples.values import Part
from pytest_evosearch.problem.examples.values import Target
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
"""Marks an unknown piece of a path; a private character, so no path contains it."""

_ABSENT = object()


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
    if isinstance(example.target, Address):
        return _named(example.target, endpoints)
    text, pieces = _with_holes(example.target)
    path, _, query = text.partition("?")
    coordinate = _operation_asked_for(example)
    found = [
        (len(PLACEHOLDER.sub("", endpoint.template)), values, endpoint)
        for endpoint in endpoints
        if operation_of(endpoint.template) in ("", coordinate)
        if (values := _path_values(endpoint, path, pieces)) is not None
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


def _named(address: Address, endpoints: Iterable[Endpoint]) -> _Match | None:
    values = {name: value for name, value in address.values.items() if not name.startswith("_")}
    known = [each for each in endpoints if each.name == address.name]
    known = [each for each in known if set(each.placeholders) <= set(values)]
    if not known:
        return None
    endpoint = max(known, key=lambda each: len(each.placeholders))
    path = {name: values.pop(name) for name in endpoint.placeholders}
    return _Match(endpoint, path, values)


def _with_holes(target: Target) -> tuple[str, list[object]]:
    """Return the text of an address with a special character for each unknown piece."""
    if not isinstance(target, Joined):
        return str(target), []
    unknown = [piece for piece in target.pieces if not isinstance(piece, str)]
    text = "".join(piece if isinstance(piece, str) else _HOLE for piece in target.pieces)
    return text, list(unknown)


def _path_values(
    endpoint: Endpoint, path: str, pieces: Iterable[object]
) -> dict[str, object] | None:
    """Return the path parameters of `path` where it fits the endpoint's template."""
    template = address_of(endpoint.template)
    literals = [re.escape(literal) for literal in PLACEHOLDER.split(template)[::2]]
    found = re.fullmatch("([^/]+)".join(literals).rstrip("/") + "/?", path or "/")
    found = found or re.fullmatch("(.+)".join(literals), path)
    if found is None:
        return None
    waiting = iter(pieces)
    values: dict[str, object] = {}
    for name, text in zip(endpoint.placeholders, found.groups(), strict=True):
        holes = [next(waiting, UNKNOWN) for _ in range(text.count(_HOLE))]
        values[name] = text if not holes else holes[0] if text == _HOLE else UNKNOWN
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
            given = self._input(Location.PATH, name, value)
            yield given or self._default(name)
        query = {**match.query, **_mapping(example.options.get("query_string"))}
        yield from self._each(Location.QUERY, query)
        yield from self._each(Location.HEADER, _headers(example.options))
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
        data = options.get("data", UNKNOWN)
        sent = options.get("json", data.value if isinstance(data, Encoded) else UNKNOWN)
        if sent is UNKNOWN and isinstance(data, str) and "json" in str(options.get("content_type")):
            sent = _parsed(data)
        if sent is not UNKNOWN and sent is not None:
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
        if plain is _ABSENT:
            return None
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
            return PrefixedGene(prefix, self._link(rest[0], TEXT))
        return None


def _headers(options: Mapping[str, object]) -> dict[str, object]:
    headers = {
        name.title(): value
        for name, value in _mapping(options.get("headers")).items()
        if name.lower() not in FRAMEWORK_HEADERS
    }
    account = options.get("auth")
    if isinstance(account, list) and len(account) == 2:
        name, password = account
        if isinstance(name, str) and isinstance(password, str):
            token = b64encode(f"{name}:{password}".encode()).decode("ascii")
            headers.setdefault("Authorization", f"Basic {token}")
    return headers


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


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return UNKNOWN


def _plain(value: object) -> object:
    """Return `value` without unknown parts; 1 replaces a part of a response."""
    if isinstance(value, Part):
        return 1
    if isinstance(value, Encoded):
        plain = _plain(value.value)
        return _ABSENT if plain is _ABSENT else json.dumps(plain)
    if value is UNKNOWN or isinstance(value, (Answer, Joined, Address)):
        return _ABSENT
    if isinstance(value, dict):
        held = {str(name): _plain(item) for name, item in value.items()}
        return {name: item for name, item in held.items() if item is not _ABSENT}
    if isinstance(value, list):
        return [item for item in map(_plain, value) if item is not _ABSENT]
    if isinstance(value, (str, int, float, bytes)) or value is None:
        return value
    return _ABSENT


def _parts(value: object) -> Iterator[tuple[tuple[str | int, ...], Part]]:
    """Yield the places of a JSON body that hold parts of responses."""
    return ((place, part) for place, part in walk_json(value) if isinstance(part, Part))


def _at(value: object, path: tuple[str | int, ...]) -> object:
    for key in path:
        value = value[key]  # type: ignore[index]  # `_parts` has walked here
    return value
