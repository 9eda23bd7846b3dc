"""Down a gene tree to what is described at a place, whether anything is there now or not."""

from __future__ import annotations

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.visit import ValuePath


def described_gene(root: Gene, value_path: ValuePath) -> Gene | None:
    """Return the gene for the value at a path, None where nothing is said of it.

    Of a choice it is the first alternative that says something.
    """
    if isinstance(root, (OptionalGene, NullableGene, SuggestedGene)):
        return described_gene(root.gene, value_path)
    if isinstance(root, ChoiceGene):
        found = (described_gene(one, value_path) for one in root.alternatives)
        return next((gene for gene in found if gene is not None), None)
    if not value_path:
        return root
    key, *below = value_path
    if isinstance(root, ArrayGene):
        return described_gene(root.template, tuple(below))
    field = root.field(str(key)) if isinstance(root, ObjectGene) else None
    return None if field is None else described_gene(field.gene, tuple(below))
