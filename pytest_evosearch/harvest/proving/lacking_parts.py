"""Proves which fields a call lacks that crashes: put in, they let its code get further.

A crash may come of what is missing while all that is sent is well.  The fields that other calls of
its endpoint send are put in, each alone, and all together where none is enough; then as few stay as
are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import body_kind
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.harvest.proving.repairs import whole_body
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import WHOLE_QUERY
from pytest_evosearch.write.content.proven_causes import Cause

MOST_CAUSES = 2
"""Most parts that are told together: of more, none is what the test is about."""

MOST_LACKING = 5
"""Most fields that are put in: more make no name."""

FIELDS = (Location.QUERY.value, Location.FORM.value, Location.JSON.value)


def lacking_parts(
    known: KnownCalls,
    individual: Individual,
    act: Exchange,
    gets_further: Callable[[Individual | None], bool],
) -> tuple[Cause, ...]:
    """Return the fewest fields that a crash comes of the lack of; none where that is not shown.

    Of more than two, none is named: then it is all that is not sent, where nothing is.
    """
    parts = _lacking(known, act)

    def is_enough(some: Sequence[tuple[Cause, Model]]) -> bool:
        attempt: Individual | None = individual
        for part, model in some:
            attempt = attempt and repaired(attempt, part, model)
        return gets_further(attempt)

    alone = [one for one in parts if is_enough([one])]
    if alone or len(parts) < 2 or not is_enough(parts):
        return (alone[0][0],) if len(alone) == 1 else ()
    for one in list(parts):
        fewer = [other for other in parts if other is not one]
        if is_enough(fewer):
            parts = fewer
    if len(parts) <= MOST_CAUSES:
        return tuple(part for part, _model in parts)
    return tuple(_all_of_it(act, *parts[0]))


def _all_of_it(act: Exchange, part: Cause, model: Model) -> Iterator[Cause]:
    """Yield the whole query, or the whole body, where a call sends none."""
    sent = {place for place, _name in slots_of(act.request)}
    if part.location == Location.QUERY.value and part.location not in sent:
        yield Cause(part.location, WHOLE_QUERY, NOT_SENT)
    elif part.location in BODY and sent.isdisjoint(BODY):
        yield whole_body(act.request, model)


def _lacking(known: KnownCalls, act: Exchange) -> list[tuple[Cause, Model]]:
    """Return the fields that other calls of an endpoint send, answered ones first."""
    endpoint, mine = act.request.endpoint, slots_of(act.request)
    others = [*known.models.get(endpoint, {}).values(), *known.crashed.get(endpoint, ())]
    found: dict[Slot, tuple[Cause, Model]] = {}
    for model in others:
        request = model.exchange.request
        is_other_body = body_kind(request) != body_kind(act.request)
        for slot, usual in slots_of(request).items():
            is_field = slot[0] in FIELDS and not (is_other_body and slot[0] != FIELDS[0])
            if is_field and slot not in mine and usual not in ("", None, LINKED):
                found.setdefault(slot, (Cause(*slot, NOT_SENT, usual), model))
    return list(found.values())[:MOST_LACKING]
