"""Finds the gene for a scalar value; `collections.gene_for` handles any value."""

from __future__ import annotations

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.formats import EmailGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.formatted import FormattedGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene
from pytest_evosearch.genes.temporal import TimeGene
from pytest_evosearch.genes.text import TextGene

RECOGNISED: tuple[FormattedGene, ...] = (
    DateGene(),
    DateTimeGene(),
    TimeGene(),
    UuidGene(),
    EmailGene(),
    UrlGene(),
)
"""Formats that a text is tested for, in order; no text has two of them."""


def gene_for_scalar(value: object) -> Gene:
    """Return a gene with the type of `value` that holds it; a constant for a non-scalar."""
    if value is None or value is ABSENT:
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
    return ConstantGene(value)


def gene_for_text(text: str) -> Gene:
    """Return the gene of the format that `text` has, a text gene when it has none."""
    for recognised in RECOGNISED:
        if recognised.is_well_formed(text):
            return recognised.holding(text)
    return TextGene(current=text)
