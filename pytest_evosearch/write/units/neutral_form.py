"""A test of a unit as plain values, without Python: what is called, with what, and what comes."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen


def neutral_form(specimen: UnitSpecimen) -> dict[str, object]:
    """Return the calls of a test and the expected result, as values that JSON can hold."""
    result = specimen.result
    if specimen.relation is not None:
        return {
            "relation": specimen.relation.kind.value,
            "units": [specimen.relation.first.key, specimen.relation.second.key],
            "rows": [neutral_form(one)["calls"] for one in specimen.rows],
        }
    told: dict[str, object] = {
        "calls": [
            {"unit": one.unit, "arguments": _fields(one.values())} for one in specimen.test.calls
        ]
    }
    if result.raised is not None:
        told["raises"] = {"class": _name(result.raised.kind), "message": result.raised.message}
    else:
        told["returns"] = plain_form(result.value)
    if result.changed:
        told["changes"] = _fields(dict(result.changed))
    if result.printed:
        told["prints"] = result.printed
    return told


def plain_form(value: object) -> object:
    """Return a value as JSON can hold it; what is no JSON becomes an object with one key."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, list):
        return [plain_form(one) for one in value]
    if isinstance(value, (tuple, set, frozenset)):
        inside = value if isinstance(value, tuple) else sorted(value, key=repr)
        return {type(value).__name__: [plain_form(one) for one in inside]}
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {"dict": _fields(value)}
        return {"pairs": [[plain_form(key), plain_form(one)] for key, one in value.items()]}
    return _of_recipe(value)


def _of_recipe(value: object) -> object:
    if isinstance(value, Named):
        return {"name": _name(value)}
    if isinstance(value, Made):
        return {
            "call": _name(value.function),
            "arguments": [plain_form(one) for one in value.arguments],
            "keywords": _fields(dict(value.keywords)),
        }
    if isinstance(value, Returning):
        return {"function returning": plain_form(value.result)}
    if isinstance(value, Instance):
        told = {"class": _name(value.kind), "attributes": _fields(dict(value.attributes))}
        elements = value.elements
        return told if elements is None else {**told, "elements": list(map(plain_form, elements))}
    if isinstance(value, Unknown):
        return {"class": _name(value.kind)}
    return {"text": repr(value)}


def _fields(values: Mapping[str, object]) -> dict[str, object]:
    return {name: plain_form(one) for name, one in values.items()}


def _name(named: Named) -> str:
    return f"{named.module}:{named.name}"
