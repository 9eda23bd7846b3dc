"""Finds the unstable part of a response behind a failed assertion."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from typing import TypeGuard
from unittest.mock import ANY

from pytest_evosearch.problem.http.exchanges.xml_places import XML
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.specimen import FactPath
from pytest_evosearch.write.verification.verdicts import Failure

REASON = "changes between runs"

Place = tuple[int, FactPath]
"""Index of the call, and place in its response."""


def unreliable_places(failure: Failure, test: WrittenTest, text: str) -> list[Place]:
    """Return the places of a response that made an assertion of `test` fail.

    `text` is the verified module. The list is empty when no other value would help: the status
    differs, or no assertion failed.
    """
    lines = _assertions(failure, text)
    facts = [(index, fact) for index, call in enumerate(test.calls) for fact in call.facts]
    if failure.line not in lines or len(lines) > len(facts):
        return []
    # Counted from the end: the first ones may be in a fixture that several tests share.
    call, fact = facts[lines.index(failure.line) - len(lines)]
    return [(call, path) for path in _paths(fact, failure)]


def _assertions(failure: Failure, text: str) -> list[int]:
    """Return the lines of the assertions of the failed test."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == failure.test:
            return sorted(one.lineno for one in ast.walk(node) if isinstance(one, ast.Assert))
    return []


def _paths(fact: Fact, failure: Failure) -> Iterator[FactPath]:
    if fact.kind == "json" and failure.sight is not None and not failure.sight.error:
        for path in differences(failure.sight.right, failure.sight.left):
            yield ("json", *fact.path, *path)
    elif fact.kind in ("json", "json-keys", "json-contains", "length", "nan"):
        yield ("json", *fact.path)
    elif fact.kind == "location":
        yield ("header", "Location")
    elif fact.kind == "header":
        yield ("header", *fact.path)
    elif fact.kind.startswith(XML):
        yield (fact.kind, *fact.path)
    elif fact.kind in ("contains", "lacks", "text", "starts", "piece", "piece-starts"):
        yield ("text",)


def differences(expected: object, observed: object) -> Iterator[tuple[str | int, ...]]:
    """Yield the smallest places in which two JSON values differ; () is the whole value."""
    for key, one, other in _pairs(expected, observed):
        for path in differences(one, other):
            yield (key, *path)
    if _alike(expected, observed):
        return
    if expected is not ANY and expected != observed:
        yield ()


def _alike(expected: object, observed: object) -> bool:
    """Say whether two values can be compared part by part."""
    if isinstance(expected, dict) and isinstance(observed, dict):
        return expected.keys() == observed.keys()
    if isinstance(expected, list) and isinstance(observed, list):
        return len(expected) == len(observed)
    return False


def _is_another_order(expected: object, observed: object) -> TypeGuard[list[object]]:
    """Say whether a list has all expected items in another order."""
    if not isinstance(expected, list) or not isinstance(observed, list):
        return False
    wanted = [one for one in expected if one is not ANY]
    is_there = not Counter(map(repr, wanted)) - Counter(map(repr, observed))
    return is_there and expected != observed


def _pairs(expected: object, observed: object) -> Iterator[tuple[str | int, object, object]]:
    if not _alike(expected, observed):
        return
    if _is_another_order(expected, observed):
        yield from ((place, expected, None) for place in range(len(expected)))
    elif isinstance(expected, dict) and isinstance(observed, dict):
        yield from ((str(key), value, observed[key]) for key, value in expected.items())
    elif isinstance(expected, list) and isinstance(observed, list):
        for place, (one, other) in enumerate(zip(expected, observed, strict=True)):
            yield place, one, other
