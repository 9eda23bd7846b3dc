"""Learns from HTML about endpoints: form fields, their types, tokens to send back, and links.

A link on a page, or an address in JSON, shows existing values of path parameters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import quote
from urllib.parse import unquote
from urllib.parse import urljoin
from urllib.parse import urlsplit

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.forms import FormField
from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.core.vocabulary import FORGERY_TOKEN
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.problem.http.descriptions.guesses import PASSWORD
from pytest_evosearch.problem.http.descriptions.json_schema import Schema
from pytest_evosearch.problem.http.descriptions.json_schema import gene_from_schema
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import path_with
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.request import as_text
from pytest_evosearch.problem.http.exchanges.responses import LARGEST_BODY
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens

PAGES_PER_ANSWER = 3
"""Most pages parsed for each endpoint and status: layouts repeat, and parsing is slow."""

LINKED_PER_ANSWER = 8
"""Most responses whose links are read, for each endpoint and status: lists are empty at first."""

MOST_LINKS = 40
"""Most links read from one response: long lists repeat themselves."""

_LINK = re.compile(rb"""(?:href|src|action)=["']([^"'#\s]+)|"(/[^"\s]+|https?://[^"\s]+)\"""")
"""An attribute of a tag, or a JSON text, that holds an address."""

_HERE = (None, "localhost")
"""Hosts of the application's own addresses; Flask's test client requests the second."""

_TOKEN_WORDS = frozenset(FORGERY_TOKEN.words(Certainty.LIKELY))


class PageReader:
    """Turns the forms of pages into parameters of the endpoints that they submit to.

    Links become values of path parameters of the endpoints that they lead to.
    """

    def __init__(
        self,
        model: EndpointModel,
        pool: ValuePool,
        addresses: AddressBook,
        tokens: ForgeryTokens,
    ) -> None:
        self._model = model
        self._pool = pool
        self._addresses = addresses
        self._tokens = tokens
        self._parsed: dict[tuple[str, int], int] = {}
        self._followed: dict[tuple[str, int], int] = {}
        self._readers: dict[str, dict[str | None, bool]] = {}
        """Endpoint of a page -> user -> whether the page ever had a form for this user."""

    def learn(self, exchange: Exchange) -> list[str]:
        """Read the links and forms of one response, unless earlier responses were enough.

        Returns the addresses in the application to which the links lead.
        """
        response = exchange.response
        if response is None:
            return []
        is_html = response.mimetype == "text/html"
        has_form = response.has_form
        readers = self._readers.setdefault(exchange.request.endpoint, {})
        readers[exchange.user] = has_form or readers.get(exchange.user, False)
        links: list[str] = []
        if not response.body:
            return links
        if is_html:
            self._tokens.note_page(exchange)
        page = (exchange.request.endpoint, response.status)
        if (is_html or response.is_json) and self._followed.get(page, 0) < LINKED_PER_ANSWER:
            self._followed[page] = self._followed.get(page, 0) + 1
            links = self._learn_links(response.body, exchange.request)
        if not has_form or self._parsed.get(page, 0) >= PAGES_PER_ANSWER:
            return links
        self._parsed[page] = self._parsed.get(page, 0) + 1
        for form in parse_forms(response.text):
            self._learn_form(form, exchange)
        return links

    def reader_for(self, endpoint: str, user: str | None) -> str | None:
        """Return `user`, or another user where only others see the form with the token.

        A log-in page often redirects users who are logged in.
        """
        readers = self._readers.get(self._tokens.page_of_form(endpoint), {})
        if readers.get(user, True):
            return user
        return next((other for other, is_shown in readers.items() if is_shown), user)

    def _learn_links(self, body: bytes, request: Request) -> list[str]:
        """Offer the values in the addresses of `body` to the endpoints at these addresses.

        Returns the addresses, paths with their queries.
        """
        found = []
        addresses = dict.fromkeys(_LINK.findall(body[:LARGEST_BODY]))
        for attribute, text in list(addresses)[:MOST_LINKS]:
            link = unescape((attribute or text).decode("utf-8", "replace"))
            path, query, is_here = target_of(request, link)
            for name, value in self._addresses.values_in(path):
                self._pool.add_seen(name, value)
            if is_here and path:
                found.append(f"{unquote(path)}?{query}" if query else unquote(path))
        return found

    def _learn_form(self, form: Form, exchange: Exchange) -> None:
        request = exchange.request
        method = form.method if form.method in ("GET", "POST") else "GET"
        key = self._addresses.endpoint_at(method, target_of(request, form.action)[0])
        if key is None:
            return
        plain = Location.QUERY if method == "GET" else Location.FORM
        places = {
            control.name: Location.FILE if control.kind == "file" else plain
            for control in form.fields.values()
        }
        sent = ((places[one.name], one.name) for one in form.sent)
        self._model.forms.note(key, sent, request.endpoint)
        for control in form.fields.values():
            is_token = control.kind == "hidden" and _TOKEN_WORDS & set(words_of(control.name))
            if is_token:  # valid for one session, for a while: only a link to the page works
                control.value = ""
            gene = gene_for_field(control)
            self._model.add(
                key,
                Parameter(
                    places[control.name], control.name, gene, control.required, source="html"
                ),
            )
            if is_token:
                self._tokens.note_field(key, control.name, exchange)


def target_of(request: Request, link: str) -> tuple[str, str, bool]:
    """Return path and query of an address on a page, and whether it is the application's own.

    The path is empty for an invalid URL.
    """
    try:
        parts = urlsplit(urljoin(_path_of(request), link))
        is_here = parts.scheme in ("", "http", "https") and parts.hostname in _HERE
    except ValueError:
        return "", "", False
    return parts.path, parts.query, is_here


def _path_of(request: Request) -> str:
    return path_with(request.template, request.path, lambda one: quote(as_text(one), safe=""))


def gene_for_field(control: FormField) -> Gene:
    """Return the gene that a form control describes."""
    if control.kind == "file" and not control.options:
        return file_gene(control.name, BytesGene(current=b"a"))
    gene = gene_from_schema(_schema_of(control), {})
    if not isinstance(gene, TextGene):
        return gene
    # Passwords have rules that the page does not show.
    first = control.value or (PASSWORD if control.kind == "password" else "a")
    return gene.holding(first.ljust(gene.minimum_length, "a"))


def _schema_of(control: FormField) -> Schema:
    kind, attributes = control.kind, control.attributes
    if control.options or kind == "checkbox":
        return {"enum": list(dict.fromkeys(control.options)) or ["on"]}
    if kind in ("number", "range"):
        step = attributes.get("step", "")
        whole = "." not in step and step != "any"
        limits = {"minimum": _number(attributes, "min"), "maximum": _number(attributes, "max")}
        return {"type": "integer" if whole else "number", **limits}
    lengths = {f"{end}Length": _number(attributes, f"{end}length") for end in ("min", "max")}
    form = {"format": kind.removesuffix("-local"), "pattern": attributes.get("pattern")}
    return {"type": "string", **form, **lengths}


def _number(attributes: Mapping[str, str], name: str) -> float | None:
    try:
        return float(attributes.get(name, ""))
    except ValueError:
        return None
