"""Draws what a service answers: mostly what is ordinary, with what the application reads."""

from __future__ import annotations

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.service_answers import with_status

_AS_LEARNT_SHARE = 0.3
"""How often an answer is the learnt one, with its unique values."""

_ORDINARY_SHARE = 0.6
"""How often an answer with drawn values is a success."""


def drawn_answer(gene: Gene, rng: Random, preset: bool) -> Gene:
    """Return an answer: as it was learnt, a success with drawn values, or any."""
    if preset or rng.random() < _AS_LEARNT_SHARE:
        return gene
    drawn = gene.sample(rng)
    return with_status(drawn, gene) if rng.random() < _ORDINARY_SHARE else drawn


def lacks_places(given: Gene, known: Gene) -> bool:
    """Say whether an answer has no place for something that was read of other answers."""
    return not _places(known) <= _places(given)


def _places(gene: Gene) -> set[tuple[str | int, ...]]:
    return {path for path, _gene_path, _leaf in leaves(gene.with_all_present())}
