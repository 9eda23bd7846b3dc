"""Knows which endpoints require a CSRF token, and which pages contain one.

A token is in a hidden field of a form. For requests of a script, it is in the head of a page or in
the script: ``<meta name="csrf-token" content="...">``, ``var csrf_token = "...";``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.forms import FORGERY_WORDS
from pytest_evosearch.core.http_words import FIRST_FAILURE
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import FORGERY_TOKEN
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import is_linked
from pytest_evosearch.problem.http.exchanges.responses import loose_tokens

MENTIONS_FORGERY = re.compile(FORGERY_WORDS.encode(), re.IGNORECASE)
"""Words in refusals of Flask-WTF, Flask-SeaSurf and others: ``The CSRF token is missing.``"""

SHOWS_FORM = re.compile(rb"<form\b", re.IGNORECASE)

_FORGERY_WORDS = frozenset(FORGERY_TOKEN.words())
"""Words for tokens of a session, whichever form contains them."""

PAGES_SEARCHED = 3
"""Most pages of each endpoint in which a token outside a form is searched."""


class ForgeryGate:
    """Remembers which endpoints refused a request because of a missing token.

    The check precedes the view, and mostly the check of the caller. So the request of another
    caller would show nothing new.
    """

    def __init__(self) -> None:
        self._closed: set[str] = set()

    def learn(self, exchange: Exchange) -> None:
        """Learn from one response.

        Reading needs no token: a page that refuses a reader may mention tokens in its own forms. A
        page that shows its form again comes from the view, so the check was passed.
        """
        key, response = exchange.request.endpoint, exchange.response
        if response is None or exchange.user is not None or is_safe(key) or key in self._closed:
            return
        is_refused = FIRST_REFUSAL <= response.status < FIRST_FAILURE
        body = response.body
        if is_refused and MENTIONS_FORGERY.search(body) and not SHOWS_FORM.search(body):
            self._closed.add(key)

    def is_closed(self, endpoint: str) -> bool:
        """Say whether an endpoint refused callers without a name and without a token."""
        return endpoint in self._closed


@dataclass(frozen=True)
class PageToken:
    """The place of a token."""

    page: str
    """The endpoint of the page."""
    selector: Selector


class ForgeryTokens:
    """Knows the tokens in pages, and which inputs to send them in."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self.gate = ForgeryGate()
        self._of_forms: dict[str, dict[str, str]] = {}
        """Endpoint -> names of the hidden tokens in its form -> endpoint of the form's page."""
        self._shown: dict[Selector, dict[str | None, str]] = {}
        """Place of a token -> user -> the first page that showed it."""
        self._searched: dict[str, int] = {}

    def note_field(self, key: str, name: str, exchange: Exchange) -> None:
        """Note the hidden token `name` of a form that submits to the endpoint `key`."""
        page = exchange.request.endpoint
        pages = self._of_forms.setdefault(key, {})
        known = pages.setdefault(name, page)
        if is_safe(page) and not is_safe(known):
            pages[name] = page  # the other page only repeated the form
        self._note_shown(("form", name), exchange)

    def note_page(self, exchange: Exchange) -> None:
        """Note the tokens outside the forms of a page."""
        response, page = exchange.response, exchange.request.endpoint
        if response is None or not is_safe(page) or not MENTIONS_FORGERY.search(response.body):
            return
        searched = self._searched[page] = self._searched.get(page, 0) + 1
        if searched <= PAGES_SEARCHED:
            for name in loose_tokens(response):
                self._note_shown(("page", name), exchange)

    def _note_shown(self, selector: Selector, exchange: Exchange) -> None:
        shown = self._shown.setdefault(selector, {})
        shown.setdefault(exchange.user, exchange.request.endpoint)

    def page_of_form(self, endpoint: str) -> str:
        """Return the page with the form for an endpoint; empty when none was seen."""
        return next(iter(self._of_forms.get(endpoint, {}).values()), "")

    def wanted_by(
        self, endpoint: str, user: str | None
    ) -> Mapping[tuple[Location, str], PageToken]:
        """Return the inputs of an endpoint that need a token, and the place of each token.

        An endpoint whose own form was not seen gets the token of another form: mostly it belongs to
        the session of `user`. An endpoint that takes no form needs it in a header.
        """
        own = self._of_forms.get(endpoint)
        if own is not None:
            return {
                (Location.FORM, name): PageToken(page, ("form", name)) for name, page in own.items()
            }
        if not self._shown or endpoint not in self._model:
            return {}
        wanted: dict[Location, tuple[str, PageToken]] = {}
        for parameter in self._model.endpoint(endpoint).parameters:
            token = self._token_for(endpoint, parameter, user)
            if token is not None:
                wanted.setdefault(parameter.location, (parameter.name, token))
        return {(location, name): token for location, (name, token) in wanted.items()}

    def _token_for(self, endpoint: str, parameter: Parameter, user: str | None) -> PageToken | None:
        """Return the token for one input, None where it needs none."""
        if not _FORGERY_WORDS & set(words_of(parameter.name)):
            return None
        same_name: Selector = ("form", parameter.name)
        if parameter.location is Location.FORM and same_name in self._shown:
            return self._page_token(same_name, user)
        taken = parameter.location in (Location.FORM, Location.HEADER)
        if not taken or not self.gate.is_closed(endpoint):
            return None
        places = [place for place in self._shown if _FORGERY_WORDS & set(words_of(str(place[1])))]
        loose_first = sorted(places, key=lambda place: place[0] != "page")
        return self._page_token(loose_first[0], user) if loose_first else None

    def _page_token(self, selector: Selector, user: str | None) -> PageToken:
        pages = self._shown[selector]
        return PageToken(pages.get(user) or next(iter(pages.values())), selector)

    def headed(self, call: Call) -> Call:
        """Return `call` with the one header for a token, where no form contains it."""
        wanted = self.wanted_by(call.endpoint, call.user)
        names = [name for location, name in wanted if location is Location.HEADER]
        if not names:
            return call
        is_carried = any(given.key in wanted for given in call.inputs)
        inputs = [
            given
            for given in call.inputs
            if given.key in wanted
            or given.location is not Location.HEADER
            or not _FORGERY_WORDS & set(words_of(given.name))
        ]
        added = [] if is_carried else [Input(Location.HEADER, names[0], TextGene())]
        return replace(call, inputs=(*inputs, *added))

    def lacks_token(self, call: Call) -> bool:
        """Say whether a call lacks a token of its form, or has none where one is needed."""
        wanted = self.wanted_by(call.endpoint, call.user)
        linked = {given.key for given in call.inputs if is_linked(given)}
        if call.endpoint in self._of_forms:
            return not linked.issuperset(wanted)
        return bool(wanted) and linked.isdisjoint(wanted)
