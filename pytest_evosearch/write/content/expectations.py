"""Expected behaviour instead of a fault, as in ``assert "Allow" in response.headers``."""

from __future__ import annotations

from pytest_evosearch.core.comparison_signs import NEGATED
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.write.code.layout import Comparison
from pytest_evosearch.write.code.literals import Atom
from pytest_evosearch.write.code.literals import Node
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.code.literals import quoted
from pytest_evosearch.write.code.literals import subscripts


def is_writable(expectation: Expectation) -> bool:
    """Say whether a response shows the expectation, so that a test can assert it."""
    return expectation.kind != "unseen"


def expected_subject(
    expectation: Expectation, variable: str, client: str, *, holds: bool = True
) -> Comparison | Node:
    """Return the subject of an ``assert``; without `holds` its opposite, which is true today."""
    comparison = _comparison(expectation, variable, client)
    if isinstance(comparison, Comparison):
        operator = comparison.operator if holds else NEGATED[comparison.operator]
        return Comparison(comparison.left, operator, comparison.right)
    return Atom(comparison if holds else f"not {comparison}")


def _comparison(expectation: Expectation, variable: str, client: str) -> Comparison | str:
    kind, value = expectation.kind, expectation.value
    if kind.startswith("json"):
        return _json_comparison(expectation, f"{variable}.json{subscripts(expectation.path)}")
    text, status = Atom(f"{variable}.text"), Atom(f"{variable}.status_code")
    if kind == "lacks":
        return Comparison(node_of(value), "not in", text)
    if kind == "lacks-setting":
        setting = Atom(f"{client}.application.config[{quoted(str(value))}]")
        return Comparison(setting, "not in", text)
    if kind == "header":
        return Comparison(node_of(value), "in", Atom(f"{variable}.headers"))
    if kind == "empty":
        return Comparison(Atom(f"{variable}.data"), "==", Text(b""))
    if kind == "status-in":
        return Comparison(status, "in", node_of(value))
    if kind == "location-is-not":
        return Comparison(Atom(f"{variable}.location"), "!=", node_of(value))
    if kind == "status-is-not":
        return Comparison(status, "!=", node_of(value))
    return Comparison(status, "<", node_of(value))


def _json_comparison(expectation: Expectation, place: str) -> Comparison | str:
    kind, value = expectation.kind, expectation.value
    if kind == "json-type":
        names = [str(name) for name in value] if isinstance(value, tuple) else [str(value)]
        types = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"isinstance({place}, {types})"
    if kind == "json-has":
        return Comparison(node_of(value), "in", Atom(place))
    if kind == "json-lacks":
        return Comparison(node_of(value), "not in", Atom(place))
    if kind == "json-in":
        return Comparison(Atom(place), "in", node_of(value))
    if kind == "json-length":
        return Comparison(Atom(f"len({place})"), "==", node_of(value))
    plain = value is None or isinstance(value, bool)  # linters require `is` here
    if kind == "json-is-not":
        return Comparison(Atom(place), "is not" if plain else "!=", node_of(value))
    return Comparison(Atom(place), "is" if plain else "==", node_of(value))
