"""Makes tests in which stored data that a call depends on is extreme, or was removed.

An extreme value is checked, if at all, where it is received. It fails where it is used: a birthday
on 29 February at the check-out, a price of -1 on the receipt. And another user may delete what a
cart contains. These tests change the calls before the last one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import TypeAlias

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.json_object import fields_of
from pytest_evosearch.problem.http.descriptions.json_object import with_fields
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence
from pytest_evosearch.problem.http.inquiries.edited_calls import with_leaves
from pytest_evosearch.problem.http.learning.recipes import spliced

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?=$|[T ])")


Extreme: TypeAlias = "Callable[[object], object]"
"""Returns an extreme value of a value's kind, or None."""


def _on_day(day: str) -> Extreme:
    return lambda value: (
        _DATE.sub(day, value) if isinstance(value, str) and _DATE.match(value) else None
    )


def _number(extreme: int) -> Extreme:
    def put(value: object) -> object:
        if isinstance(value, str):
            return str(extreme) if value.lstrip("-").isdecimal() else None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return extreme if is_number else None

    return put


EXTREMES = (_on_day("2024-02-29"), _number(0), _number(-1), _on_day("9999-12-31"))
"""Extreme values in the order of their trials."""


class DisturbedInquirer:
    """Makes tests from those whose last call depends on what earlier calls have stored."""

    def __init__(self, model: EndpointModel, known: Iterable[Individual] = ()) -> None:
        self._model = model
        self._sent: dict[str, list[tuple[str, object]]] = {}
        for test in known:
            for call in test.calls:
                self._note(call)

    def _note(self, call: Call) -> None:
        """Remember the fields of JSON bodies in tests, which show their types."""
        body = _body_of(call)
        if body is not None and not is_safe(call.endpoint):
            self._sent.setdefault(call.endpoint, []).extend(body.items())

    def with_extremes(self, test: Individual, extreme: Extreme) -> Individual | None:
        """Return `test` with extremes for all suitable values that earlier calls store, or None.

        A field of a JSON body counts even when the call omits it or sends another type.
        """
        calls = [self._extreme(call, extreme) for call in test.calls[:-1]]
        changed = Individual((*calls, test.calls[-1]))
        return None if changed == test else changed

    def _extreme(self, call: Call, extreme: Extreme) -> Call:
        if is_safe(call.endpoint) or call.endpoint not in self._model:
            return call

        def at_extreme(_value_path: ValuePath, leaf: Gene) -> Gene | None:
            value = extreme(leaf.value())
            return None if value is None else ConstantGene(value)

        for given in call.inputs:
            if given.location is not Location.PATH:
                call = call.with_input(with_leaves(given, at_extreme))
        body = _body_of(call)
        if body is None:
            return call
        fitting = ((name, extreme(value)) for name, value in self._known_fields(call.endpoint))
        added = {name: value for name, value in fitting if value not in (None, body.get(name))}
        return (with_fields(call, added) if added else None) or call

    def _known_fields(self, endpoint: str) -> Iterator[tuple[str, object]]:
        known = self._model.parameter(endpoint, (Location.JSON, ""))
        yield from () if known is None else fields_of(known.gene).items()
        yield from self._sent.get(endpoint, ())

    def with_removal(self, test: Individual, removal: Individual) -> Individual | None:
        """Return `test` with a resource removed before its last call, as `removal` does it.

        An earlier call names the removed resource. Return None where no call names it, or `test`
        itself removes it.
        """
        before, last = test.calls[:-1], removal.calls[-1]
        name = next(reversed(self._model.endpoint(last.endpoint).placeholders), "")
        named = next(reversed(list(_named(before, name))), None)
        added = spliced(before, removal.calls, test.calls[-1:])
        if named is None or not added or added[-1].endpoint != last.endpoint:
            return None
        removing = added[-1].with_input(Input(Location.PATH, name, named))
        return sequence((*before, *added[:-1], removing), test.calls[-1])


def stores_first(test: Individual) -> bool:
    """Say whether a call before the last one changes something."""
    return any(not is_safe(call.endpoint) for call in test.calls[:-1])


def ends_with_read(test: Individual) -> bool:
    """Say whether the last call changes nothing: it shows what was stored."""
    return is_safe(test.calls[-1].endpoint)


def removals(tests: Sequence[Individual]) -> Iterator[Individual]:
    """Yield those of `tests` that end with a deletion."""
    return (test for test in tests if test.calls[-1].endpoint.startswith("DELETE "))


def _body_of(call: Call) -> dict[str, object] | None:
    for given in call.inputs:
        if given.location is Location.JSON:
            value = given.gene.value()
            return value if isinstance(value, dict) else None
    return None


def _named(calls: Sequence[Call], name: str) -> Iterator[Gene]:
    """Yield the values that the calls send under a name, in a path or a body."""
    for call in calls:
        for given in call.inputs:
            for value_path, _gene_path, leaf in leaves(given.gene):
                if name in (given.name, innermost_name(value_path)) and name:
                    yield leaf
