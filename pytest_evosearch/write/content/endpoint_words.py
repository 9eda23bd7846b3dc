"""Words for endpoints: the resource of a URL template in everyday terms."""

from __future__ import annotations

import re

from pytest_evosearch.core.english import plural
from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Request

_VERSION = r"v\d+(?:\.\d+)*|\d+(?:\.\d+)+"
_PREFIXES = re.compile(rf"(?:[a-z]+-)?api|rest|{_VERSION}|services?", re.IGNORECASE)
_VERSIONS = re.compile(_VERSION, re.IGNORECASE)

ROOT = "index"
"""Name of the page at ``/``."""


def template_segments(template: str) -> list[str]:
    """Return the segments of a template without API prefixes and versions."""
    segments = [segment for segment in address_of(template).split("/") if segment]
    while len(segments) > 1 and _PREFIXES.fullmatch(segments[0]):
        del segments[0]
    return segments[:1] + [one for one in segments[1:] if not _VERSIONS.fullmatch(one)]


def placeholders(template: str) -> list[str]:
    """Return the names of the placeholders of a template, in order."""
    return PLACEHOLDER.findall(template)


def resource_of(template: str) -> str:
    """Return an endpoint's resource: ``user`` for ``/api/users/{id}``, ``users`` for the list."""
    if operation_of(template):
        return snake_case(operation_of(template).partition(".")[2])
    segments = template_segments(template)
    if not segments:
        return ROOT
    if all(map(_is_placeholder, segments)):
        return snake_case(segments[-1]) or ROOT
    return "_".join(_named_segments(segments)) or ROOT


def leading_words(template: str) -> int:
    """Return how many words of a resource describe its location: one in ``user_posts``.

    ``/sign-up`` has none, and neither has a GraphQL operation, whose name is no address.
    """
    named = [] if operation_of(template) else _named_segments(template_segments(template))
    return sum(len(name.split("_")) for name in named[:-1])


def _named_segments(segments: list[str]) -> list[str]:
    """Return names for the last two segments that are no placeholders."""
    fixed = [place for place, segment in enumerate(segments) if not _is_placeholder(segment)]
    return [name for place in fixed[-2:] if (name := _segment_words(segments, place))]


def verb_of(request: Request) -> str:
    """Return the verb of a request: its method, ``query`` for GraphQL, empty for a mutation."""
    kind = operation_of(request.template).partition(".")[0]
    return "" if kind == "mutation" else kind or request.method.lower()


def _segment_words(segments: list[str], place: int) -> str:
    name = snake_case(PLACEHOLDER.sub("", segments[place]))
    following = segments[place + 1 : place + 3]
    identified = bool(following) and _is_placeholder(following[0])
    several = len(following) > 1 and _is_placeholder(following[1])
    return singular(name) if identified and not several else name


def _is_placeholder(segment: str) -> bool:
    return bool(PLACEHOLDER.fullmatch(segment))


def collection_of(template: str) -> str:
    """Return the collection of an endpoint: ``users`` for ``/api/users/{id}/posts``."""
    segments = template_segments(template)
    first = segments[0] if segments else ""
    return snake_case(first) if first and not _is_placeholder(first) else ""


def part_of(template: str) -> str:
    """Return the part of a large module for an endpoint: ``queries``, or a collection."""
    kind = operation_of(template).partition(".")[0]
    return plural(kind) if kind else collection_of(template)
