"""Values that a schema shows: examples and defaults; a gene begins with the first."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from datetime import date
from datetime import time
from typing import TypeAlias

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.choice import same

Schema: TypeAlias = Mapping[str, object]

LARGEST_SUGGESTIONS = 10

DEEPEST_EXAMPLE = 20


def suggestions_of(schema: Schema) -> list[object]:
    """Return the examples, then the default, of a schema or a parameter."""
    values = [schema[word] for word in ("example", "x-example") if word in schema]
    examples = schema.get("examples")
    if isinstance(examples, list):
        values += examples
    elif isinstance(examples, Mapping):
        values += [
            given["value"] if isinstance(given, Mapping) and "value" in given else given
            for given in examples.values()
        ]
    if "default" in schema:
        values.append(schema["default"])
    distinct: list[object] = []
    for value in map(as_json, values):
        if value is not None and not any(same(value, known) for known in distinct):
            distinct.append(value)
    return distinct[:LARGEST_SUGGESTIONS]


def as_json(value: object, depth: int = DEEPEST_EXAMPLE) -> object:
    """Return `value` without the dates that YAML makes from unquoted texts."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    if depth and isinstance(value, Mapping):
        return {str(name): as_json(item, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list):
        return [as_json(item, depth - 1) for item in value]
    return value


def with_suggestions(gene: Gene, values: Sequence[object]) -> Gene:
    """Return `gene` with the first of `values`; it sometimes draws the others.

    Objects and arrays only hold the first value; mutation varies the scalars inside them.
    """
    for value in values:
        if isinstance(gene, EnumGene) and not any(same(value, known) for known in gene.options):
            continue
        adopted = gene.adopt(value)
        if adopted is not None:
            gene = adopted
            break
    if not values or not gene.takes_suggestions:
        return gene
    fitting = tuple(value for value in values if gene.adopt(value) is not None)
    return SuggestedGene(gene, fitting) if fitting else gene
