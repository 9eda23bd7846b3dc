"""Moves the values of a call by what two compared values lack, without knowing how they came about.

    left = limit - sum(amounts); if left == 0       20 are left: some amount grows by 20
    if other.last == booking.first                  two days too early: first and last move on

Where the code computes with what was sent, no compared value equals a sent one, and there are no
hints.  But a sum, a rest or a number of days mostly changes by as much as one of its parts.  Values
of one kind often move together, because their order matters: a stay ends after it begins.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from datetime import date
from datetime import timedelta
from math import isfinite
from typing import TypeAlias

from pytest_evosearch.core.comparison_signs import MIRRORED
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.inference import gene_for_text
from pytest_evosearch.genes.temporal import TemporalGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.links import unwrapped
from pytest_evosearch.problem.http.filling.adoption import holding
from pytest_evosearch.problem.http.filling.hints import Evidence
from pytest_evosearch.problem.http.filling.sent_values import Sent
from pytest_evosearch.problem.http.filling.sent_values import is_link
from pytest_evosearch.problem.http.filling.sent_values import sent_values

Step: TypeAlias = "int | float | timedelta"

TOGETHER_SHARE = 0.5
"""How often all values of one kind in a call move."""

BEYOND_SHARE = 0.25
"""How often a step is one longer: ``<`` wants more than equality."""

FARTHEST = 2**53
"""Greatest step of a number."""

_UNMOVED = (Location.ROW, Location.ANSWER, Location.FILE)


def steps_to(comparisons: Iterable[Comparison]) -> list[Step]:
    """Return what compared numbers and moments lack to be equal."""
    return [step for one in comparisons for step in _lacking(one)]


def _lacking(comparison: Comparison) -> Iterator[Step]:
    observed, wanted = comparison.observed, comparison.wanted
    if comparison.relation not in MIRRORED or type(observed) is not type(wanted):
        return
    if isinstance(observed, date) and isinstance(wanted, date):
        try:
            step = wanted - observed
        except TypeError:  # one of them has a time zone
            return
        if step:
            yield step
    elif type(observed) in (int, float) and isinstance(wanted, (int, float)):
        lacking = wanted - observed  # type: ignore[operator]
        if lacking and isfinite(lacking) and abs(lacking) <= FARTHEST:
            yield lacking


def moved(evidence: Evidence, steps: Sequence[Step], rng: Random) -> Individual | None:
    """Return a copy of its test where a value, or all of its kind in one call, moved by a step.

    None where nothing can be moved.
    """
    step = _drawn(rng.choice(steps), rng)
    individual = evidence.individual
    by_call: dict[int, list[tuple[Sent, Gene]]] = {}
    for sent in sent_values(individual, evidence.exchanges):
        gene = _moved_gene(sent, step)
        if gene is not None and gene != sent.gene:
            by_call.setdefault(sent.call, []).append((sent, gene))
    if not by_call:
        return None
    index, found = rng.choice(list(by_call.items()))
    if rng.random() >= TOGETHER_SHARE:
        found = [rng.choice(found)]
    call = individual.calls[index]
    for sent, gene in found:
        given = next(one for one in call.inputs if one.key == sent.key)
        call = call.with_input(given.with_gene(replaced(given.gene, sent.gene_path, gene)))
    return individual.with_call(index, call)


def _drawn(step: Step, rng: Random) -> Step:
    """Return a step, or one that is a little longer, in either direction."""
    if rng.random() < BEYOND_SHARE:
        step = step + timedelta(days=1) if isinstance(step, timedelta) else step + 1
    return -step if rng.random() < 0.5 else step


def _moved_gene(sent: Sent, step: Step) -> Gene | None:
    """Return a gene that holds the moved value; a linked number is mostly an id, and stays."""
    value, is_moment = sent.value, isinstance(step, timedelta)
    if sent.key[0] in _UNMOVED or (is_link(sent.gene) and not is_moment):
        return None
    changed: object = None
    if isinstance(value, str):
        changed = _moved_text(value, step)
    elif isinstance(value, (int, float)) and not isinstance(value, (bool, timedelta)):
        changed = None if isinstance(step, timedelta) else value + step
    return None if changed is None else holding(unwrapped(sent.gene), changed, sent.key[0])


def _moved_text(text: str, step: Step) -> str | None:
    if not isinstance(step, timedelta):
        return str(int(text) + int(step)) if text.isascii() and text.isdecimal() else None
    gene = gene_for_text(text)
    moment = gene.parse(text) if isinstance(gene, TemporalGene) else None
    if moment is None or not isinstance(gene, TemporalGene):
        return None
    try:
        return gene.spell(moment + step)
    except OverflowError:
        return None
