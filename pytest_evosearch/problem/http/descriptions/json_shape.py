"""Grows the gene tree of a JSON body, one recorded key path at a time."""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
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
    """Return `gene` with what is known of the `leaf` at `path`, too.

    The first known member takes the place of that of `SOME_OBJECT`.
    """
    found = around(path[:DEEPEST], leaf)
    return found if gene is None or gene == SOME_OBJECT else gene.merged(found)


def around(path: Path, leaf: Gene, field: Callable[[str, Gene], Field] = Field.optional) -> Gene:
    """Return the objects and arrays around a `leaf` at `path`; `field` makes their members."""
    for step in reversed(path):
        if isinstance(step, int):
            leaf = ArrayGene(leaf, elements=(leaf,))
        else:
            leaf = ObjectGene((field(step, leaf),))
    return leaf
