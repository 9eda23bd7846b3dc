"""Links that an OpenAPI document declares: which response feeds which parameter.

    responses: {"201": {links: {show: {operationId: showOrder,
                                       parameters: {id: "$response.body#/id"}}}}}

See the Link Object and Runtime Expressions of the OpenAPI Specification 3.1, 4.8.20.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from urllib.parse import unquote

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Selector

LINKS = "links"
"""Key of an operation's links, with references resolved, after the document is read."""

_BODY = "$response.body"
_HEADER = "$response.header."


@dataclass(frozen=True)
class DeclaredLink:
    """A place in the responses of `producer` whose value is a parameter of `consumer`."""

    producer: str
    selector: Selector
    consumer: str
    location: Location
    name: str


def declared_links(endpoints: Iterable[Endpoint]) -> Iterator[DeclaredLink]:
    """Yield the links between `endpoints`; omit a link that cannot be understood."""
    known = list(endpoints)
    by_operation = {str(each.operation.get("operationId")): each for each in known}
    by_place = {f"{each.template}/{each.method.lower()}": each for each in known}
    for endpoint in known:
        links = endpoint.operation.get(LINKS)
        for link in links if isinstance(links, (list, tuple)) else ():
            if not isinstance(link, Mapping):
                continue
            consumer = by_operation.get(str(link.get("operationId")))
            consumer = consumer or by_place.get(_place_of(link.get("operationRef")))
            if consumer is not None:
                yield from _links_between(endpoint, consumer, link.get("parameters"))


def _place_of(reference: object) -> str:
    """Return ``/users/{id}/get`` of ``#/paths/~1users~1{id}/get``."""
    if not isinstance(reference, str):
        return ""
    path = unquote(reference.partition("#/paths/")[2])
    return path.replace("~1", "/").replace("~0", "~")


def _links_between(
    producer: Endpoint, consumer: Endpoint, parameters: object
) -> Iterator[DeclaredLink]:
    for word, expression in parameters.items() if isinstance(parameters, Mapping) else ():
        selector = _selector_of(expression)
        place = _parameter_of(consumer, str(word))
        if selector and place is not None:
            yield DeclaredLink(producer.key, selector, consumer.key, *place)


def _selector_of(expression: object) -> Selector:
    """Return the place that a runtime expression names; () for an unsupported one."""
    if not isinstance(expression, str):
        return ()
    if expression.startswith(_HEADER):
        return ("header", expression.removeprefix(_HEADER))
    if not expression.startswith(_BODY):
        return ()
    pointer = expression.removeprefix(_BODY).removeprefix("#").strip("/")
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/") if key]
    return ("json", *(int(key) if key.isdecimal() else key for key in keys))


def _parameter_of(consumer: Endpoint, word: str) -> tuple[Location, str] | None:
    """Return the parameter called ``id`` or, with its location, ``path.id``."""
    place, _, name = word.partition(".")
    for parameter in consumer.parameters:
        if parameter.name == word:
            return parameter.key
        if parameter.name == name and parameter.location.value == place:
            return parameter.key
    return None
