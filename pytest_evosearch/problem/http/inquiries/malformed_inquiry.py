"""Makes calls that work except for one malformed input, or one empty list of a service.

Clients often send a field that is null, missing or of another type, and handlers rarely check for
it. A search that has learnt a type seldom sends another one. Frameworks rarely check for a JSON
body that is no object: some readers of forms accept JSON where there is no form. A service that
finds nothing answers with an empty list, and code takes its first element.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.visit import walk_values
from pytest_evosearch.problem.http.descriptions.json_object import LEFT_OUT
from pytest_evosearch.problem.http.descriptions.json_object import fields_of
from pytest_evosearch.problem.http.descriptions.json_object import with_fields
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link

MOST_VARIANTS = 24
"""Most variants of one call: five fields in four ways, and the whole body."""

TEXT = "text"
NUMBER = 42
HUGE = 2**63
"""The first number that does not fit into 64 bits, which databases store."""

WHOLE: tuple[object, ...] = (NUMBER, [TEXT])
"""Bodies instead of a form or an object: a value without items, and a list without pairs."""

_SPLIT = (Location.QUERY, Location.FORM)
_ADDRESS = (Location.PATH, Location.QUERY)


@dataclass(frozen=True)
class MalformedCall:
    """A call with one malformed input."""

    call: Call
    body: str | None = None
    """Text to send instead of the whole body; None for the body itself."""
    question: str = ""
    """Kind of malformation to which every endpoint responds alike; empty for all others."""

    @property
    def fresh(self) -> Call:
        """The call without a label, which it gets later."""
        return replace(self.call, label=0)


class MalformedInquirer:
    """Makes malformed calls from one that succeeded."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model

    def calls(self, call: Call) -> Iterator[MalformedCall]:
        """Yield `call` with one malformed input, the most useful ways first.

        A request that violates a GraphQL schema does not reach the application's code.
        """
        if operation_of(call.endpoint):
            return
        yield from islice(self._all_calls(call), MOST_VARIANTS)

    def _all_calls(self, call: Call) -> Iterator[MalformedCall]:
        yield from map(MalformedCall, _with_empty_lists(call))
        kind = self._kind_of_body(call)
        if kind is not None:
            for whole in (*WHOLE, []) if kind is Location.JSON else WHOLE:
                yield MalformedCall(_with_body(call, whole), repr(whole))
        inputs = (*call.inputs, *self._left_out(call, kind))
        for given in inputs:
            if given.location in _ADDRESS and _is_number(given.gene.value()):
                huge = call.with_input(replace(given, gene=ConstantGene(HUGE)))
                yield MalformedCall(huge, question=f"{HUGE} as an identifier")
        yield from map(MalformedCall, self._with_wrong_inputs(call, inputs))

    def _kind_of_body(self, call: Call) -> Location | None:
        """Return the kind of body that the call sends, otherwise one that its endpoint takes."""
        sent = (given.location for given in call.inputs if given.location in BODY_LOCATIONS)
        return next(sent, None) or next(iter(self._model.body_kinds(call.endpoint)), None)

    def _with_wrong_inputs(self, call: Call, inputs: Sequence[Input]) -> Iterator[Call]:
        for given in inputs:
            if given.location is Location.JSON:
                yield from _with_wrong_fields(call.with_input(given), self._fields(call, given))
        for given in inputs:
            if given.location in _SPLIT:
                yield from _left_out_or_wrong(call, given)

    def _left_out(self, call: Call, kind: Location | None) -> Iterator[Input]:
        """Yield the endpoint's query and body inputs that the call omits."""
        known = {given.key for given in call.inputs}
        for parameter in self._model.endpoint(call.endpoint).parameters:
            wanted = parameter.location is Location.QUERY or parameter.location is kind
            if wanted and parameter.key not in known:
                yield Input(parameter.location, parameter.name, parameter.gene)

    def _fields(self, call: Call, body: Input) -> Mapping[str, object]:
        """Return the fields of a sent object, then other known ones."""
        sent = body.gene.value()
        if not isinstance(sent, dict):
            return {}
        known = self._model.parameter(call.endpoint, body.key)
        return {**({} if known is None else fields_of(known.gene)), **sent}


def _with_empty_lists(call: Call) -> Iterator[Call]:
    """Yield the call with one list empty that a service answers with."""
    for given in call.inputs:
        if given.location is Location.ANSWER:
            for _value_path, path, gene in walk_values(given.gene):
                if isinstance(gene, ArrayGene) and gene.value():
                    empty = replaced(given.gene, path, ConstantGene([]))
                    yield call.with_input(replace(given, gene=empty))


def _with_body(call: Call, whole: object) -> Call:
    kept = tuple(one for one in call.inputs if one.location not in BODY_LOCATIONS)
    return replace(call, inputs=(*kept, Input(Location.JSON, "", ConstantGene(whole))))


def _is_number(value: object) -> bool:
    """Say whether a value is a number, or an identifier from a response."""
    if isinstance(value, Link):
        return True
    if isinstance(value, str):
        return value.isdecimal()
    return isinstance(value, int) and not isinstance(value, bool)


def _with_wrong_fields(call: Call, fields: Mapping[str, object]) -> Iterator[Call]:
    """Yield the call with one wrong field: every field in one way before the next way."""
    ways = {name: _wrong_values(value) for name, value in fields.items()}
    for way in range(max(map(len, ways.values()), default=0)):
        for name, values in ways.items():
            changed = with_fields(call, {name: values[way]}) if way < len(values) else None
            if changed is not None:
                yield changed


def _wrong_values(value: object) -> tuple[object, ...]:
    if isinstance(value, (list, dict)):
        return (LEFT_OUT, None, NUMBER, TEXT)
    if isinstance(value, (str, Link)):
        return (LEFT_OUT, None, "", [TEXT])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (LEFT_OUT, None, 0, TEXT, [TEXT])
    return (LEFT_OUT, None, TEXT, [TEXT])


def _left_out_or_wrong(call: Call, given: Input) -> Iterator[Call]:
    """Yield the call without an input, then with an empty or wrong value.

    A number becomes 0 first: programs divide by page sizes and by counts.
    """
    value = given.gene.value()
    if given in call.inputs:
        yield call.without_input(given.key)
    for wrong in (*((0,) if _is_number(value) else ()), "", TEXT):
        if value != wrong:
            yield call.with_input(replace(given, gene=ConstantGene(wrong)))
