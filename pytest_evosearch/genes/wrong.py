"""Deliberately wrong values: of another type, or breaking a constraint."""

# ruff: noqa: ARG001 - every way of being wrong is called alike, with the gene and the source
from __future__ import annotations

from collections.abc import Callable

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Wrong
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene

WHOLE_CHANCE = 0.2
"""How often a whole object or array is replaced, and not something inside it."""

BREAKING_CHANCE = 0.3
"""How often a constraint is broken with a value of the right type, if there is one.

Libraries validate types, but ranges and lengths are branches of the application.
"""

TOO_LONG = 300
"""Characters of a text that is too long for the usual column of 255."""

LARGEST_CHOICE = 12
"""Most alternatives of a choice; then the latest wrong value replaces the last one."""

HUGE = (2**31, 2**63, -(2**63) - 1, 10**30)


def deliberately_wrong(gene: Gene, rng: Random) -> Gene:
    """Return `gene` with one deliberately wrong value, its own or one inside.

    The wrong value is in a `ChoiceGene` after the right gene, so that mutation and minimisation can
    return to it. "Missing" is an inactive `OptionalGene`.
    """
    places = [place for place in walk(gene) if _may_be_wrong(place[1])]
    inside = [place for place in places if place[0]]
    if not places:
        return _chosen_over(gene, _wrong_for(gene, rng))
    path, chosen = rng.choice(inside if inside and rng.random() > WHOLE_CHANCE else places[:1])
    wrong = _wrong_for(chosen, rng)
    above = dict(walk(gene)).get(path[:-1])
    if path and isinstance(above, ChoiceGene):
        # Add an alternative: a choice inside a choice would grow with every wrong value.
        kept = above.alternatives[: LARGEST_CHOICE - 1]
        wider = ChoiceGene((*kept, wrong), len(kept))
        return replaced(gene, path[:-1], wider)
    return replaced(gene, path, _chosen_over(chosen, wrong))


def _chosen_over(right: Gene, wrong: Gene) -> Gene:
    return wrong if wrong.is_optional else ChoiceGene((right, wrong), 1)


def _may_be_wrong(gene: Gene) -> bool:
    """Say whether a gene may get a wrong value; wrappers are skipped, so choices never nest."""
    return gene.may_be_wrong and not gene.is_wrapper and gene.value() is not ABSENT


def _wrong_for(gene: Gene, rng: Random) -> Gene:
    draws = [_missing, _null, *(DRAWS[way] for way in gene.wrong_types)]
    order = rng.sample(draws, len(draws))
    breaking = [DRAWS[way] for way in gene.breakable()]
    if breaking and rng.random() < BREAKING_CHANCE:
        order = [*rng.sample(breaking, len(breaking)), *order]
    for draw in order:
        wrong = draw(gene, rng)
        if wrong is not None and wrong.value() != gene.value():
            return wrong
    return NullGene()


def _wrong_inside(gene: Gene, rng: Random) -> Gene | None:
    return gene.with_inside(lambda inside: deliberately_wrong(inside, rng))


def _missing(gene: Gene, rng: Random) -> Gene:
    return OptionalGene(gene, active=False)


def _null(gene: Gene, rng: Random) -> Gene:
    return NullGene()


def _empty_text(gene: Gene, rng: Random) -> Gene:
    return ConstantGene("")


def _text_for_number(gene: Gene, rng: Random) -> Gene:
    return TextGene(current=rng.choice(("a", "one", "1a", "x y", "1,5")))


def _number_for_text(gene: Gene, rng: Random) -> Gene:
    return IntegerGene(current=rng.choice((0, 1, -1, 42)))


def _out_of_bounds(gene: Gene, rng: Random) -> Gene | None:
    least, most = gene.limits()
    beyond = [] if least is None else [least - 1]
    beyond += [] if most is None else [most + 1]
    return ConstantGene(rng.choice(beyond)) if beyond else None


def _fraction(gene: Gene, rng: Random) -> Gene:
    return FloatGene(special=False, current=rng.choice((0.5, 1.5, -2.25)))


def _huge(gene: Gene, rng: Random) -> Gene:
    return IntegerGene(current=rng.choice(HUGE))


def _too_long(gene: Gene, rng: Random) -> Gene:
    _least, most = gene.lengths()
    return ConstantGene("a" * (TOO_LONG if most is None else most + 1))


def _too_short(gene: Gene, rng: Random) -> Gene | None:
    least, _most = gene.lengths()
    return ConstantGene("a" * (least - 1)) if least else None


def _unknown_option(gene: Gene, rng: Random) -> Gene:
    return TextGene(current=rng.choice(("x", "unknown", "a")))


def _list_around(gene: Gene, rng: Random) -> Gene:
    return ArrayGene(gene, elements=(gene,))


def _empty_list(gene: Gene, rng: Random) -> Gene:
    return ConstantGene([])


def _empty_object(gene: Gene, rng: Random) -> Gene:
    return ConstantGene({})


def _first_element(gene: Gene, rng: Random) -> Gene | None:
    present = [child for _key, child in gene.children()]
    first = present[0] if present else gene.element()
    while first is not None and first is not first.chosen():
        first = first.chosen()
    return first


def _wrong_count(gene: Gene, rng: Random) -> Gene | None:
    template, (least, most) = gene.element(), gene.lengths()
    if template is None:
        return None
    if least:
        kept = [child for _key, child in gene.children()][: least - 1]
        return ArrayGene(template, elements=tuple(kept))
    return None if most is None else ArrayGene(template, elements=(template,) * (most + 1))


DRAWS: dict[Wrong, Callable[[Gene, Random], Gene | None]] = {
    Wrong.EMPTY_TEXT: _empty_text,
    Wrong.TEXT: _text_for_number,
    Wrong.NUMBER: _number_for_text,
    Wrong.FRACTION: _fraction,
    Wrong.HUGE: _huge,
    Wrong.EMPTY_LIST: _empty_list,
    Wrong.EMPTY_OBJECT: _empty_object,
    Wrong.LIST_AROUND: _list_around,
    Wrong.OUT_OF_BOUNDS: _out_of_bounds,
    Wrong.TOO_LONG: _too_long,
    Wrong.TOO_SHORT: _too_short,
    Wrong.UNKNOWN_OPTION: _unknown_option,
    Wrong.WRONG_COUNT: _wrong_count,
    Wrong.FIRST_ELEMENT: _first_element,
    Wrong.WRONG_INSIDE: _wrong_inside,
}
"""Kind of wrong value -> function that draws one; None when it does not fit the gene."""
