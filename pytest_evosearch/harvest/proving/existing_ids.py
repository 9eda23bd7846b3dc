"""Lets calls refer to what exists: ids in bodies become those of what another call has made.

An application that does not look whether an employee's department exists accepts any number.  A
test of that shows a mistake as if it were meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.harvest.proving.repairs import FIRST_IDENTIFIER
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import identifier_in
from pytest_evosearch.harvest.proving.repairs import with_field
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import owner_of
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.naming.proven_conditions import thing_of


@dataclass(frozen=True)
class Mention:
    """An identifier of something in the JSON object of a call."""

    label: int
    """The label of the call."""
    name: str
    owner: str
    """What it identifies: ``department``."""
    value: object


def mentions_in(individual: Individual, exchanges: Sequence[Exchange]) -> list[Mention]:
    """Return the identifiers in stored bodies of things that nothing in the test has made."""
    return [
        Mention(call.label, name, owner_of(exchange.request, name), value)
        for call, exchange in zip(individual.calls, exchanges, strict=False)
        if exchange.request.method in STORING
        for (place, name), value in slots_of(exchange.request).items()
        if place == Location.JSON.value and _is_of_another(exchange.request, name)
        if value != LINKED and not _is_stored(owner_of(exchange.request, name), exchange.request)
    ]


def _is_of_another(request: Request, name: str) -> bool:
    is_identifier = IDENTIFIER.is_meant_by(snake_case(name), Certainty.LIKELY)
    return is_identifier and owner_of(request, name) != "id"


def _is_stored(owner: str, request: Request) -> bool:
    return any(thing_of(row.model) == owner for row in request.rows)


def referring_to_what_exists(
    individual: Individual, mention: Mention, makers: Iterable[Model]
) -> Iterator[Individual]:
    """Yield tests in which a call mentions what another call has made, or what a row is."""
    at = next(at for at, call in enumerate(individual) if call.label == mention.label)
    before, call, after = individual.calls[:at], individual.calls[at], individual.calls[at + 1 :]
    for maker in makers:
        own = replace(maker, is_whole=True).beside(individual)
        rows = _rows_up_to(mention.owner, own.call)
        selector = identifier_in(own.exchange, "")
        made: tuple[Call, ...] = ()
        gene: Gene = ConstantGene(FIRST_IDENTIFIER)
        new: object = FIRST_IDENTIFIER + 1
        template = own.call.endpoint.partition(" ")[2]
        if not rows and selector and singular(collection_of(template)) == mention.owner:
            made = own.calls
            gene = LinkGene(own.call.label, selector, ConstantGene(mention.value))
            new = select(own.exchange, selector)
        elif not rows:
            continue
        if _is_older(mention.value, new):
            continue
        changed = with_field(call, mention.name, gene)
        if changed is not None:
            kept = {one.key for one in changed.inputs}
            added = [one for one in rows if one.key not in kept]
            changed = replace(changed, inputs=(*changed.inputs, *added))
            yield Individual((*made, *before, changed, *after))


def _is_older(value: object, new: object) -> bool:
    """Say whether an identifier may be that of something older than a new one is: it exists."""
    text = str(value)
    return text.isdecimal() and isinstance(new, int) and FIRST_IDENTIFIER <= int(text) < new


def _rows_up_to(owner: str, call: Call) -> list[Input]:
    """Return the row of a thing in a call, after those that it may refer to; none without it."""
    rows = [one for one in call.inputs if one.location is Location.ROW]
    things = [thing_of(one.name.partition(" ")[0]) for one in rows]
    return rows[: things.index(owner) + 1] if owner in things else []
