"""What a document says of values is obeyed by most samples, and broken by some mutants."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from pytest_evosearch.problem.http.composing import mutation
from pytest_evosearch.problem.http.descriptions.schema import endpoints_from_openapi
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.problem.http.http_problem import HttpProblem

FIELDS = {
    "count": {"type": "integer", "minimum": 3, "maximum": 9},
    "name": {"type": "string", "minLength": 2, "maxLength": 5},
    "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "day": {"type": "string", "format": "date"},
    "kind": {"type": "string", "enum": ["red", "green"]},
}

BROKEN = {
    "count": {"below", "above", "no number"},
    "name": {"short", "long"},
    "code": {"pattern"},
    "day": {"format"},
    "kind": {"option"},
}
LEAST_OBEDIENT = 0.8
WRONG_SHARE = 0.5
"""Wrong values are rare in a search; here they are what is looked at."""
MUTANTS = 700


def problem_of(location: str) -> HttpProblem:
    operation: dict[str, object] = {}
    if location in ("form", "json"):
        media = {"form": "application/x-www-form-urlencoded", "json": "application/json"}[location]
        schema = {"type": "object", "required": list(FIELDS), "properties": FIELDS}
        operation["requestBody"] = {"required": True, "content": {media: {"schema": schema}}}
    else:
        operation["parameters"] = [
            {"name": name, "in": location, "required": True, "schema": schema}
            for name, schema in FIELDS.items()
        ]
    path = "/".join(("", *(f"{{{name}}}" for name in FIELDS))) if location == "path" else "/things"
    document = {"openapi": "3.0.0", "paths": {path: {"post": operation}}}
    return HttpProblem(endpoints_from_openapi(document).endpoints)


def sent(request: Request, location: str) -> dict[str, object]:
    """Return the values that a request carries at a location; missing ones are left out."""
    if location == "path":
        return dict(request.path)
    if location == "json":
        return dict(request.json) if isinstance(request.json, dict) else {}
    held = {"query": request.query, "header": request.headers, "form": request.form}[location]
    return dict(held)


def violations(name: str, value: object) -> Iterator[str]:
    text = str(value)
    if name == "count":
        number = int(text) if re.fullmatch(r"-?\d+", text) else None
        if number is None:
            yield "no number"
        elif not 3 <= number <= 9:
            yield "below" if number < 3 else "above"
    if name == "name" and not 2 <= len(text) <= 5:
        yield "short" if len(text) < 2 else "long"
    if name == "code" and not re.fullmatch("[A-Z]{3}", text):
        yield "pattern"
    if name == "kind" and text not in ("red", "green"):
        yield "option"
    if name == "day":
        day = None
        with suppress(ValueError):
            day = datetime.date.fromisoformat(text)
        if day is None:
            yield "format"


def requests_of(problem: HttpProblem, individual) -> list[Request]:
    model = problem.known.model
    return [build_request(call, model.endpoint(call.endpoint), []) for call in individual.calls]


@pytest.mark.parametrize("location", ["path", "query", "header", "form", "json"])
def test_samples_obey_most_of_the_time(location) -> None:
    problem, rng = problem_of(location), Random(1)
    judged = [
        not list(violations(name, value))
        for _ in range(200)
        for request in requests_of(problem, problem.sample(rng))
        for name, value in sent(request, location).items()
    ]
    assert len(judged) > 500
    assert sum(judged) >= LEAST_OBEDIENT * len(judged)


@pytest.mark.parametrize("location", ["path", "query", "header", "form", "json"])
def test_mutants_break_each_constraint(monkeypatch, location) -> None:
    monkeypatch.setattr(mutation, "_WRONG_TYPE_SHARE", WRONG_SHARE)
    problem, rng = problem_of(location), Random(1)
    broken: dict[str, set[str]] = {name: set() for name in FIELDS}
    missing = set()
    for _ in range(MUTANTS):
        mutant = problem.mutate(problem.sample(rng), rng, None)
        for request in requests_of(problem, mutant):
            values = sent(request, location)
            missing |= FIELDS.keys() - values.keys()
            for name, value in values.items():
                if name in FIELDS:
                    broken[name].update(violations(name, value))
    assert broken == BROKEN
    assert missing == (set() if location == "path" else set(FIELDS))
