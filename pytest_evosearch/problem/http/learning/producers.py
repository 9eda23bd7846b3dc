"""Learns which endpoints return values that other endpoints need."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import TOKEN
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.descriptions.endpoint_relations import operation_nouns
from pytest_evosearch.problem.http.descriptions.endpoint_relations import owner_words
from pytest_evosearch.problem.http.descriptions.endpoint_relations import prefix_of
from pytest_evosearch.problem.http.descriptions.endpoint_relations import resource_words
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import OPERATION
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.mails import addresses_in
from pytest_evosearch.problem.http.exchanges.mails import codes_in
from pytest_evosearch.problem.http.exchanges.mails import values_at
from pytest_evosearch.problem.http.exchanges.request import as_text
from pytest_evosearch.problem.http.exchanges.responses import linkable_values
from pytest_evosearch.problem.http.exchanges.responses import location_path
from pytest_evosearch.problem.http.exchanges.responses import location_query
from pytest_evosearch.problem.http.exchanges.responses import location_segments
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.addresses import Place
from pytest_evosearch.problem.http.learning.addresses import Step
from pytest_evosearch.problem.http.learning.token_schemes import HEADER as AUTHORIZATION
from pytest_evosearch.problem.http.learning.token_schemes import TokenSchemes

MOST_SELECTORS = 24
"""Most selectors remembered for one endpoint."""

CAREFUL_READINGS = 12
"""Responses of an endpoint that are all parsed; later one in `SPARSE_READING` is."""

SPARSE_READING = 16

LOCATION_WEIGHT = 9.0
"""Weight of a part of a location that leads to this parameter; agreeing names have at most 6."""

TOKEN_WEIGHT = 3.0
"""Weight of a token for a header that takes one."""

_IDENTITY_WORDS = frozenset(IDENTIFIER.words(Certainty.POSSIBLE))
_SURE_IDS = frozenset(IDENTIFIER.words(Certainty.SURE))
_WRAPPERS = frozenset({"json", "data", "node", "edge", "item", "result", "payload"})
"""Names of objects in GraphQL responses that say nothing about their content."""


@dataclass(frozen=True)
class Product:
    """One value that successful responses of an endpoint contained."""

    producer: str
    selector: Selector
    name: str
    """The key of the value; empty for a bare value.

    A part of a location has the name of its parameter, or ``id`` where no endpoint is known.
    """
    numeric: bool
    place: Place | None = None
    """The path parameter that has this value, by the location that contains it."""
    is_echo: bool = False
    """Whether the request had sent this value under this name."""


@dataclass(frozen=True)
class Candidate:
    """A product that may feed an input, with its weight (above 0)."""

    product: Product
    weight: float
    prefix: str = ""


class ProducerCatalog:
    """Remembers products, and matches them with inputs by name and by resource."""

    def __init__(self, model: EndpointModel, pool: ValuePool, addresses: AddressBook) -> None:
        self._model = model
        self._pool = pool
        self._addresses = addresses
        self._schemes = TokenSchemes()
        self._products: list[Product] = []
        self._known: dict[str, dict[Selector, Product]] = {}
        self._readings: dict[str, int] = {}
        self._matched: dict[tuple[str, Location, str], tuple[int, list[Candidate]]] = {}

    def learn(self, exchange: Exchange) -> list[Product]:
        """Note the values of a successful response, and put them into the pool by name.

        Return the products that are new for the endpoint.
        """
        self._schemes.learn(exchange)
        response = exchange.response
        if response is None or not 200 <= exchange.status < 400:
            return []
        producer = exchange.request.endpoint
        readings = self._readings[producer] = self._readings.get(producer, 0) + 1
        if readings > CAREFUL_READINGS and readings % SPARSE_READING and not exchange.mails:
            return []
        known, news = self._known.setdefault(producer, {}), []
        for product, value in self._products_of(exchange, response):
            if product.selector[0] != "mail":  # a mailed value is used once, and soon
                self._pool.add_seen(product.name, value)
            if product.selector not in known and len(known) < MOST_SELECTORS:
                known[product.selector] = product
                news.append(product)
        self._products += news
        return news

    def led_to(self, products: Iterable[Product]) -> list[str]:
        """Return the endpoints whose path parameters the locations among `products` show."""
        places = {product.place for product in products if product.place is not None}
        return [
            endpoint.key
            for endpoint in (self._model.endpoints if places else ())
            if any(_place(endpoint, name) in places for name in endpoint.placeholders)
        ]

    def _products_of(
        self, exchange: Exchange, response: Response
    ) -> Iterator[tuple[Product, object]]:
        request, producer = exchange.request, exchange.request.endpoint
        yield from self._mailed(exchange)
        for selector, value in linkable_values(response):
            name = _name_of(selector) or _element_name(producer, selector)
            echo = as_text(value) in _sent_as(request, name)
            yield Product(producer, selector, name, _is_numeric(value), is_echo=echo), value
        segments = location_segments(response)
        steps = self._addresses.steps_in(location_path(response)) if segments else []
        if steps is None:
            steps = [Step(None, -1, segments[-1])]
        sent = {as_text(value) for value in request.path.values()}
        for step in steps:
            if step.value not in sent:  # nothing new: ``/books/7`` leads to ``/books/7/``
                name = "id" if step.place is None else step.place.name
                numeric = _is_numeric(step.value)
                product = Product(producer, ("location", step.index), name, numeric, step.place)
                yield product, step.value
        asked = {as_text(value) for _name, value in request.query}
        for name, value in location_query(response).items():
            if value not in asked:  # nothing new: ``next`` and ``state`` are passed on
                yield Product(producer, ("location", name), name, _is_numeric(value)), value
        yield from _codes(exchange, response)

    def _mailed(self, exchange: Exchange) -> Iterator[tuple[Product, object]]:
        """Yield the values in the addresses that a call has mailed."""
        for address in addresses_in(exchange.mails):
            template = self._addresses.template_at(address.path)
            if template is None:
                continue
            in_path = PLACEHOLDER.findall(template)
            for name, value in values_at(address, template).items():
                place = Place(prefix_of(template, name), name) if name in in_path else None
                selector = ("mail", template, name)
                numeric = _is_numeric(value)
                yield Product(exchange.request.endpoint, selector, name, numeric, place), value

    def products(self, producer: str) -> list[Product]:
        """Return the known products of an endpoint, in the order of discovery."""
        return list(self._known.get(producer, {}).values())

    def candidates(self, key: str, location: Location, name: str) -> list[Candidate]:
        """Return the products that fit an input of the endpoint `key` by name."""
        identity = (key, location, name)
        done, found = self._matched.get(identity, (0, []))
        if done < len(self._products):
            endpoint = self._model.endpoint(key)
            for product in self._products[done:]:
                candidate = _match(product, endpoint, location, name)
                if candidate is not None:
                    found.append(candidate)
            self._matched[identity] = (len(self._products), found)
        if location is Location.HEADER and name.lower() == AUTHORIZATION:
            return [
                replace(candidate, weight=candidate.weight * weight, prefix=prefix)
                for candidate in found
                for prefix, weight in self._schemes.weights().items()
            ]
        return found


def _sent_as(request: Request, name: str) -> list[str]:
    """Return what a request has sent in its body or query under a name."""
    pairs = [*request.query, *request.form]
    if isinstance(request.json, dict):
        pairs += request.json.items()
    return [as_text(value) for key, value in pairs if key == name]


def _codes(exchange: Exchange, response: Response) -> Iterator[tuple[Product, object]]:
    """Yield the codes in the letters of a call that were neither sent nor answered."""
    request = exchange.request
    texts = repr(request) + response.body.decode("utf-8", "replace") if exchange.mails else ""
    for selector, code in codes_in(exchange.mails):
        if code not in texts:
            yield Product(request.endpoint, selector, "code", _is_numeric(code)), code


def _place(endpoint: Endpoint, name: str) -> Place:
    return Place(prefix_of(endpoint.template, name), name)


def _name_of(selector: Selector) -> str:
    keys = [key for key in selector[1:] if isinstance(key, str)]
    return keys[-1].lstrip("@") if keys else ""


def _element_name(producer: str, selector: Selector) -> str:
    """Name an element of a bare list after its resource: a country of ``/countries``."""
    if len(selector) < 2:
        return ""
    segments = [part for part in producer.split("/")[1:] if part and "{" not in part]
    return singular(segments[-1].lower()) if segments else ""


def _is_numeric(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and value.isdecimal())


def _match(product: Product, consumer: Endpoint, location: Location, name: str) -> Candidate | None:
    if product.selector[0] == "mail" and not product.selector[1]:
        is_named = _speaks_of_token(name) or product.name in words_of(name)
        return Candidate(product, TOKEN_WEIGHT) if is_named else None
    if product.selector[0] == "mail":
        meant = product.selector[1:] == (consumer.template, name)
        return Candidate(product, LOCATION_WEIGHT) if meant else None
    if location is Location.HEADER and _speaks_of_token(name, AUTHORIZATION):
        return Candidate(product, TOKEN_WEIGHT) if _speaks_of_token(product.name) else None
    if location is Location.PATH and product.place == _place(consumer, name):
        return Candidate(product, LOCATION_WEIGHT)
    if product.is_echo and product.producer == consumer.key:
        return None  # such a link would only send the same again
    wanted, offered = words_of(name), words_of(product.name)
    if not wanted:
        return None
    weight = _affinity(product, consumer, location, name, wanted, offered)
    if weight and product.producer.startswith(("POST", "PUT")) and not is_safe(product.producer):
        weight *= 2.0
    return Candidate(product, weight) if weight else None


def _speaks_of_token(name: str, *others: str) -> bool:
    """Say whether a name is one of a token, or one of `others`: ``X-Access-Token``."""
    return name.lower() in others or bool(set(TOKEN.words()) & set(words_of(name)))


def _affinity(
    product: Product,
    consumer: Endpoint,
    location: Location,
    name: str,
    wanted: list[str],
    offered: list[str],
) -> float:
    """Return how well names and resources agree: 3 certain, 1 plausible, 0 not at all."""
    method, _, template = product.producer.partition(" ")
    producing = _holder(product) or resource_words(template)
    if product.place is not None:
        producing |= resource_words(product.place.prefix)
    owner = owner_words(consumer.template, name) if location is Location.PATH else frozenset()
    if operation_of(consumer.template):
        owner = operation_nouns(consumer.template) - _WRAPPERS
    same_resource = bool(owner & producing) or not owner
    if not offered:
        # A bare value: the response of a creating call is most likely its identifier.
        named = bool({singular(word) for word in wanted[:-1]} & producing)
        creates = method in STORING and wanted[-1] in _IDENTITY_WORDS
        return 3.0 if creates and (named or (bool(owner) and same_resource)) else 0.0
    if wanted == offered:
        generic = len(wanted) == 1 and wanted[0] in _IDENTITY_WORDS
        return 3.0 if not generic or same_resource else 0.3
    if owner & producing and _is_id(offered, owner) and _takes_number(consumer, location, name):
        return 3.0 if product.numeric else 0.0
    return _affinity_of_identities(wanted, offered, producing, owner)


def _is_id(offered: list[str], owner: frozenset[str]) -> bool:
    """Say whether a name is ``id``, or ``booking_id`` for the owner ``booking``."""
    of = {singular(word) for word in offered[:-1]}
    return offered[-1] in _SURE_IDS and (not of or bool(of & owner))


def _takes_number(consumer: Endpoint, location: Location, name: str) -> bool:
    """Say whether a place in an address takes numbers only: ``/bookings/<int:number>``."""
    return location is Location.PATH and any(
        one.gene.is_numeric for one in consumer.parameters if one.key == (location, name)
    )


def _holder(product: Product) -> frozenset[str]:
    """Return the name of the object in a GraphQL response that contains a value."""
    if not operation_of(product.producer):
        return frozenset()
    keys = [key for key in product.selector[:-1] if isinstance(key, str)]
    return operation_nouns(f"{OPERATION}.{keys[-1]}") - _WRAPPERS if keys else frozenset()


def _affinity_of_identities(
    wanted: list[str], offered: list[str], producing: frozenset[str], owner: frozenset[str]
) -> float:
    """Match ``user_id`` with the ``id`` of ``/users``, and ``id`` of ``/news/`` with ``newsId``."""
    if wanted[-1] not in _IDENTITY_WORDS or wanted[-1] != offered[-1]:
        return 0.0
    if len(offered) == 1:
        return 3.0 if {singular(word) for word in wanted[:-1]} & producing else 0.0
    if len(wanted) == 1:
        named = {singular(word) for word in offered[:-1]}
        return 3.0 if named & (owner or producing) else 0.0
    return 0.0
