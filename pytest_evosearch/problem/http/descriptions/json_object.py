"""Changes fields of the JSON object that a call sends, from outside its gene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call

LEFT_OUT = object()
"""Value that removes a field from the request."""


def with_fields(call: Call, values: Mapping[str, object]) -> Call | None:
    """Return `call` with these fields in its JSON object, None when it sends no object."""
    for given in call.inputs:
        if given.location is Location.JSON:
            gene = _with_fields(given.gene, values)
            return None if gene is None else call.with_input(replace(given, gene=gene))
    return None


def fields_of(gene: Gene) -> dict[str, object]:
    """Return the default values of all fields of the outermost object, including inactive ones."""
    parts = next((inside.named_parts() for _path, inside in walk(gene) if inside.named_parts()), {})
    return {name: part.sent().value() for name, part in parts.items()}


def _with_fields(root: Gene, values: Mapping[str, object]) -> Gene | None:
    for path, gene in walk(root):
        if isinstance(gene, ObjectGene):
            kept = tuple(one for one in gene.fields if one.name not in values)
            extras = tuple(one for one in gene.extras if one.name not in values)
            added = tuple(
                Field(name, ConstantGene(value))
                for name, value in values.items()
                if value is not LEFT_OUT
            )
            return replaced(root, path, replace(gene, fields=kept, extras=(*extras, *added)))
        if gene.children() and not gene.is_wrapper:
            return None
    return None
