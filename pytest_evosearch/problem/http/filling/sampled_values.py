"""Values of inputs that a call draws anew."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.text import TextGene

_FIRST_ALTERNATIVE_SHARE = 0.85

_NUMBER_AS_TEXT_SHARE = 0.1


@singledispatch
def sampled(gene: Gene, rng: Random) -> Gene:
    """Sample a gene; a choice mostly keeps its first alternative, the likeliest type."""
    return gene.sample(rng)


@sampled.register
def _sampled_choice(gene: ChoiceGene, rng: Random) -> Gene:
    if not gene.alternatives or rng.random() >= _FIRST_ALTERNATIVE_SHARE:
        return gene.sample(rng)
    first = gene.alternatives[0].sample(rng)
    return replace(gene, alternatives=(first, *gene.alternatives[1:]), index=0)


@sampled.register
def _sampled_text(gene: TextGene, rng: Random) -> Gene:
    is_number = rng.random() < _NUMBER_AS_TEXT_SHARE
    return gene.holding(str(rng.randrange(-2, 12))) if is_number else gene.sample(rng)
