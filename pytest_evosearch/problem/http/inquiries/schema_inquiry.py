"""Makes tests at the boundary of a declared schema: just forbidden, or just allowed."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from pytest_evosearch.problem.http.descriptions.json_object import LEFT_OUT
from pytest_evosearch.problem.http.descriptions.json_object import with_fields
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence

MOST_VARIANTS = 8
"""Most variants of one kind for one endpoint."""


class SchemaInquirer:
    """Makes tests from one whose last call sends a JSON object with a schema."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model

    def forbidden(self, base: Individual, act: Exchange) -> Iterator[Individual]:
        """Yield `base` with one violation of the schema in its last call."""
        return self._variants(base, act, _forbidden_values)

    def allowed(self, base: Individual, act: Exchange) -> Iterator[Individual]:
        """Yield tests that send allowed values, followed by calls that are known to work."""
        return self._variants(base, act, _allowed_values, base.calls[-1])

    def _variants(
        self,
        base: Individual,
        act: Exchange,
        values_of: Callable[[str, Mapping[str, object], Mapping[str, object]], Iterator[object]],
        *after: Call,
    ) -> Iterator[Individual]:
        """Yield `base` with one changed field in its last call, and the calls `after` behind it."""
        call, body = base.calls[-1], act.request.json
        if not isinstance(body, dict):
            return
        fields = self._model.endpoint(call.endpoint).fields
        variants = (
            (name, value)
            for name, schema in fields.items()
            for value in values_of(name, schema, body)
        )
        for name, value in islice(variants, MOST_VARIANTS):
            changed = with_fields(call, {name: value})
            if changed is not None:
                yield sequence(base.calls[:-1], replace(changed, label=0), *after)


def _forbidden_values(
    name: str, schema: Mapping[str, object], body: Mapping[str, object]
) -> Iterator[object]:
    if schema.get("readOnly") is True:
        return
    if name in body and schema.get("x-required"):
        yield LEFT_OUT
    yield from _forbidden(schema)


def _allowed_values(
    name: str, schema: Mapping[str, object], body: Mapping[str, object]
) -> Iterator[object]:
    if name not in body:
        return
    yield from (value for value in _named(schema) if value != body[name])
    if not schema.get("x-required") and len(body) > 1:
        yield LEFT_OUT


def _forbidden(schema: Mapping[str, object]) -> Iterator[object]:
    enumerated, kind = schema.get("enum"), schema.get("type")
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(enumerated, list) and "text" not in enumerated:
        yield "text"
    if isinstance(least, (int, float)):
        yield least - 1
    if isinstance(most, (int, float)):
        yield most + 1
    length, longest = schema.get("minLength"), schema.get("maxLength")
    if isinstance(length, int) and length > 0:
        yield ""
    if isinstance(longest, int) and longest < 1000:
        yield "a" * (longest + 1)
    if isinstance(kind, str) and kind != "null":
        # no framework converts it to the type
        yield [] if kind in ("string", "boolean") else "text"


def _named(schema: Mapping[str, object]) -> Iterator[object]:
    enumerated = schema.get("enum")
    if isinstance(enumerated, list):
        yield from (value for value in enumerated if isinstance(value, (str, int, float)))
    if schema.get("type") == "boolean":
        yield from (True, False)
    for word in ("minimum", "maximum"):
        limit = schema.get(word)
        if isinstance(limit, (int, float)) and not schema.get(f"exclusive{word.title()}"):
            yield limit
