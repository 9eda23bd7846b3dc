"""JSON responses that contradict the schema which the application itself declares.

Needs the library ``jsonschema`` (the extra ``schema``); without it, nothing is judged.  Formats are
not checked, because tools understand their names differently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.json_types import python_names
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.oracles.schema_dialect import compiled
from pytest_evosearch.oracles.schema_dialect import holders_of
from pytest_evosearch.oracles.schema_dialect import is_available
from pytest_evosearch.oracles.schema_dialect import resolved
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

MOST_BODIES = 4096
"""Number of distinct bodies whose verdict is kept: most responses of a search repeat."""

MOST_FINDINGS = 3
"""Contradictions that are reported for one response; further ones usually follow from these."""

LARGEST_BODY = 200_000
"""Bytes of the largest body that is checked."""

LONGEST_MESSAGE = 160

LONGEST_SCHEMA = 80
"""Characters of the longest schema that stands itself for the declarations equal to it."""

TWO_SHAPES = 2

MASKS = frozenset(
    ("x-fields", "fields", "_fields", "mask", "select", "only", "exclude", "include", "expand")
)
"""Parameters and headers with which callers ask for a part of a representation."""


class _Contradiction(NamedTuple):
    """One place where a body and its schema differ."""

    place: str
    """Place and keyword: ``items[].price: type``.

    It has no indices, so contradictions of one kind are one finding.
    """
    message: str
    expectation: Expectation


class _Declared(NamedTuple):
    """What a document declares for responses with one status."""

    response: object
    is_general: bool = False
    """Whether the declaration is for all other statuses, or for a range of a hundred."""


class ResponseSchemaOracle:
    """Validates JSON responses against the declared schema of their status.

    A refusal may have a status that the document does not name.  It is judged only after refusals
    of different shapes were seen.  One shape for all refusals is the application's own, and a
    general declaration in the document does not describe it.

    Refusals usually have one handler, and their endpoints one schema.  So one contradiction to
    equal schemas of refusals is one fault, at however many endpoints it is seen.
    """

    code = "response-schema"
    explanation = "a JSON response contradicts the schema that the OpenAPI document declares for it"

    def __init__(self, knowledge: Knowledge) -> None:
        self._responses = knowledge.responses if is_available() else {}
        self._document = knowledge.document
        self._holders: dict[str, object] | None = None
        self._validators: dict[tuple[str, int], Any] = {}
        self._ways: dict[tuple[str, int], str] = {}
        """What names the schema of a refusal, by endpoint and status."""
        self._verdicts: dict[tuple[str, int, bytes], tuple[_Contradiction, ...]] = {}
        self._refused: set[object] = set()
        """The shapes of all refusals so far."""

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each of the first contradictions."""
        response, endpoint = exchange.response, exchange.request.endpoint
        if response is None or endpoint not in self._responses or not exchange.routed:
            return
        if exchange.request.method == "HEAD" or response.truncated or not response.is_json:
            return
        if not 0 < len(response.body) <= LARGEST_BODY or exchange.crash is not None:
            return
        partial = _asks_for_a_part(exchange.request)
        if self._is_customary_refusal(endpoint, response):
            return
        for found in self._verdict(endpoint, response):
            if partial and found.expectation.kind == "json-has":
                continue
            kind = f"{response.status} {found.place}"
            way = self._shared_declaration(endpoint, response.status)
            target = fault_target(way or endpoint, f"{self.code} {kind}", UNKNOWN_POSITION)
            yield Fault(
                self.code, endpoint, kind, UNKNOWN_POSITION, found.message, call, target,
                found.expectation, way,
            )  # fmt: skip

    def _shared_declaration(self, endpoint: str, status: int) -> str:
        """Return what names the schema of a refusal, equal for equal schemas; empty for others."""
        if status < FIRST_REFUSAL:
            return ""
        key = (endpoint, status)
        if key not in self._ways:
            self._ways[key] = _name_of(self._schema(self._responses[endpoint], status))
        return self._ways[key]

    def _is_customary_refusal(self, endpoint: str, response: Response) -> bool:
        """Say whether a response is a refusal without its own declaration, in the usual shape."""
        if response.status < FIRST_REFUSAL:
            return False
        self._refused.add(_shape(response))
        declared = self._declared(self._responses[endpoint], response.status)
        return declared.is_general and len(self._refused) < TWO_SHAPES

    def _verdict(self, endpoint: str, response: Response) -> tuple[_Contradiction, ...]:
        key = (endpoint, response.status, response.body)
        known = self._verdicts.get(key)
        if known is None:
            known = tuple(self._contradictions(endpoint, response))
            if len(self._verdicts) < MOST_BODIES:
                self._verdicts[key] = known
        return known

    def _contradictions(self, endpoint: str, response: Response) -> Iterator[_Contradiction]:
        validator = self._validator(endpoint, response.status)
        if validator is None:
            return
        try:
            body = response.json()
            errors = _telling(sorted(validator.iter_errors(body), key=_order))
        except Exception:  # not JSON, or the schema itself is wrong: nothing can be decided
            return
        seen: dict[str, None] = {}
        for error in errors:
            found = _contradiction(error)
            if found.place not in seen and len(seen) < MOST_FINDINGS:
                seen[found.place] = None
                yield found

    def _validator(self, endpoint: str, status: int) -> Any:
        key = (endpoint, status)
        if key not in self._validators:
            schema = self._schema(self._responses[endpoint], status)
            self._validators[key] = None if schema is None else self._compiled(schema)
        return self._validators[key]

    def _compiled(self, schema: object) -> Any:
        if self._holders is None:
            self._holders = holders_of(self._document)
        return compiled(schema, self._document, self._holders)

    def _schema(self, responses: Mapping[str, object], status: int) -> object:
        """Return the schema of JSON responses with `status`; None when none is declared."""
        declared = self._resolved(self._declared(responses, status).response)
        if "schema" in declared:  # OpenAPI 2.0
            return declared["schema"]
        content = declared.get("content")
        for kind, media in content.items() if isinstance(content, Mapping) else ():
            if "json" in str(kind).lower() and isinstance(media, Mapping):
                return media.get("schema")
        return None

    @staticmethod
    def _declared(responses: Mapping[str, object], status: int) -> _Declared:
        """Return what the document declares for `status`.

        A `default` without a success beside it describes the success (flask-apispec).
        """
        named = {str(name).upper(): declared for name, declared in responses.items()}
        if str(status) in named:
            return _Declared(named[str(status)])
        if f"{status // 100}XX" in named:
            return _Declared(named[f"{status // 100}XX"], is_general=True)
        is_success = status // 100 == 2
        if not is_success and not any(name.startswith("2") for name in named):
            return _Declared(None)
        return _Declared(named.get("DEFAULT"), is_general=True)

    def _resolved(self, node: object) -> Mapping[str, object]:
        return resolved(node, self._document)


def _name_of(schema: object) -> str:
    """Return a short text that is equal for equal schemas."""
    text = json.dumps(schema, sort_keys=True, default=str)
    if len(text) <= LONGEST_SCHEMA:
        return text
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _asks_for_a_part(request: Request) -> bool:
    """Say whether the caller named the wanted fields, so that others may be missing."""
    names = [name.lower() for name, _value in (*request.query, *request.headers)]
    return not MASKS.isdisjoint(names)


def _shape(response: Response) -> object:
    """Return the structure of a response: equal for two responses that differ only in values."""
    try:
        body = response.json()
    except ValueError:
        return None
    return frozenset(body) if isinstance(body, dict) else type(body).__name__


def _order(error: Any) -> tuple[str, str]:
    return (str(list(error.absolute_path)), str(list(error.absolute_schema_path)))


def _telling(errors: Sequence[Any]) -> list[Any]:
    """Return `errors` without further errors about a value of a wrong type.

    A number where ``fail`` or ``success`` is declared is neither of the two, and not a text.
    """
    mistyped = {tuple(one.absolute_path) for one in errors if one.validator == "type"}
    return [
        one for one in errors if one.validator == "type" or tuple(one.absolute_path) not in mistyped
    ]


def _contradiction(error: Any) -> _Contradiction:
    path = tuple(error.absolute_path)
    word = str(error.validator)
    detail = ""
    if word == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        # The library reports each missing name separately, and only in its message.
        named = [name for name in missing if error.message.startswith(repr(name))]
        detail = str((named or missing)[0])
    place = f"{_pattern(path)}: {word}{f' {detail}' if detail else ''}".removeprefix(": ")
    message = f"{_written(path) or 'the body'}: {error.message}"
    if len(message) > LONGEST_MESSAGE:
        message = message[: LONGEST_MESSAGE - 3] + "..."
    return _Contradiction(place, message, _expectation(error, word, path, detail))


def _pattern(path: Sequence[object]) -> str:
    """Return the place without indices: ``items[].price``."""
    text = "".join("[]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _written(path: Sequence[object]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _expectation(error: Any, word: str, path: tuple[str | int, ...], detail: str) -> Expectation:
    place = next((step for step in reversed(path) if isinstance(step, str)), "")
    phrase = f"has_valid_{place}" if place else "matches_its_schema"
    instance, value = error.instance, error.validator_value
    if word == "required":
        return Expectation("json-has", detail, path, f"has_{detail}")
    if word == "type":
        names = [value] if isinstance(value, str) else list(value)
        types = [kind for name in names for kind in python_names(str(name))]
        # For Python, True is an int: such a contradiction is described by the value.
        if types and len(types) >= len(names) and not isinstance(instance, bool):
            return Expectation("json-type", tuple(types), path, phrase)
    if word == "enum" and isinstance(value, list) and len(value) <= 8:
        return Expectation("json-in", list(value), path, phrase)
    if word == "additionalProperties" and value is False and isinstance(instance, dict):
        known = error.schema.get("properties", {})
        extra = sorted(str(name) for name in instance if name not in known)
        if extra:
            return Expectation("json-lacks", extra[0], path, phrase)
    if instance is None or isinstance(instance, (str, int, float)):
        return Expectation("json-is-not", instance, path, phrase)
    if isinstance(instance, (list, dict)) and len(str(instance)) < 200:
        return Expectation("json-is-not", instance, path, phrase)
    return Expectation("unseen")
