"""Proves that a form lacks what a page hands out, such as a token against forgery.

The token that a page hands out for one form is good for others of the session.  So a form that no
test has sent with its token, and that leads on or is shown again, is sent with that of another one:
where it then gets another answer, or further, the token is what it lacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import is_redirect
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import body_kind
from pytest_evosearch.harvest.proving.repairs import repaired
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import Cause

BY_PAGES = ("form", "page")
"""Kinds of places of values that pages hand out."""

MOST_TOKENS = 2
"""Most names of tokens that a form is sent with, one after the other."""


def with_tokens(
    known: KnownCalls, individual: Individual, act: Exchange
) -> Iterator[tuple[Cause, Individual]]:
    """Yield a token that a write lacks, and the test with it."""
    is_form = body_kind(act.request) in ("", Location.FORM.value)
    leads_on = is_open(act) or is_redirect(act)
    if reads(act) or act.crash is not None or not (is_form and leads_on):
        return
    mine = slots_of(act.request)
    for part, model in _tokens(known, individual.calls[-1].user)[:MOST_TOKENS]:
        attempt = repaired(individual, part, model)
        if attempt is not None and (part.location, part.name) not in mine:
            yield part, attempt


def is_token(cause: Cause) -> bool:
    """Say whether a cause is that a value of a page is not sent."""
    is_form = cause.location in (Location.FORM.value, Location.HEADER.value)
    return is_form and cause.value is NOT_SENT and cause.usual == LINKED


def lacks_token(causes: Sequence[Cause]) -> bool:
    """Say whether a token is all that a call lacks."""
    return len(causes) == 1 and is_token(causes[0])


def _tokens(known: KnownCalls, user: str | None) -> list[tuple[Cause, Model]]:
    """Return the values of pages that accepted calls of a user send, in their shortest tests.

    A page that does not show its form has handed nothing out.
    """
    found: dict[tuple[str, str], tuple[Cause, Model]] = {}
    models = [one for each in known.models.values() for one in each.values()]
    for model in sorted(models, key=lambda one: len(one.calls)):
        if model.call.user != user or reads(model.exchange) or is_failing(model.exchange):
            continue
        taken = [
            slot for slot, value in slots_of(model.exchange.request).items() if value == LINKED
        ]
        for given in model.call.inputs:
            is_header, value = given.location is Location.HEADER, given.gene.value()
            slot = given.location.value, given.name.lower() if is_header else given.name
            is_sent = given.location in (Location.FORM, Location.HEADER) and slot in taken
            if is_sent and isinstance(value, Link) and value.selector[0] in BY_PAGES:
                found.setdefault(slot, (Cause(*slot, NOT_SENT, LINKED), model))
    return list(found.values())
