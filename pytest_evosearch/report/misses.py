"""The nearest miss of a target, in words: what was compared with what, in which calls."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.instrument.trace import Comparison
from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Observation
from pytest_evosearch.problem.http.exchange import Request
from pytest_evosearch.report.curl import path_of
from pytest_evosearch.report.reasons import subject_of

LONGEST_VALUE = 60
"""Characters of a value that are shown; enough to see what is wrong with it."""

MOST_CALLS = 4
"""Calls of the closest test that are shown, its last ones."""

LONGEST_COLLECTION = 200
"""Characters of a collection that are shown."""

MOST_MEMBERS = 4
"""Members of a collection that are shown."""

_SCALARS = (str, int, float, bytes, bool, type(None))


def nearest_miss(target: TargetId, observation: Observation) -> str:
    """Say how close `observation`, the closest test to `target`, came; one line.

    ``compared 'archivd' == 'archived'; POST /news {"status": "archivd"} -> 400``
    """
    comparison = _comparison_of(target, observation.comparisons)
    compared = [_in_words(comparison)] if comparison is not None else []
    return "; ".join([*compared, _calls(observation.exchanges)])


def _comparison_of(target: TargetId, comparisons: Sequence[Comparison]) -> Comparison | None:
    """Return the last comparison for `target`, else the last one on its line.

    The parts of ``a and b`` have targets of their own, which the comparisons name.
    """
    exact = [one for one in comparisons if one.target == target]
    place = subject_of(target)[:2]
    near = [one for one in comparisons if subject_of(one.target)[:2] == place]
    return next(iter([*exact[-1:], *near[-1:]]), None)


def _in_words(comparison: Comparison) -> str:
    observed, wanted = shown(comparison.observed), shown(comparison.wanted)
    if comparison.relation == "key":
        return f"{observed} was not among the keys {wanted}"
    if comparison.relation == "parse":
        return f"{observed} was read as {comparison.wanted}"
    if comparison.relation == "match":
        return f"{observed} was matched against {wanted}"
    if comparison.wanted is None and comparison.relation.isidentifier():
        return f"{observed} was asked for {comparison.relation}()"
    return f"compared {observed} {comparison.relation} {wanted}"


def shown(value: object) -> str:
    """Return `value` as text of bounded length, without running code of the application."""
    if type(value) in _SCALARS:
        return _shortened(repr(value))
    if type(value) in (tuple, list, frozenset, set):
        members = list(value)[:MOST_MEMBERS]  # type: ignore[call-overload]
        more = ["..."] if len(value) > MOST_MEMBERS else []  # type: ignore[arg-type]
        return _shortened(f"({', '.join([*map(shown, members), *more])})", LONGEST_COLLECTION)
    return f"<{type(value).__name__}>"


def _shortened(text: str, longest: int = LONGEST_VALUE) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _calls(exchanges: Sequence[Exchange]) -> str:
    earlier = len(exchanges) - MOST_CALLS
    before = [f"{earlier} calls"] if earlier > 0 else []
    return " then ".join([*before, *(_call(one) for one in exchanges[-MOST_CALLS:])])


def _call(exchange: Exchange) -> str:
    request = exchange.request
    user = f" as {exchange.user}" if exchange.user is not None else ""
    outcome = exchange.status or "no answer"
    return f"{request.method} {_shortened(path_of(request))}{_body(request)}{user} -> {outcome}"


def _body(request: Request) -> str:
    if request.has_json:
        try:
            return f" {_shortened(json.dumps(request.json))}"
        except (TypeError, ValueError):
            return f" {shown(request.json)}"
    if request.form:
        return f" {_shortened('&'.join(f'{name}={value}' for name, value in request.form))}"
    return f" {shown(request.text)}" if request.text is not None else ""
