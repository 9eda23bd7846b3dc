"""Tests made on purpose, in which one input of a call that is known to work is malformed.

A field that is null, missing or of another type is what clients get wrong most, and what handlers
check least; a search that has learnt a type seldom sends anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.individual import Call
from pytest_evosearch.problem.http.individual import Individual
from pytest_evosearch.problem.http.individual import Input
from pytest_evosearch.problem.http.inquiry import sequence
from pytest_evosearch.problem.http.json_object import LEFT_OUT
from pytest_evosearch.problem.http.json_object import with_fields

MOST_VARIANTS = 24
"""Of one call: eight fields in three ways."""

TEXT = "evosearch"

_SPLIT = (Location.QUERY, Location.FORM)


class MalformedInquirer:
    """Makes tests from one whose last call was answered well."""

    def tests(self, base: Individual, act: Exchange) -> Iterator[Individual]:
        """Yield `base` with one input of its last call, answered by `act`, malformed."""
        for call in islice(self._calls(base.calls[-1], act), MOST_VARIANTS):
            yield sequence(base.calls[:-1], replace(call, label=0))

    def _calls(self, call: Call, act: Exchange) -> Iterator[Call]:
        body = act.request.json
        if isinstance(body, dict):
            for name, value in body.items():
                for wrong in (None, LEFT_OUT, TEXT if isinstance(value, (list, dict)) else [TEXT]):
                    changed = with_fields(call, {name: wrong})
                    if changed is not None:
                        yield changed
        for given in call.inputs:
            if given.location is Location.JSON:
                yield call.with_input(replace(given, gene=ConstantGene([])))
            elif given.location in _SPLIT:
                yield from _without_or_with_text(call, given)


def _without_or_with_text(call: Call, given: Input) -> Iterator[Call]:
    yield call.without_input(given.key)
    for text in ("", TEXT):
        if given.gene.value() != text:
            yield call.with_input(replace(given, gene=ConstantGene(text)))
