"""The endpoints as they are known now: declared parameters, and those that handlers read."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import replace

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.problem.http.descriptions.guesses import TEXT
from pytest_evosearch.problem.http.descriptions.guesses import gene_by_read
from pytest_evosearch.problem.http.descriptions.guesses import gene_by_type
from pytest_evosearch.problem.http.descriptions.headers import header_gene
from pytest_evosearch.problem.http.descriptions.headers import variable_gene
from pytest_evosearch.problem.http.descriptions.json_shape import SOME_OBJECT
from pytest_evosearch.problem.http.descriptions.json_shape import missing_members
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.descriptions.seen_forms import SeenForms
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Read

BODY_LOCATIONS = frozenset({Location.FORM, Location.FILE, Location.JSON, Location.TEXT})
_PLAIN_TEXTS = frozenset({Location.HEADER, Location.COOKIE, Location.ENVIRON})
_NAMED = (Location.QUERY, Location.FORM, Location.HEADER, Location.COOKIE)
_LOCATIONS = frozenset(location.value for location in Location)

GUESSED = frozenset({"read", "guess"})
"""Sources of parameters of which no document or validator tells more."""

FRAMEWORK_HEADERS = frozenset(
    {
        "content-type",
        "content-length",
        "content-encoding",
        "transfer-encoding",
        "host",
        "cookie",
        "connection",
        "upgrade",
        "expect",
        "te",
        "trailer",
    }
)
"""Headers that Werkzeug and Flask read themselves, or that the client sets."""

MOST_PARAMETERS = 60
"""Most parameters of one endpoint; handlers that loop over random names would never stop adding."""


class EndpointModel:
    """Holds the endpoints and learns their parameters from exchanges.

    Invariant: keys and their order never change; parameters are only added or change their type.
    """

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._endpoints = {endpoint.key: endpoint for endpoint in endpoints}
        self._seen: set[tuple[str, str, tuple[str | int, ...], str | None]] = set()
        self._changed: dict[str, None] = {}
        self._guessed: set[str] = set()
        self.forms = SeenForms()

    @property
    def keys(self) -> list[str]:
        """Keys of the endpoints, in a stable order."""
        return list(self._endpoints)

    @property
    def endpoints(self) -> list[Endpoint]:
        """The endpoints as they are known now, in a stable order."""
        return list(self._endpoints.values())

    @property
    def readers(self) -> dict[str, str]:
        """Template -> key of the endpoint that reads the resource."""
        return {each.template: each.key for each in self.endpoints if each.method == "GET"}

    def __contains__(self, key: str) -> bool:
        return key in self._endpoints

    def endpoint(self, key: str) -> Endpoint:
        """Return the endpoint `key`, also with another end; raise KeyError when there is none."""
        known = self._endpoints.get(key)
        if known is None:
            known = self._endpoints[other_end(key)]
            return replace(known, template=key.partition(" ")[2])
        return known

    def parameter(self, key: str, identity: tuple[Location, str]) -> Parameter | None:
        """Return one parameter of an endpoint, or None."""
        for parameter in self.endpoint(key).parameters:
            if parameter.key == identity:
                return parameter
        return None

    def described(
        self, key: str, identity: tuple[Location, str], value_path: ValuePath
    ) -> Gene | None:
        """Return the gene of a value inside a parameter, or None when it is unknown."""
        parameter = self.parameter(key, identity)
        return None if parameter is None else parameter.gene.described(value_path)

    def take_changed(self) -> list[str]:
        """Return the endpoints whose parameters changed since the last call of this method."""
        changed = list(self._changed)
        self._changed.clear()
        return changed

    def note_change(self, key: str) -> None:
        """Note that another object has learnt something about the endpoint."""
        self._changed[key] = None

    def learn(self, exchange: Exchange) -> None:
        """Learn from what the handler read of its request."""
        key = exchange.request.endpoint
        seen = self._seen
        for read in exchange.reads:
            identity = (key, read.location, read.path, read.type_name)
            if identity not in seen:
                seen.add(identity)
                if key in self._endpoints:
                    self._learn_read(key, read)
        if exchange.request.has_json and key in self._endpoints and not exchange.validations:
            self._learn_of_unread_object(exchange)

    def _learn_of_unread_object(self, exchange: Exchange) -> None:
        """Send other members where a handler has read a JSON object, but none of its members.

        It may pass the object on as arguments: then Python tells the names of those that it lacks,
        and a database the columns.
        It may replace an empty object by one of its own, or copy the object: then the members may
        be named by texts in the view.
        """
        key, body = exchange.request.endpoint, exchange.request.json
        known = self.parameter(key, (Location.JSON, ""))
        paths = [read.path for read in exchange.reads if read.location == Location.JSON.value]
        if known is None or known.source not in GUESSED or not paths:
            return
        if any(paths) or not isinstance(known.gene, ObjectGene):
            return
        missing = missing_members(exchange.crash)
        if missing:
            self._retype(key, known, _with_members(known.gene, missing))
        elif body == {} and known.gene == ObjectGene():
            self._retype(key, known, SOME_OBJECT)
        elif body and isinstance(body, dict) and known.gene == SOME_OBJECT:
            view = self._endpoints[key].view
            names = view.names if view is not None else ()
            self._retype(key, known, _with_members(known.gene, names))

    def _learn_read(self, key: str, read: Read) -> None:
        if read.location not in _LOCATIONS:
            return
        location = Location(read.location)
        if location is Location.ANSWER:
            return
        endpoint = self._endpoints[key]
        if location in BODY_LOCATIONS and endpoint.method in SAFE:
            return
        if location is Location.JSON:
            self._learn_json(key, read)
        elif location is Location.TEXT:
            self.add(key, Parameter(Location.TEXT, "", TEXT, source="read"))
        elif read.path and isinstance(read.path[0], str):
            self._learn_named(key, location, read.path[0], read)

    def guess_bodies(self, key: str) -> None:
        """Let an endpoint that requires a content type take JSON or raw text, until more is known.

        Its handler refuses with 415 before it reads anything that would show the kind of body.
        """
        endpoint = self._endpoints[key]
        if endpoint.method in SAFE or key in self._guessed:
            return
        self._guessed.add(key)
        if not any(kind is Location.JSON for kind in self.body_kinds(key)):
            self.add(key, Parameter(Location.JSON, "", ObjectGene(), source="guess"))
        self.add(key, Parameter(Location.TEXT, "", TEXT, source="guess"))

    def _learn_named(self, key: str, location: Location, name: str, read: Read) -> None:
        if location is Location.HEADER and name.lower() == "content-type":
            self.guess_bodies(key)
        if not name or (location is Location.HEADER and name.lower() in FRAMEWORK_HEADERS):
            return
        if location is Location.FILE:
            gene = file_gene(name, BytesGene(current=b"a"))
        elif location in _PLAIN_TEXTS and not read.type_name:
            gene = _gene_of_text(location, name)
        else:
            gene = gene_by_read(name, read.type_name, read.default, in_json=False)
        if location is Location.HEADER:
            name = name.title()
        known = self.parameter(key, (location, name))
        if known is None:
            self.add(key, Parameter(location, name, gene, source="read"))
        elif known.source in ("read", "html") and read.type_name is not None:
            self._retype(key, known, gene)

    def _learn_json(self, key: str, read: Read) -> None:
        if operation_of(key):
            return  # the schema is complete; other reads of the view do not belong to the body
        known = self.parameter(key, (Location.JSON, ""))
        leaf = (
            gene_by_read(str(read.path[-1]), read.type_name, read.default, in_json=True)
            if read.path
            else ObjectGene()
        )
        if known is None:
            gene = with_leaf(None, read.path, leaf)
            self.add(key, Parameter(Location.JSON, "", gene, source="read"))
        elif read.path:
            self._retype(key, known, with_leaf(known.gene, read.path, leaf))

    def add(self, key: str, parameter: Parameter) -> None:
        """Add a parameter, unless its identity is known or there are too many."""
        is_full = len(self._endpoints[key].parameters) >= MOST_PARAMETERS
        if not is_full and self.parameter(key, parameter.key) is None:
            self.put(key, parameter)

    def confirm(self, key: str, parameter: Parameter) -> None:
        """Add a parameter, or replace the one with its identity."""
        known = self.parameter(key, parameter.key)
        (self.add if known is None else self.put)(key, parameter)

    def put(self, key: str, parameter: Parameter) -> None:
        """Replace the parameter with this identity, or add one, however many there are."""
        endpoint = self._endpoints[key]
        known = {one.key: one for one in endpoint.parameters}
        if known.get(parameter.key) != parameter:
            changed = {**known, parameter.key: parameter}
            self._endpoints[key] = replace(endpoint, parameters=tuple(changed.values()))
            self._changed[key] = None

    def _retype(self, key: str, parameter: Parameter, gene: Gene) -> None:
        self.put(key, replace(parameter, gene=gene))

    def learn_conversion(self, key: str, identity: tuple[Location, str], kind: str) -> bool:
        """Note that the application converts a text parameter to `kind`; say whether this is new.

        `kind` is a conversion's name (``int``, ``float``, ``date.fromisoformat`` ...). The
        parameter becomes a choice between that type and text, and begins with that type.

        Untyped parameters with this name at other endpoints become so, too: a function that parses
        for several handlers shows its comparisons only until it is covered, and the other handlers
        may be called later than that.
        """
        is_news = identity[0] is not Location.JSON and self._untyped(key, identity) is not None
        converted = _converted(kind) if is_news else ()
        for other in (key, *self._endpoints) if converted else ():
            known = self._untyped(other, identity)
            if known is not None:
                self._retype(other, known, ChoiceGene(alternatives=(*converted, known.gene)))
        return bool(converted)

    def _untyped(self, key: str, identity: tuple[Location, str]) -> Parameter | None:
        """Return a parameter of which only is known that it is a text, None otherwise."""
        known = self.parameter(key, identity)
        return known if known is not None and isinstance(known.gene, TextGene) else None

    def body_kinds(self, key: str) -> list[Location]:
        """Return the kinds of body that the endpoint takes: FORM (with files), JSON, TEXT."""
        found = {
            Location.FORM if parameter.location is Location.FILE else parameter.location: None
            for parameter in self._endpoints[key].parameters
            if parameter.location in BODY_LOCATIONS
        }
        return list(found)


def parameters_of(
    body: ObjectGene, location: Location, source: str, spelling: str = "{}"
) -> Iterator[Parameter]:
    """Yield the fields of an object outside JSON: without null, and with objects as JSON texts."""
    for field in body.fields if location in _NAMED else ():
        inner = field.gene.present()
        where, name = location, spelling.format(field.name)
        template = inner.element()
        if template is not None and template.present().is_binary:
            inner = template.present()
        if location is Location.FORM and inner.is_binary:
            where = Location.FILE
        if location is Location.HEADER:
            name = name.title()
            if name.lower() in FRAMEWORK_HEADERS:
                continue
        if where is Location.FILE:
            inner = file_gene(name, inner)
        elif isinstance(inner, ObjectGene):
            inner = EncodedGene(inner) if inner.fields else TEXT
        yield Parameter(where, name, inner, field.required, source)


def other_end(key: str) -> str:
    """Return the key of the same address without the slash at its end, or with one more."""
    return key[:-1] if key.endswith("/") else f"{key}/"


def _with_members(gene: Gene, names: Iterable[str]) -> Gene:
    """Return the gene of an object with members of these names, too."""
    for name in names:
        gene = with_leaf(gene, (name,), gene_by_read(name, None, None, in_json=True))
    return gene


def _converted(kind: str) -> tuple[Gene, ...]:
    """Return genes for the texts that a conversion accepts; for a number, one of each kind."""
    gene = gene_by_type(kind.partition(":")[0].strip())
    if gene is None or gene.is_truth:
        return ()  # any text is true or false
    if not gene.is_numeric:
        return (gene,)
    whole, broken = IntegerGene(current=1), FloatGene(current=1.0)
    return (whole, broken) if isinstance(gene, IntegerGene) else (broken, whole)


def _gene_of_text(location: Location, name: str) -> Gene:
    if location is Location.HEADER:
        return header_gene(name)
    return variable_gene(name) if location is Location.ENVIRON else TEXT
