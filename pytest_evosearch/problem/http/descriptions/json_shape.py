"""Grows the gene tree of a JSON body, one recorded key path at a time."""

from __future__ import annotations

import re
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash

DEEPEST = 6
"""Most levels of a body that are followed; recursive handlers would build endless genes."""

SOME_OBJECT = ObjectGene(
    fields=(Field("a", OptionalGene(TextGene(current="a"), True), required=False),)
)
"""An object with some member, until one is known.

``get_json() or {}`` replaces an empty object, and nothing shows what is read of the other one.
"""

_QUOTED = re.compile(r"'(\w+)'")
"""A name in a message of Python: ``missing 2 required positional arguments: 'a' and 'b'``."""

_NULL = re.compile(
    r"NOT NULL constraint failed: \w+\.(\w+)"
    r'|null value in column "(\w+)"'
    r"|(?:Column|Field) '(\w+)' (?:cannot be null|doesn't have a default value)"
)
"""Messages of SQLite, PostgreSQL and MariaDB about a column without a value."""


def missing_members(crash: Crash | None) -> list[str]:
    """Return the names of arguments or columns that lacked a value, as a message says."""
    if crash is None:
        return []
    if crash.type_name == "TypeError" and " missing " in crash.message:
        return _QUOTED.findall(crash.message)
    found = _NULL.search(crash.message)
    return [name for name in found.groups() if name] if found is not None else []


def with_leaf(gene: Gene | None, path: Path, leaf: Gene) -> Gene:
    """Return `gene` with a new `leaf` at `path`.

    Existing places stay unchanged; a scalar on the path becomes an object or an array.  The first
    known member takes the place of that of `SOME_OBJECT`.
    """
    if not path or len(path) > DEEPEST:
        return leaf if gene is None else gene
    around = gene and gene.with_inside(lambda inside: with_leaf(inside, path, leaf))
    if around is not None:
        return around
    if isinstance(gene, ChoiceGene) and gene.alternatives:
        return _grown_choice(gene, path, leaf)
    if isinstance(path[0], int):
        return _grown_array(gene, path, leaf)
    return _grown_object(gene, path, leaf)


def _grown_choice(gene: ChoiceGene, path: Path, leaf: Gene) -> Gene:
    wanted = ArrayGene if isinstance(path[0], int) else ObjectGene
    for index, alternative in enumerate(gene.alternatives):
        if isinstance(alternative, wanted):
            changed = list(gene.alternatives)
            changed[index] = with_leaf(alternative, path, leaf)
            return replace(gene, alternatives=tuple(changed))
    return with_leaf(None, path, leaf)


def _grown_array(gene: Gene | None, path: Path, leaf: Gene) -> Gene:
    if not isinstance(gene, ArrayGene):
        element = with_leaf(None, path[1:], leaf)
        return ArrayGene(template=element, elements=(element,))
    template = with_leaf(gene.template, path[1:], leaf)
    return replace(gene, template=template, elements=gene.elements or (template,))


def _grown_object(gene: Gene | None, path: Path, leaf: Gene) -> Gene:
    name, rest = str(path[0]), path[1:]
    if not isinstance(gene, ObjectGene) or gene == SOME_OBJECT:
        gene = ObjectGene()
    known = gene.field(name)  # also an extra field: each name occurs once
    if known is not None:
        changed = with_leaf(known.gene, rest, leaf) if rest else known.gene
        return gene.with_child(name, changed)
    made = Field(name, OptionalGene(with_leaf(None, rest, leaf), True), required=False)
    return replace(gene, fields=(*gene.fields, made))
