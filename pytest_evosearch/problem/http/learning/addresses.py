"""Reads addresses in responses by the application's own URL rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.descriptions.endpoint_relations import prefix_of
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import pattern_of


@dataclass(frozen=True)
class Place:
    """A path parameter that all endpoints below one collection share."""

    prefix: str
    """The template before the parameter: ``/items/`` of ``/items/{id}/edit``."""
    name: str


@dataclass(frozen=True)
class Step:
    """A segment of an address that is the value of a path parameter."""

    place: Place | None
    """None where no endpoint is known at the address."""
    index: int
    """Index of the segment in the path, from its beginning; -1 for the last one."""
    value: str


class AddressBook:
    """Finds the endpoints at a path: those with the fewest parameters first."""

    def __init__(self, model: EndpointModel) -> None:
        self._matchers = [
            (endpoint.method, re.compile(pattern_of(endpoint.template)), endpoint.key)
            for endpoint in sorted(model.endpoints, key=lambda each: each.template.count("{"))
        ]
        self._model = model

    def endpoint_at(self, method: str, path: str) -> str | None:
        """Return the key of the endpoint that answers `method` at `path`, or None."""
        found = self.call_at(method, path)
        return None if found is None else found[0]

    def call_at(self, method: str, path: str) -> tuple[str, dict[str, str]] | None:
        """Return the endpoint that answers `method` at `path`, with the values in the path."""
        for known, pattern, key in self._matchers:
            if known == method and (match := pattern.fullmatch(path)):
                names = self._model.endpoint(key).placeholders
                return key, dict(zip(names, map(unquote, match.groups()), strict=False))
        return None

    def values_in(self, path: str) -> list[tuple[str, str]]:
        """Return name and value of each path parameter of the endpoint at `path`."""
        found = self._found_at(path)
        if found is None:
            return []
        endpoint, values = found
        return list(zip(endpoint.placeholders, map(unquote, values), strict=False))

    def steps_in(self, path: str) -> list[Step] | None:
        """Return the segments of `path` that are parameters; None where there is no endpoint."""
        found = self._found_at(path)
        return None if found is None else list(_steps(found[0].template, path))

    def template_at(self, path: str) -> str | None:
        """Return the template of the endpoint at `path`, or None without one."""
        found = self._found_at(path)
        return None if found is None else found[0].template

    def _found_at(self, path: str) -> tuple[Endpoint, tuple[str, ...]] | None:
        for _method, pattern, key in self._matchers:
            found = pattern.fullmatch(path)
            if found is not None:
                return self._model.endpoint(key), found.groups()
        return None


def _steps(template: str, path: str) -> Iterator[Step]:
    parts = [part for part in template.split("/") if part]
    segments = [unquote(segment) for segment in path.split("/") if segment]
    if len(parts) != len(segments):
        return
    for index, (part, segment) in enumerate(zip(parts, segments, strict=True)):
        if PLACEHOLDER.fullmatch(part):
            place = Place(prefix_of(template, part[1:-1]), part[1:-1])
            yield Step(place, -1 if index == len(parts) - 1 else index, segment)
