"""Genes of what callers passed, and types that uses show."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.problem.units.hinted_genes import SCALARS
from pytest_evosearch.problem.units.hinted_genes import gene_of_default
from pytest_evosearch.standins.shape import Shape


def is_alike(first: Gene, second: Gene) -> bool:
    """Say whether two genes make objects in the same way, or are of one type."""
    made = (getattr(first, "function", None), getattr(second, "function", None))
    return type(first) is type(second) and made[0] == made[1]


def makes(gene: Gene, kind: str) -> bool:
    """Say whether a gene makes objects of a class of this key."""
    function = getattr(gene, "function", None)
    return isinstance(function, Named) and f"{function.module}:{function.name}" == kind


def gene_among(gene: Gene, others: Sequence[Gene | None]) -> Gene:
    """Return a gene that has the alternatives of others that are not like it."""
    known = [gene]
    for one in others:
        if one is not None and not any(is_alike(one, each) for each in known):
            known.append(one)
    return ChoiceGene(tuple(known), 0) if len(known) > 1 else gene


def gene_of_examples(
    seen: Sequence[object], make: Callable[[type, int], Gene | None]
) -> Gene | None:
    """Return the gene of what callers passed: of its type, or one of the recipes themselves."""
    useful = [one for one in seen if one is not None]
    if not useful:
        return None
    kind = resolved(useful[0].function) if isinstance(useful[0], Made) else None
    if isinstance(kind, type) and kind in SCALARS:
        return SCALARS[kind]
    plain = [one for one in useful if not any(recipes_in(one))]
    if not plain or any(isinstance(one, (Named, Made, Returning)) for one in useful):
        return EnumGene(tuple(useful))
    return gene_of_default(plain[0], make)


def is_shown(shape: Shape) -> bool:
    """Say whether several uses show a type, and some use the type of all that is inside."""
    return shape.uses > 1 and all(inside.kind for inside in shape.inner())
