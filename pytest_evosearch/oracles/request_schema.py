"""Requests compared with the schema that the application itself declares for them.

Needs the library ``jsonschema``.  Lenient readers accept some differences: ``"5"`` for 5, 5 for
``"5"``, null for a missing field, fields without a declaration.  Such a difference is neither a
violation nor a reason for a refusal.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.schema_dialect import READ
from pytest_evosearch.oracles.schema_dialect import compiled
from pytest_evosearch.oracles.schema_dialect import holders_of
from pytest_evosearch.oracles.schema_dialect import is_available
from pytest_evosearch.oracles.schema_dialect import resolved
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

LENIENT = frozenset(("additionalProperties", "unevaluatedProperties", "format", "uniqueItems"))
"""Keywords that readers of requests may ignore without harm."""

_ALTERNATIVES = ("anyOf", "oneOf")


class RequestRules:
    """What requests of each endpoint must look like, as far as this can be decided."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._operations = knowledge.operations if is_available() else {}
        self._document = knowledge.document
        self._holders: dict[str, object] | None = None
        self._bodies: dict[str, Any] = {}
        self._parameters: dict[tuple[str, str], Any] = {}

    def violations(self, request: Request) -> list[str]:
        """Return what is wrong, without values: ``name: required``, ``query page: minimum``."""
        operation = self._operations.get(request.endpoint)
        if operation is None:
            return []
        try:
            return [*self._of_body(request, operation), *self._of_query(request, operation)]
        except Exception:  # the schema itself is wrong: nothing can be decided
            return []

    def knows_body(self, request: Request) -> bool:
        """Say whether a schema describes the JSON body of a request."""
        operation = self._operations.get(request.endpoint)
        return operation is not None and self._body(request.endpoint, operation) is not None

    def _of_body(self, request: Request, operation: Mapping[str, object]) -> Iterator[str]:
        validator = self._body(request.endpoint, operation)
        if validator is None:
            return
        if request.has_json:
            yield from dict.fromkeys(_places(validator.iter_errors(request.json)))
        elif self._needs_body(operation) and not (request.form or request.files or request.text):
            yield "the body: required"

    def _of_query(self, request: Request, operation: Mapping[str, object]) -> Iterator[str]:
        listed = operation.get("parameters")
        sent: dict[str, list[object]] = {}
        for name, value in request.query:
            sent.setdefault(name, []).append(value)
        for declared in listed if isinstance(listed, list) else ():
            if not isinstance(declared, Mapping) or declared.get("in") != "query":
                continue
            name = str(declared.get("name"))
            if name not in sent:
                if declared.get("required") is True:
                    yield f"query {name}: required"
                continue
            validator = self._parameter(request.endpoint, name, declared)
            if validator is None or len(sent[name]) > 1:
                continue
            value = _as_declared(sent[name][0], validator.schema["allOf"][0])
            for place in dict.fromkeys(_places(validator.iter_errors(value))):
                yield f"query {name}{place}"

    @staticmethod
    def _needs_body(operation: Mapping[str, object]) -> bool:
        body = operation.get("requestBody")
        return isinstance(body, Mapping) and body.get("required") is True

    def _body(self, endpoint: str, operation: Mapping[str, object]) -> Any:
        if endpoint not in self._bodies:
            schema = self._schema_of_body(operation)
            self._bodies[endpoint] = None if schema is None else self._compiled(schema)
        return self._bodies[endpoint]

    def _schema_of_body(self, operation: Mapping[str, object]) -> object:
        listed = operation.get("parameters")
        for declared in listed if isinstance(listed, list) else ():
            if isinstance(declared, Mapping) and declared.get("in") == "body":
                return declared.get("schema")
        content = resolved(operation.get("requestBody"), self._document).get("content")
        for kind, media in content.items() if isinstance(content, Mapping) else ():
            if "json" in str(kind).lower() and isinstance(media, Mapping):
                return media.get("schema")
        return None

    def _parameter(self, endpoint: str, name: str, declared: Mapping[str, object]) -> Any:
        key = (endpoint, name)
        if key not in self._parameters:
            schema = resolved(declared.get("schema", declared), self._document)
            known = schema.get("type") in ("string", "integer", "number", "boolean")
            words = {word: part for word, part in schema.items() if word not in ("required", "in")}
            self._parameters[key] = self._compiled(words) if known else None
        return self._parameters[key]

    def _compiled(self, schema: object) -> Any:
        if self._holders is None:
            self._holders = holders_of(self._document, READ)
        return compiled(schema, self._document, self._holders, READ)


def _as_declared(value: object, schema: object) -> object:
    """Return the value for which a text in a query stands under its schema."""
    kind = schema.get("type") if isinstance(schema, Mapping) else None
    text = str(value)
    try:
        if kind == "integer":
            return int(text)
        if kind == "number":
            return float(text)
    except ValueError:
        return text
    if kind == "boolean" and text.lower() in ("true", "false", "1", "0", "yes", "no", "on", "off"):
        return True
    return text


def _places(errors: Iterable[Any]) -> Iterator[str]:
    """Yield ``items[].name: required`` for each error that no lenient reader accepts."""
    for error in errors:
        word = str(error.validator)
        if word in LENIENT or error.instance is None:
            continue
        if isinstance(error.schema, Mapping) and error.schema.get("readOnly") is True:
            continue  # callers do not set it, so an application may ignore it
        if word in _ALTERNATIVES:
            # Null or a schema is one way to write `nullable`: only the schema counts.
            if len(error.validator_value) == 2 and {"type": "null"} in error.validator_value:
                real = 1 - error.validator_value.index({"type": "null"})
                inside = [one for one in error.context if one.schema_path[0] == real]
                yield from _places(inside)
            continue
        if word == "type" and _is_lenient(error.instance, error.validator_value):
            continue
        path = "".join(
            "[]" if isinstance(step, int) else f".{step}" for step in error.absolute_path
        )
        detail = f" {_missing(error)}" if word == "required" else ""
        yield f"{path.removeprefix('.')}: {word}{detail}"


def _missing(error: Any) -> str:
    names = [name for name in error.validator_value if name not in error.instance]
    named = [name for name in names if error.message.startswith(repr(name))]
    return str((named or names or ["?"])[0])


def _is_lenient(instance: object, types: object) -> bool:
    """Say whether readers that convert values would accept `instance` as one of `types`."""
    wanted = {types} if isinstance(types, str) else set(types if isinstance(types, list) else ())
    if isinstance(instance, (bool, int, float)):
        return bool(wanted & {"string", "integer", "number", "boolean"})
    if isinstance(instance, str):
        if "boolean" in wanted:
            return True
        try:
            float(instance)
        except ValueError:
            return False
        return bool(wanted & {"integer", "number"})
    return False


class InvalidAcceptedOracle:
    """Reports requests that succeed although their own schema forbids them."""

    code = "invalid-accepted"
    explanation = "a request that violates its declared schema is accepted"

    def __init__(self, knowledge: Knowledge) -> None:
        self._rules = RequestRules(knowledge)

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for the only violation in a request with a 2xx response."""
        if not 200 <= exchange.status < 300 or not exchange.routed:
            return
        violations = self._rules.violations(exchange.request)
        if len(violations) == 1:
            wanted = Expectation("status-from", 400, phrase="is_refused_as_declared")
            message = f"accepted, though its schema forbids it ({violations[0].strip()})"
            endpoint = exchange.request.endpoint
            yield finding(self.code, endpoint, call, violations[0].strip(), message, wanted)


class ValidRefusedOracle:
    """Reports values that the schema allows and the application refuses.

    Two requests that differ in one field of the body are the evidence.  The schema names the values
    of this field (an enumeration, a limit, a truth value), or says that it may be missing.
    """

    code = "valid-refused"
    fewest_calls = 2
    explanation = "a request that is valid by its declared schema is refused with 400 or 422"

    def __init__(self, knowledge: Knowledge) -> None:
        self._rules = RequestRules(knowledge)
        self._fields = knowledge.fields

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for a refusal before a request succeeds that differs in one field."""
        refused: dict[object, list[tuple[int, Exchange]]] = {}
        for call, exchange in enumerate(exchanges):
            request = exchange.request
            key = (request.method, address_of(request), exchange.user)
            if exchange.status in (400, 422) and request.has_json:
                refused.setdefault(key, []).append((call, exchange))
            elif request.method not in SAFE_METHODS:
                if 200 <= exchange.status < 300 and request.has_json:
                    for before, earlier in refused.get(key, ()):
                        yield from self._compared(earlier, exchange, before)
                refused.clear()

    def _compared(self, refused: Exchange, served: Exchange, call: int) -> Iterator[Fault]:
        name = _only_difference(refused.request.json, served.request.json)
        same = refused.request.query == served.request.query
        if name is None or not same or not self._rules.knows_body(refused.request):
            return
        if any(map(self._rules.violations, (refused.request, served.request))):
            return
        body = refused.request.json
        assert isinstance(body, dict)
        declared = self._fields.get(refused.request.endpoint, {}).get(name)
        if declared is None:
            return
        text = refused.response.text if refused.response is not None else ""
        if name not in body:
            if declared.get("x-required") or not body or name not in text:
                return
            kind, what = f"without {name}", f"needs {name!r}, which its schema lets be left out"
        elif _is_named(body[name], declared):
            kind, what = (
                f"{name} as declared",
                f"refuses {name} = {body[name]!r}, which it declares",
            )
        else:
            return
        wanted = Expectation("status-below", 400, phrase="accepts_what_it_declares")
        yield finding(self.code, refused.request.endpoint, call, kind, what, wanted)


def _only_difference(one: object, other: object) -> str | None:
    """Return the only field in which two objects differ, or that only the second one has."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return None
    missing = [name for name in other if name not in one]
    differing = [name for name in one if name not in other or one[name] != other[name]]
    names = [*missing, *differing]
    return str(names[0]) if len(names) == 1 and names[0] in other else None


def _is_named(value: object, schema: Mapping[str, object]) -> bool:
    """Say whether the schema itself names this value."""
    enumerated = schema.get("enum")
    if isinstance(enumerated, list) and value in enumerated:
        return True
    if isinstance(value, bool):
        return schema.get("type") == "boolean"
    limits = (schema.get("minimum"), schema.get("maximum"), schema.get("default"))
    return isinstance(value, (int, float)) and value in limits
