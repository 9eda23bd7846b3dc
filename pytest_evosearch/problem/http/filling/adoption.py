"""Puts a value into a call, wherever its gene is and whatever type it has now."""

from __future__ import annotations

from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.problem.http.descriptions.guesses import gene_holding
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene
from pytest_evosearch.problem.http.filling.hints import Hint

_GROWING = (Location.JSON, Location.ANSWER)
"""Locations of documents, in which types matter and places may be added."""


def applied(
    individual: Individual, hint: Hint, model: EndpointModel, rng: Random
) -> Individual | None:
    """Return `individual` with the hint's value in place, or None when there is no place."""
    index = _index_of(individual, hint)
    if index is None:
        return None
    call = individual.calls[index]
    given = next((known for known in call.inputs if known.key == hint.key), None)
    if given is None:
        given = _added(call, hint, model)
        if given is None:
            return None
    gene = _changed(given, hint, rng)
    if gene is None or (gene == given.gene and given in call.inputs):
        return None
    return individual.with_call(index, call.with_input(replace(given, gene=gene)))


def _index_of(individual: Individual, hint: Hint) -> int | None:
    calls = individual.calls
    if hint.call < len(calls) and calls[hint.call].endpoint == hint.endpoint:
        return hint.call
    for index in range(len(calls) - 1, -1, -1):
        if calls[index].endpoint == hint.endpoint:
            return index
    return None


def _added(call: Call, hint: Hint, model: EndpointModel) -> Input | None:
    """Return an input that the call lacks, in the form that its endpoint is known to take."""
    if call.endpoint not in model:
        return None
    parameter = model.parameter(call.endpoint, hint.key)
    if parameter is None:
        return None
    return Input(parameter.location, parameter.name, parameter.gene)


def _changed(given: Input, hint: Hint, rng: Random) -> Gene | None:
    root = given.gene
    path: Path | None = hint.gene_path
    if hint.value_path or not path:
        path = _present_path(root, hint)
    if path is None:
        return _grown(root, hint, rng)
    try:
        present = at(root, path)
    except KeyError:
        return None
    gene = _replacement(present, given.location, hint, rng)
    if gene is None:
        return None
    return _put(root, path, gene)


def _present_path(root: Gene, hint: Hint) -> Path | None:
    """Return the hint's gene path where it still exists, otherwise search for its value."""
    if hint.gene_path:
        try:
            at(root, hint.gene_path)
        except KeyError:
            pass
        else:
            return hint.gene_path
    return find(root, hint.value_path)


def _grown(root: Gene, hint: Hint, rng: Random) -> Gene | None:
    """Add a place to a body that lacks it."""
    if not hint.value_path or hint.key[0] not in _GROWING:
        return None
    leaf = hint.gene.sample(rng) if hint.gene is not None else gene_holding(hint.value)
    body = with_leaf(root, hint.value_path, leaf)
    path = find(body, hint.value_path)
    if path is None:
        # The field is known but inactive: activate it with the value.
        path = _switched_off_path(body, hint.value_path)
    if path is None:
        return None
    try:
        return replaced(body, path, leaf)
    except KeyError:  # the place now holds another type than an object
        return None


def _switched_off_path(body: Gene, value_path: tuple[str | int, ...]) -> Path | None:
    parent = find(body, value_path[:-1])
    if parent is None:
        return None
    path = (*parent, value_path[-1])
    try:
        at(body, path)
    except KeyError:  # the place was made in an alternative that is not chosen
        return None
    return path


def _replacement(present: Gene, location: Location, hint: Hint, rng: Random) -> Gene | None:
    if location is Location.ROW:
        return _of_column(present, hint.value if hint.gene is None else hint.gene.value())
    if hint.gene is not None:
        gene = hint.gene.sample(rng) if isinstance(hint.gene, RegexGene) else hint.gene
        if isinstance(present, SegmentGene) and isinstance(gene, RegexGene):
            return present.adopt(gene.value())
        return gene
    return holding(present, hint.value, location)


def _of_column(present: Gene, value: object) -> Gene | None:
    """Return a gene with `value` as a column accepts it, None where it does not."""
    if isinstance(present, ObjectGene):
        return None  # the whole row
    longest = getattr(present, "maximum_length", None)
    if longest is not None and isinstance(value, str) and len(value) > longest:
        return None
    return present.adopt(value)


def holding(present: Gene, value: object, location: Location) -> Gene | None:
    """Return a gene like `present` that holds exactly `value`, or None when nothing can.

    In JSON the type matters: "5" cannot replace 5.
    """
    adopted = present.adopt(value)
    if adopted is not None:
        held = adopted.value()
        same = held == value and isinstance(held, bool) == isinstance(value, bool)
        typed = location in _GROWING
        if same or not typed or isinstance(held, Link) or held is ABSENT:
            return adopted
    if isinstance(present, SegmentGene):
        return adopted
    if location is Location.PATH and not _routes(value):
        return None
    return gene_holding(value)


def _routes(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and "/" not in value)


def at(root: Gene, path: Path) -> Gene:
    """Return the descendant at `path`; raise KeyError without one."""
    for key in path:
        for known, child in root.children():
            if known == key:
                root = child
                break
        else:
            raise KeyError(key)
    return root


def _put(root: Gene, path: Path, gene: Gene) -> Gene:
    """Replace a descendant; a choice on the path may adopt the new gene."""
    if path and isinstance(parent := at(root, path[:-1]), ChoiceGene):
        adopted = parent.adopt(gene.value()) if not isinstance(gene.value(), Link) else None
        if adopted is not None and adopted.value() == gene.value():
            return replaced(root, path[:-1], adopted)
    return replaced(root, path, gene)
