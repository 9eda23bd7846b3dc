"""Replaces links by literals where no reader would expect a link.

The search links any value that fits. A written test should only read values that the earlier
response itself created. When a response repeats a value that its request took from an earlier
response, the link moves to that response.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.exchange import ValuePath
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import links_in
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.write.content.identifier_names import is_remarkable
from pytest_evosearch.write.content.identifier_names import nouns_of
from pytest_evosearch.write.content.references import is_credible_origin

_NOT_FOUND = 404

_Link: TypeAlias = "tuple[int, Selector]"
"""The label of a call, and a place in its response."""


def without_incredible_links(individual: Individual, exchanges: Sequence[Exchange]) -> Individual:
    """Return `individual` with values in place of links that exist by chance.

    `exchanges` are those of its execution.
    """
    for index, exchange in enumerate(exchanges[: len(individual)]):
        doubtful = {
            place: origin
            for place, origin in exchange.request.origins.items()
            if origin.call < index
            and (
                not is_credible_origin(place, origin, exchanges)
                or _is_of_something_else(place, origin, exchanges[: index + 1])
            )
        }
        if doubtful:
            individual = individual.with_call(index, _cut(individual, index, doubtful, exchanges))
    return individual


def _is_of_something_else(place: ValuePath, origin: Origin, exchanges: Sequence[Exchange]) -> bool:
    """Say whether the last call found nothing under a small id of another resource.

    The id of an account finds no comment. An id that an earlier call used with success stays.
    """
    *earlier, act = exchanges
    if act.status != _NOT_FOUND or place[0] != "path" or origin.selector[0] != "json":
        return False
    giver = exchanges[origin.call]
    above = act.request.template.partition(f"{{{place[-1]}}}")[0]
    resource = singular(snake_case(above.rstrip("/").rpartition("/")[2])).replace("_", "")
    is_used = any(
        one.status < FIRST_REFUSAL and origin in one.request.origins.values() for one in earlier
    )
    is_small = not is_remarkable(select(giver, origin.selector))
    return is_small and not is_used and resource not in nouns_of(giver.request)


def _cut(
    individual: Individual,
    index: int,
    doubtful: dict[ValuePath, Origin],
    exchanges: Sequence[Exchange],
) -> Call:
    call = individual.calls[index]
    sources: dict[_Link, _Link] = {}
    values: dict[_Link, object] = {}
    for place, origin in doubtful.items():
        link = (individual.calls[origin.call].label, origin.selector)
        source = _source(place, origin, exchanges)
        if source is not None:
            sources[link] = (individual.calls[source.call].label, source.selector)
        else:
            values[link] = select(exchanges[origin.call], origin.selector)
    places = {place[:2] if place[0] != "json" else ("json", "") for place in doubtful}
    inputs = tuple(
        _without_links(given, sources, values)
        if (given.location.value, given.name) in places
        else given
        for given in call.inputs
    )
    return replace(call, inputs=inputs)


def _source(place: ValuePath, origin: Origin, exchanges: Sequence[Exchange]) -> Origin | None:
    """Return the earlier origin of a value in a response, None when the response created it."""
    giver = exchanges[origin.call]
    value = str(select(giver, origin.selector))
    for earlier in giver.request.origins.values():
        same = str(select(exchanges[earlier.call], earlier.selector)) == value
        if same and not earlier.prefix and is_credible_origin(place, earlier, exchanges):
            return earlier
    return None


def _without_links(
    given: Input, sources: Mapping[_Link, _Link], values: Mapping[_Link, object]
) -> Input:
    gene = given.gene
    for path, found in list(links_in(gene)):
        link = (found.label, found.selector)
        if link in sources:
            label, selector = sources[link]
            gene = replaced(gene, path, replace(found, label=label, selector=selector))
        elif link in values:
            held = found.fallback.adopt(values[link])
            if held is not None:
                gene = replaced(gene, path, held)
    return replace(given, gene=gene)
