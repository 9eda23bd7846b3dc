"""Finds endpoints of a server without a description, by the links of its pages.

    begin with "/"
    each page: links, where it redirects to and the actions of its forms are addresses
    an address becomes a template: /books/7/edit -> /books/{book_id}/edit
    a page of a template that was seen often enough is not asked for again

Only GET is sent. An endpoint that no page leads to is not found: an API needs a document.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qsl
from urllib.parse import unquote
from urllib.parse import urljoin
from urllib.parse import urlsplit

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene

MOST_PAGES = 60
"""Most pages that one caller requests."""

MOST_ENDPOINTS = 100

PAGES_PER_TEMPLATE = 3
"""Most requested pages of one template: lists may be empty, and items differ."""

_ANCHOR = re.compile(r"""<a\b[^>]*?\shref=["']([^"'#\s]+)""", re.IGNORECASE)
_ADDRESS_IN_JSON = re.compile(r'"(/[^"\s]+|https?://[^"\s]+)"')
_ASSET = re.compile(r"\.(?:css|js|map|png|jpe?g|gif|svg|ico|woff2?|ttf|pdf|zip)$", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_DRAWN = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?=.*\d)[0-9a-fA-F]{12,}")
"""A UUID, or another randomly drawn identifier."""


class Crawler:
    """Collects endpoints from pages; `home` is the address of the server."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._found: dict[str, Endpoint] = {}

    @property
    def endpoints(self) -> list[Endpoint]:
        """The endpoints that pages lead to, in the order of discovery."""
        return list(self._found.values())

    def crawl(self, ask: Callable[[str], Response | None]) -> None:
        """Request pages by their address below the server, as one caller."""
        waiting, known = deque(["/"]), {"/"}
        asked: dict[str, int] = {}
        budget = MOST_PAGES
        while waiting and budget:
            address = waiting.popleft()
            template = endpoint_at("GET", address).template
            if asked.get(template, 0) >= PAGES_PER_TEMPLATE:
                continue
            asked[template] = asked.get(template, 0) + 1
            budget -= 1
            response = ask(address)
            if response is None or response.status == 404:
                continue
            self._note("GET", address)
            for method, target in self._targets(address, response):
                if method != "GET":
                    self._note(method, target)
                elif target not in known:
                    known.add(target)
                    waiting.append(target)

    def _note(self, method: str, address: str) -> None:
        endpoint = endpoint_at(method, address)
        known = self._found.get(endpoint.key)
        if known is not None:
            endpoint = _united(known, endpoint)
        elif len(self._found) >= MOST_ENDPOINTS:
            return
        self._found[endpoint.key] = endpoint

    def _targets(self, address: str, response: Response) -> Iterator[tuple[str, str]]:
        """Yield method and address of every link and form on a page that stays on the server."""
        if response.location:
            yield from self._below("GET", address, response.location)
        if response.is_json:
            for link in _ADDRESS_IN_JSON.findall(response.text):
                yield from self._below("GET", address, link)
        elif response.mimetype == "text/html":
            for link in _ANCHOR.findall(response.text):
                yield from self._below("GET", address, unescape(link))
            for form in parse_forms(response.text):
                method = "POST" if form.method == "POST" else "GET"
                yield from self._below(method, address, form.action)

    def _below(self, method: str, address: str, link: str) -> Iterator[tuple[str, str]]:
        """Yield an address without the server's; nothing for an asset or another server."""
        try:
            parts = urlsplit(urljoin(f"{self._home}{address}", link))
            here = urlsplit(self._home)
            is_here = (parts.scheme, parts.netloc) == (here.scheme, here.netloc)
        except ValueError:
            return
        if is_here and not _ASSET.search(parts.path):
            yield method, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def endpoint_at(method: str, address: str) -> Endpoint:
    """Return the endpoint that probably serves an address: numbers are parameters."""
    parts = urlsplit(address)
    segments: list[str] = []
    parameters: dict[str, Parameter] = {}
    for segment in map(unquote, parts.path.split("/")):
        if not _NUMBER.fullmatch(segment) and not _DRAWN.fullmatch(segment):
            segments.append(segment)
            continue
        name = _distinct_name(segments, parameters)
        number = _NUMBER.fullmatch(segment) is not None
        gene = IntegerGene(current=int(segment)) if number else SegmentGene(current=segment)
        parameters[name] = Parameter(Location.PATH, name, gene, required=True, source="html")
        segments.append(f"{{{name}}}")
    template = "/".join(segments)
    queries = {
        name: Parameter(Location.QUERY, name, TextGene(current=value), source="html")
        for name, value in parse_qsl(parts.query)
    }
    return Endpoint(method, template, template, (*parameters.values(), *queries.values()))


def _distinct_name(before: list[str], taken: dict[str, Parameter]) -> str:
    """Return a name for the number after some segments: ``book_id`` after ``books``."""
    words = words_of(before[-1]) if before and "{" not in before[-1] else []
    name = "_".join([*(singular(word) for word in words), "id"])
    return name if name not in taken else f"{name}_{len(taken) + 1}"


def _united(known: Endpoint, other: Endpoint) -> Endpoint:
    """Return an endpoint with the parameters of both, the known ones first."""
    names = {one.key for one in known.parameters}
    new = [one for one in other.parameters if one.key not in names]
    return replace(known, parameters=(*known.parameters, *new))
