"""Edits of calls that several kinds of inquiries make."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

FRESH_TEXT = "evosearch"
"""Text that an update sends: nothing has had this value before."""


def sequence(before: Sequence[Call], *added: Call) -> Individual:
    """Return a test of the calls; repeated calls get labels of their own."""
    calls = list(before)
    for call in added:
        taken = {known.label for known in calls}
        fresh = max((known.label for known in [*before, *added]), default=0) + len(calls) + 1
        calls.append(call if call.label not in taken and call.label else replace(call, label=fresh))
    return Individual(tuple(calls))


def shown_object(exchange: Exchange) -> Mapping[str, object] | None:
    """Return the JSON object of a response; None for any other response."""
    response = exchange.response
    if response is None or not response.is_json:
        return None
    try:
        shown = response.json()
    except ValueError:
        return None
    return shown if isinstance(shown, dict) else None


def with_leaves(given: Input, change: Callable[[ValuePath, Gene], Gene | None]) -> Input:
    """Return an input with its innermost values changed; None leaves a value as it is."""
    gene = given.gene
    for value_path, gene_path, leaf in list(leaves(gene)):
        changed = change(value_path, leaf)
        if changed is not None:
            gene = replaced(gene, gene_path, changed)
    return replace(given, gene=gene)


def with_json_leaves(call: Call, change: Callable[[ValuePath, Gene], Gene | None]) -> Call:
    """Return the call with the innermost values of its JSON body changed."""
    inputs = (
        with_leaves(one, change) if one.location is Location.JSON else one for one in call.inputs
    )
    return replace(call, inputs=tuple(inputs))


def with_fresh_texts(call: Call) -> Call:
    """Return the call with a fresh text for every value of its JSON body."""
    return with_json_leaves(call, _fresh)


def _fresh(value_path: ValuePath, leaf: Gene) -> Gene | None:
    text = leaf.adopt(FRESH_TEXT) if isinstance(leaf.value(), str) else None
    return (text or ConstantGene(current=FRESH_TEXT)) if value_path else None
