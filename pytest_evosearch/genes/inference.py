"""The gene for a value that was seen, and the union of two genes for the same thing."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.formatted import FormattedGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.records import Field
from pytest_evosearch.genes.records import ObjectGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.scalars import NullGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene

LARGEST_DEPTH = 12
"""Levels of a seen value that become genes of their own; what lies deeper is constant."""

RECOGNISED: tuple[FormattedGene, ...] = (
    DateGene(),
    DateTimeGene(),
    TimeGene(),
    UuidGene(),
    EmailGene(),
    UrlGene(),
)
"""Formats that a text is tried against, in order; their languages do not overlap."""


def gene_for(value: object, depth: int = LARGEST_DEPTH) -> Gene:
    """Return a gene of the type of `value` that holds it.

    Text in a well-known format gets the format's gene, null a gene that may be null.
    """
    if value is None:
        return NullableGene(TextGene(), null=True)
    if isinstance(value, bool):
        return BooleanGene(value)
    if isinstance(value, int):
        return IntegerGene(current=value)
    if isinstance(value, float):
        return FloatGene(special=False, current=value)
    if isinstance(value, str):
        return gene_for_text(value)
    if isinstance(value, (bytes, bytearray)):
        return BytesGene(current=bytes(value))
    if depth > 0 and isinstance(value, Mapping):
        fields = [
            Field(str(name), gene_for(item, depth - 1), required=False)
            for name, item in value.items()
        ]
        return ObjectGene(_with_unique_names(fields))
    if depth > 0 and isinstance(value, (list, tuple)):
        return _gene_for_sequence(value, depth)
    return ConstantGene(value)


def gene_for_text(text: str) -> Gene:
    """Return the gene of the format that `text` has, a text gene when it has none."""
    for recognised in RECOGNISED:
        if recognised.is_well_formed(text):
            return recognised.holding(text)
    return TextGene(current=text)


def _with_unique_names(fields: Sequence[Field]) -> tuple[Field, ...]:
    # Only a mapping with keys such as 1 and "1" has two of a name; the later one wins, as in JSON.
    return tuple({given.name: given for given in fields}.values())


def _gene_for_sequence(values: Sequence[object], depth: int) -> Gene:
    elements = tuple(gene_for(item, depth - 1) for item in values)
    template: Gene = elements[0] if elements else TextGene()
    for element in elements[1:]:
        template = merged_gene(template, element)
    return ArrayGene(template, elements=elements)


def merged_gene(known: Gene, seen: Gene) -> Gene:
    """Return a gene for everything that `known` or `seen` stand for; `known` wins ties.

    Objects get the fields of both (one-sided fields become optional), arrays the union of
    their templates, null makes nullable; else the more specific of the two is kept.
    """
    if isinstance(known, OptionalGene):
        inner = seen.gene if isinstance(seen, OptionalGene) else seen
        return replace(known, gene=merged_gene(known.gene, inner))
    if isinstance(seen, OptionalGene):
        return merged_gene(known, seen.gene)
    if isinstance(known, SuggestedGene) or isinstance(seen, SuggestedGene):
        return _merged_suggestions(known, seen)
    if _may_be_null(known) or _may_be_null(seen):
        return _merged_nullable(known, seen)
    if isinstance(known, ObjectGene) and isinstance(seen, ObjectGene):
        return _merged_objects(known, seen)
    if isinstance(known, ArrayGene) and isinstance(seen, ArrayGene):
        template = merged_gene(known.template, seen.template)
        return replace(known, template=template, elements=known.elements or seen.elements)
    if isinstance(known, IntegerGene) and type(seen) is FloatGene and known == IntegerGene():
        return seen
    return seen if specificity(seen) > specificity(known) else known


def _may_be_null(gene: Gene) -> bool:
    return isinstance(gene, (NullGene, NullableGene))


def _merged_suggestions(known: Gene, seen: Gene) -> Gene:
    values: list[object] = []
    inner = []
    for gene in (known, seen):
        suggestions = gene.suggestions if isinstance(gene, SuggestedGene) else ()
        values += [new for new in suggestions if not any(same(new, value) for value in values)]
        inner.append(gene.gene if isinstance(gene, SuggestedGene) else gene)
    merged = merged_gene(inner[0], inner[1])
    if not isinstance(known, SuggestedGene):
        # What was suggested for the less known gene is a better start than any default.
        merged = merged.adopt(values[0]) or merged if values else merged
    return SuggestedGene(merged, tuple(values))


def _merged_nullable(known: Gene, seen: Gene) -> Gene:
    present = [
        gene.gene if isinstance(gene, NullableGene) else gene
        for gene in (known, seen)
        if not isinstance(gene, NullGene)
    ]
    if not present:
        return known
    inner = present[0] if len(present) == 1 else merged_gene(present[0], present[1])
    return NullableGene(inner, null=isinstance(known, NullableGene) and known.null)


def _merged_objects(known: ObjectGene, seen: ObjectGene) -> ObjectGene:
    fields = []
    for given in (*known.fields, *known.extras):
        other = seen.field(given.name)
        if other is None:
            fields.append(given)
        else:
            fields.append(replace(given, gene=merged_gene(given.gene, other.gene)))
    declared = [given.name for given in fields]
    fields += [
        Field.optional(given.name, given.gene)
        for given in (*seen.fields, *seen.extras)
        if given.name not in declared
    ]
    additional = known.additional if known.additional is not None else seen.additional
    return ObjectGene(tuple(fields), additional)


def specificity(gene: Gene) -> int:
    """Return how much `gene` says about its values; more is more specific.

    0 nothing, 1 any text, 2 text within limits, 3 a scalar type, 4 a type within limits or a
    format, 5 an enumeration, 6 an object or array.
    """
    if isinstance(gene, (OptionalGene, NullableGene, SuggestedGene)):
        return specificity(gene.gene)
    if isinstance(gene, (NullGene, ConstantGene)):
        return 0
    if isinstance(gene, ChoiceGene):
        # A union says no more than the most general of its members.
        return min(map(specificity, gene.alternatives), default=0)
    if isinstance(gene, TextGene):
        return 1 if gene == TextGene(current=gene.current) else 2
    if isinstance(gene, (IntegerGene, FloatGene)):
        limited = gene.minimum is not None or gene.maximum is not None
        return 4 if limited or gene.multiple_of else 3
    if isinstance(gene, BooleanGene):
        return 3
    if isinstance(gene, EnumGene):
        return 5
    return 6 if isinstance(gene, (ObjectGene, ArrayGene)) else 4
