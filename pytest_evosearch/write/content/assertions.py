"""Facts as assertions, ``assert response.status_code == 200``, and whether they are true."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress

from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import subscripts
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.expectations import expected_subject
from pytest_evosearch.write.content.xml_facts import xml_left

PIECE = "piece"

SENT = "sent"
"""Kind of a fact about what the application asked another service."""


def subject_of(fact: Fact, variable: str) -> Comparison | Node:
    """Return the expression of an ``assert`` about `variable`."""
    if fact.kind == "contains":
        return Comparison(node_of(fact.value), "in", Atom(f"{variable}.text"))
    if fact.kind == "json-contains":
        place = f"{variable}.json{subscripts(fact.path)}"
        return Comparison(node_of(fact.value), "in", Atom(place))
    if fact.kind == "lacks":
        return Comparison(node_of(fact.value), "not in", Atom(f"{variable}.text"))
    if fact.kind == "starts":
        return call(f"{variable}.text.startswith", node_of(fact.value))
    if fact.kind == "piece-starts":
        return call(f"{piece_of(variable)}.startswith", node_of(fact.value))
    if fact.kind == "piece" and not fact.value:
        return Atom(piece_of(variable))
    if fact.kind == "nan":
        return Atom(f"math.isnan({variable}.json{subscripts(fact.path)})")
    if fact.kind == "empty":
        return Comparison(Atom(f"{variable}.data"), "==", Text(b""))
    if fact.kind.startswith("xml"):
        path, name = map(str, fact.path)
        left = Atom(xml_left(fact.kind, path, name, document_of(variable)))
        return Comparison(left, "==", node_of(fact.value))
    if fact.kind == "expected" and isinstance(fact.value, Expectation):
        return expected_subject(fact.value, variable, str(fact.path[0]))
    if fact.kind == "below":
        return Comparison(Atom(f"{variable}.status_code"), "<", node_of(fact.value))
    return Comparison(Atom(_left(fact, variable)), _operator(fact.value), node_of(fact.value))


def _left(fact: Fact, variable: str) -> str:
    place, last = subscripts(fact.path), fact.path[-1] if fact.path else ""
    return {
        "status": f"{variable}.status_code",
        "location": f"{variable}.location",
        "json": f"{variable}.json{place}",
        "json-keys": f"sorted({variable}.json{place})",
        "length": f"len({variable}.json{place})",
        "text": f"{variable}.text",
        "piece": piece_of(variable),
        "mimetype": f"{variable}.mimetype",
        "header": f"{variable}.headers{place}",
        SENT: str(last),
    }[fact.kind]


def piece_of(variable: str) -> str:
    """Return the variable for the first piece of a response without an end."""
    return PIECE if variable == "response" else f"{variable}_{PIECE}"


def document_of(variable: str) -> str:
    """Return the variable for the root of an XML response."""
    return XML if variable == "response" else f"{variable}_{XML}"


def _operator(value: object) -> str:
    """Return ``is`` where linters require it, ``in`` where one of several values is right."""
    if isinstance(value, tuple):
        return "in"
    return "is" if value is None or isinstance(value, bool) else "=="


def assertion_lines(facts: Iterable[Fact], variable: str, layout: Layout) -> list[str]:
    """Return the ``assert`` statements of `facts`."""
    lines: list[str] = []
    for fact in facts:
        lines.extend(layout.assertion(subject_of(fact, variable)))
    return lines


def holds_unstable(value: object) -> bool:
    """Say whether a value tree contains an `Unstable` leaf."""
    if isinstance(value, dict):
        return any(holds_unstable(part) for part in value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_unstable(part) for part in value)
    return isinstance(value, Unstable)


def holds_expression(value: object) -> bool:
    """Say whether a value tree contains an `Expression` leaf."""
    if isinstance(value, dict):
        return any(holds_expression(part) for part in value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_expression(part) for part in value)
    return isinstance(value, Expression)


def holds(fact: Fact, told: Response, response: Response) -> bool:
    """Say whether a fact about the response `told` is true for another one."""
    kind, value = fact.kind, fact.value
    if kind in ("contains", "starts", "lacks", "text"):
        return _holds_for_text(kind, str(value), response.text)
    if kind in ("json", "json-contains", "json-keys", "length", "nan"):
        return _holds_for_json(fact, response)
    if kind == "status":
        return response.status in value if isinstance(value, tuple) else response.status == value
    if kind == "location":
        return response.location == value
    if kind == "mimetype":
        return response.mimetype == value
    if kind == "header":
        return response.header(str(fact.path[0])) == value
    return response.body == told.body


def _holds_for_text(kind: str, value: str, text: str) -> bool:
    if kind == "lacks":
        return value not in text
    if kind == "contains":
        return value in text
    return text.startswith(value) if kind == "starts" else text == value


def _holds_for_json(fact: Fact, response: Response) -> bool:
    if not response.is_json:
        return False
    actual: object = MISSING
    with suppress(ValueError, RecursionError):
        actual = inside(response.json(), fact.path)
    if actual is MISSING:
        return False
    if fact.kind == "json":
        return _matches(fact.value, actual)
    if fact.kind == "nan":
        return isinstance(actual, float) and math.isnan(actual)
    if fact.kind == "json-keys":
        return isinstance(actual, dict) and sorted(map(str, actual)) == fact.value
    if fact.kind == "length":
        return isinstance(actual, (list, dict, str)) and len(actual) == fact.value
    return isinstance(actual, str) and str(fact.value) in actual


def _matches(expected: object, actual: object) -> bool:
    """Say whether a value is as expected, where variables and unstable parts may be anything."""
    if isinstance(expected, (Unstable, Expression)):
        return True
    if isinstance(expected, dict) and isinstance(actual, dict):
        same = expected.keys() == actual.keys()
        return same and all(_matches(part, actual[key]) for key, part in expected.items())
    if isinstance(expected, list) and isinstance(actual, list):
        same = len(expected) == len(actual)
        return same and all(map(_matches, expected, actual))
    return expected == actual
