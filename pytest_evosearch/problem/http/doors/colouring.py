"""Colours calls: each open text gets its own readable word, so a value identifies its gene."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from itertools import islice

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.descriptions.guesses import PASSWORD
from pytest_evosearch.problem.http.descriptions.json_shape import with_leaf
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.learning.challenges import HEADER
from pytest_evosearch.problem.http.learning.challenges import BasicGene

_WORDS = (
    *("acorn", "birch", "cedar", "dahlia", "elder", "fennel", "ginger", "hazel", "iris"),
    *("juniper", "kelp", "linden", "maple", "nettle", "olive", "poplar", "quince", "rowan"),
    *("sorrel", "tansy", "umber", "vetch", "willow"),
)

_CREDENTIALS = ("yarrow", "zinnia")
"""Words that colour only credentials."""

AUTHORIZATION = (Location.HEADER, HEADER)


def words() -> Iterator[str]:
    """Yield words of which none is part of another; later ones are numbered."""
    for turn in count():
        for word in _WORDS:
            yield f"{word}{turn}" if turn else word


def is_colour(text: str) -> bool:
    """Say whether a text is a word that colours calls."""
    word = text.removesuffix("-2041").lower()
    return word.rstrip("0123456789") in (*_WORDS, *_CREDENTIALS)


def coloured(
    call: Call, kept: Collection[tuple[Location, str]] = (), colours: Iterator[str] | None = None
) -> Call:
    """Return `call` with a word of its own in each text without other knowledge.

    The inputs `kept` stay unchanged.
    """
    colours = words() if colours is None else colours
    inputs = (
        given if given.key in kept else _coloured_input(given, colours) for given in call.inputs
    )
    return replace(call, inputs=tuple(inputs))


def coloured_test(individual: Individual) -> Individual:
    """Return a test with each of its calls coloured, by different words."""
    colours = words()
    last = coloured(individual.calls[-1], colours=colours)
    earlier = (coloured(call, colours=colours) for call in individual.calls[:-1])
    return Individual((*earlier, last))


def coloured_last(individual: Individual) -> Individual:
    """Return a test with its last call coloured."""
    last = len(individual.calls) - 1
    return individual.with_call(last, coloured(individual.calls[last]))


def coloured_news(call: Call, before: Call) -> Call:
    """Return `call` with a word in each text that `before` does not send yet."""
    colours = islice(words(), len(_WORDS), None)
    known = {given.key: {path for path, _, _ in leaves(given.gene)} for given in before.inputs}
    inputs = (_coloured_input(given, colours, known.get(given.key, ())) for given in call.inputs)
    return replace(call, inputs=tuple(inputs))


def with_authorizations(call: Call) -> Iterator[Call]:
    """Yield `call` with each common form of an ``Authorization`` header, then without one."""
    name, password = _CREDENTIALS
    basic = BasicGene(TextGene(current=name), TextGene(current=password))
    for gene in (basic, TextGene(current=f"Bearer {name}"), TextGene(current=name)):
        yield call.with_input(Input(*AUTHORIZATION, gene))
    yield call.without_input(AUTHORIZATION)


def _coloured_input(
    given: Input, colours: Iterator[str], kept: Collection[ValuePath] = ()
) -> Input:
    if given.location in (Location.FILE, Location.PATH):
        return given
    gene = _text_of(given.gene)
    if given.location is Location.JSON and gene.value() == {}:
        # ``get_json() or {}`` treats an empty object as missing: no read shows its fields.
        gene = with_leaf(gene, (next(colours),), TextGene(current=next(colours)))
    for value_path, gene_path, leaf in list(leaves(gene)):
        if is_open(leaf) and value_path not in kept:
            gene = replaced(gene, gene_path, _word_like(leaf, next(colours)))
    return replace(given, gene=gene)


def _text_of(gene: Gene) -> Gene:
    """Return the open text among the alternatives of a gene, else the gene itself.

    An input with only a known type, text, is often sent as a number.
    """
    return next(filter(is_open, gene.kinds()), gene)


def is_open(leaf: Gene) -> bool:
    """Say whether a gene is a text that may hold any word."""
    return type(leaf) is TextGene and leaf.alphabet is None and leaf.maximum_length is None


def _word_like(leaf: Gene, word: str) -> Gene:
    """Return the text gene with `word`, in the form of a password where it held one."""
    text = f"{word.title()}-2041" if leaf.value() == PASSWORD else word
    return replace(leaf, current=text)  # type: ignore[call-arg]
