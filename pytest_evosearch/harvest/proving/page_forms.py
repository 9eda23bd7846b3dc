"""Fills a form as the page does that shows it, where a test sends less than a browser would."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.forms import FormField
from pytest_evosearch.core.forms import parse_forms
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.known_calls import KnownCalls
from pytest_evosearch.harvest.proving.repairs import body_kind
from pytest_evosearch.problem.http.descriptions.guesses import gene_by_name
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.write.content.inputs import slots_of

FILLED_BY_PAGE = ("hidden", "submit")
"""Kinds of fields that a page fills itself."""

NOT_TYPED = ("checkbox", "file")
"""Kinds of fields that nothing is typed into."""


def filled_as_shown(known: KnownCalls, individual: Individual, act: Exchange) -> Individual | None:
    """Return a test with the fields that its form has on its page; None where it lacks none."""
    is_form = body_kind(act.request) in ("", Location.FORM.value)
    if reads(act) or not is_form:
        return None
    mine = {name for _place, name in slots_of(act.request)}
    lacking = [
        one
        for form in _shown(known, act)
        for one in form.sent
        if one.name not in mine and one.kind not in (*FILLED_BY_PAGE, *NOT_TYPED)
    ]
    last = individual.calls[-1]
    for one in lacking:
        last = last.with_input(Input(Location.FORM, one.name, TextGene(current=_typed(one))))
    return individual.with_call(len(individual) - 1, last) if lacking else None


def _shown(known: KnownCalls, act: Exchange) -> list[Form]:
    """Return the one form that is sent to the address of a call, as its page shows it."""
    models = known.models.get(f"GET {act.request.template}", {}).values()
    found = [form for page in _pages([act, *(one.exchange for one in models)]) for form in page]
    own = urlsplit(act.request.template).path
    fitting = [
        one
        for one in found
        if one.method == act.request.method and urlsplit(one.action).path in ("", own)
    ]
    return fitting[:1]


def _pages(exchanges: list[Exchange]) -> Iterator[list[Form]]:
    for one in exchanges:
        if one.response is not None and one.response.has_form:
            yield parse_forms(one.response.text)


def _typed(field: FormField) -> str:
    """Return what might be typed into a field."""
    given = field.options[0] if field.options else field.value
    return given or str(gene_by_name(field.name).value())
