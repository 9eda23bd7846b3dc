"""Cuts links that no reader would follow: the value of an earlier response becomes a literal.

The search links whatever happens to fit; a written test should take from an earlier response
only what that response hands out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Origin
from pytest_evosearch.problem.http.exchange import ValuePath
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input
from pytest_evosearch.problem.http.links import LinkGene
from pytest_evosearch.problem.http.responses import select
from pytest_evosearch.write.references import is_credible_origin


def without_incredible_links(individual: Individual, exchanges: Sequence[Exchange]) -> Individual:
    """Return `individual` with the values in place of links that are a coincidence.

    `exchanges` are what executing it gave.
    """
    for index, exchange in enumerate(exchanges[: len(individual)]):
        doubtful = {
            place: origin
            for place, origin in exchange.request.origins.items()
            if origin.call < index and not is_credible_origin(place, origin, exchanges)
        }
        if doubtful:
            individual = individual.with_call(index, _cut(individual, index, doubtful, exchanges))
    return individual


def _cut(
    individual: Individual,
    index: int,
    doubtful: dict[ValuePath, Origin],
    exchanges: Sequence[Exchange],
) -> Call:
    call = individual.calls[index]
    values = {
        (individual.calls[origin.call].label, origin.selector): select(
            exchanges[origin.call], origin.selector
        )
        for origin in doubtful.values()
    }
    places = {place[:2] if place[0] != "json" else ("json", "") for place in doubtful}
    inputs = tuple(
        _literal(given, values) if (given.location.value, given.name) in places else given
        for given in call.inputs
    )
    return replace(call, inputs=inputs)


def _literal(given: Input, values: dict[tuple[int, tuple[str | int, ...]], object]) -> Input:
    gene = given.gene
    for path, found in list(walk(gene)):
        if isinstance(found, LinkGene) and (found.label, found.selector) in values:
            held = found.fallback.adopt(values[(found.label, found.selector)])
            if held is not None:
                gene = replaced(gene, path, held)
    return replace(given, gene=gene)
