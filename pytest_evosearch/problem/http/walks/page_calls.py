"""Makes calls from what a page offers: links are followed, forms are filled and submitted.

Hidden fields keep the value of the page, and a token that changes is linked to the page.  Other
fields are filled by the genes that the search has learnt for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.forms import FormField
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.vocabulary import FORGERY_TOKEN
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.responses import location_segments
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.filling.adoption import holding
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.pages import gene_for_field
from pytest_evosearch.problem.http.learning.pages import target_of
from pytest_evosearch.screens.choosing import CALL
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.screen import MOST_CHOICES
from pytest_evosearch.screens.screen import PageAction
from pytest_evosearch.screens.screen import Resolve

AS_SHOWN_SHARE = 0.3
"""How often a field keeps what the page shows in it, or the plainest value of its kind."""

PROVEN_SHARE = 0.4
"""How often a form repeats the values of a submission that succeeded."""

CHECKED_SHARE = 0.6
"""How often a checkbox is checked."""

LONG_TOKEN = 16
"""Length in characters from which a hidden value is taken for a token, made for this page."""

_TOKEN_WORDS = frozenset(FORGERY_TOKEN.words(Certainty.LIKELY))


class PageCalls:
    """Turns actions of pages into calls."""

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        self._addresses = AddressBook(known.model)

    def resolving(self, request: Request) -> Resolve:
        """Return a function that finds the endpoints of addresses on the page of `request`."""

        def resolve(method: str, address: str) -> str | None:
            path, _query, is_here = target_of(request, address)
            return self._addresses.endpoint_at(method, path) if is_here else None

        return resolve

    def requests(self) -> Iterator[Offer]:
        """Yield what can be requested without a page: ``POST /orders/{id}/{step} [step: pay]``.

        An endpoint with a few values for a part of its address is as many actions.
        """
        model = self._known.model
        for key in model.keys:
            for parameter in model.endpoint(key).parameters:
                options = parameter.gene.options if isinstance(parameter.gene, EnumGene) else ()
                if parameter.location is Location.PATH and 1 < len(options) <= MOST_CHOICES:
                    yield from (Offer(f"{key} [{parameter.name}: {one}]", CALL) for one in options)
                    break
            else:
                yield Offer(key, CALL)

    def requested(self, offer: Offer) -> tuple[str, Input | None]:
        """Return the endpoint of such a request, and the value that was chosen for its address."""
        key, _, choice = offer.name.partition(" [")
        name, _, value = choice[:-1].partition(": ")
        return key, self._input(key, Location.PATH, name, value) if choice else None

    def followed(self, label: int, exchange: Exchange) -> Call | None:
        """Return the call that follows the redirect of the call `label`, under no label yet.

        None where it leaves the application.
        """
        response = exchange.response
        if response is None or not response.location:
            return None
        call = self._addressed("GET", response.location, exchange)
        if call is None:
            return None
        segments = location_segments(response)
        for given in call.inputs:
            if given.location is Location.PATH and segments.count(str(given.gene.value())) == 1:
                place: Selector = ("location", segments.index(str(given.gene.value())))
                call = call.with_input(given.with_gene(LinkGene(label, place, given.gene)))
        return call

    def made(self, action: PageAction, label: int, exchange: Exchange, rng: Random) -> Call | None:
        """Return the call of an action on the page that the call `label` showed, under no label."""
        address = action.address
        if action.form is not None and action.method == "GET":
            address = address.partition("?")[0]
        call = self._addressed(action.method, address, exchange)
        if call is None:
            return None
        place = Location.QUERY if action.method == "GET" else Location.FORM
        if action.form is not None:
            for given in self._filled(action.form, call.endpoint, place, label, exchange, rng):
                call = call.with_input(given)
        for name, value in action.sent:
            call = call.with_input(self._input(call.endpoint, place, name, value))
        if action.scripted:
            call = call.with_input(Input(Location.HEADER, "Hx-Request", TextGene(current="true")))
        return call

    def _addressed(self, method: str, address: str, exchange: Exchange) -> Call | None:
        path, query, is_here = target_of(exchange.request, address)
        found = self._addresses.call_at(method, path) if is_here else None
        if found is None:
            return None
        key, values = found
        inputs = [self._input(key, Location.PATH, *pair) for pair in values.items()]
        inputs += [
            self._input(key, Location.QUERY, *pair) for pair in dict(parse_qsl(query, True)).items()
        ]
        return Call(key, tuple(inputs), 0, exchange.user)

    def _input(self, key: str, location: Location, name: str, value: str) -> Input:
        parameter = self._known.model.parameter(key, (location, name))
        gene: Gene | None = TextGene(current=value)
        if parameter is not None:
            gene = holding(parameter.gene, value, location)
            if gene is None or str(gene.value()) != value:
                gene = TextGene(current=value)
        assert gene is not None
        return Input(location, name, gene)

    def _filled(
        self,
        form: Form,
        key: str,
        place: Location,
        label: int,
        exchange: Exchange,
        rng: Random,
    ) -> Iterator[Input]:
        """Yield what a form sends without its button."""
        proven: dict[tuple[Location, str], Gene] = {}
        if rng.random() < PROVEN_SHARE:
            succeeded = self._known.maker.repeat_success(key, rng, label + 1, exchange.user)
            proven = {given.key: given.gene for given in succeeded.inputs} if succeeded else {}
        for control in form.fields.values():
            if control.kind == "submit":
                continue
            if control.kind == "hidden":
                yield _hidden(self._input(key, place, control.name, control.value), label, exchange)
            elif control.kind == "file":
                parameter = Parameter(Location.FILE, control.name, gene_for_field(control))
                yield self._known.maker.fill(key, parameter, rng, Fullness.FULL)
            elif control.kind in ("checkbox", "radio", "select"):
                yield from self._chosen(control, key, place, rng)
            elif (place, control.name) in proven:
                yield Input(place, control.name, proven[place, control.name])
            else:
                yield self._typed(control, key, place, rng)

    def _chosen(
        self, control: FormField, key: str, place: Location, rng: Random
    ) -> Iterator[Input]:
        if control.kind == "checkbox" and not control.required and rng.random() >= CHECKED_SHARE:
            return
        options = control.options or [control.value or "on"]
        yield self._input(key, place, control.name, rng.choice(options))

    def _typed(self, control: FormField, key: str, place: Location, rng: Random) -> Input:
        shown = gene_for_field(control)
        if rng.random() < AS_SHOWN_SHARE:
            return Input(place, control.name, shown)
        known = self._known.model.parameter(key, (place, control.name))
        parameter = known or Parameter(place, control.name, shown, control.required)
        return self._known.maker.fill(key, parameter, rng, Fullness.MIXED)


def _hidden(given: Input, label: int, exchange: Exchange) -> Input:
    """Return a hidden input, linked to the page where it is a token."""
    value = given.gene.value()
    place: Selector = ("form", given.name)
    is_token = bool(_TOKEN_WORDS & set(words_of(given.name))) or len(str(value)) >= LONG_TOKEN
    if is_token and select(exchange, place) == value:
        return given.with_gene(LinkGene(label, place, given.gene))
    return given
