"""Quantities in the last call of a test: its numbers, and the lengths of its texts.

A number may be a text, as in forms and addresses. A text of another length repeats one character,
which is quick to read. Where that does not work, the character is added before the text, or the
beginning of the text is cut. So e-mail addresses and passwords stay valid.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple
from typing import TypeAlias

from pytest_evosearch.core.comparison_signs import ORDERINGS
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import gene_at
from pytest_evosearch.genes.text import TextualGene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.genes.visit import walk_values
from pytest_evosearch.instrument.distances.lengths import of_length
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.write.content.identifier_names import names_identifier

MOST_PLACES = 6
"""Most numbers of a call that are varied, and most texts."""

LONGEST = 1000
"""Most characters: a longer text shows a limit of a server or a database, and reads badly."""

_WITH_TEXTS = (Location.QUERY, Location.FORM, Location.JSON)

Sent: TypeAlias = tuple[int, Path]
"""An input of a call, and a gene in it."""

NUMBER, LENGTH = "number", "length"

Place: TypeAlias = tuple[str, str, str, str]
"""Endpoint, input, path of a value in a JSON body, and `NUMBER` or `LENGTH`."""


Described: TypeAlias = "Callable[[str, tuple[Location, str], ValuePath], Gene | None]"
"""Returns the present knowledge about a value: of an endpoint, an input, at a path.

A test may be older than what a validator showed.
"""


def nothing_described(
    _endpoint: str, _key: tuple[Location, str], _value_path: ValuePath
) -> Gene | None:
    """Return None for any value."""
    return None


class Quantity(NamedTuple):
    """A number in the last call of a test, or the length of a text."""

    place: Place
    size: float
    limits: tuple[float, ...]
    """Limits that the application declares: in a validator, in a document."""
    variants: Sequence[Callable[[int], Individual | None]]
    """Functions to the test with another size, the better one first; None for an impossible size.

    A text is changed alone first, then with its equals: a password, and its confirmation.
    """
    text: str = ""
    """The text of the length."""

    def limit_in(self, comparison: Comparison) -> object:
        """Return the limit of the size in a comparison; None when it compares something else.

        For the length of a text, the comparison may contain a text that would pass.
        """
        observed, wanted = comparison.observed, comparison.wanted
        if comparison.relation in ORDERINGS and observed == self.size:
            return wanted
        if self.text and observed == self.text and isinstance(wanted, str):
            return len(wanted) if wanted == of_length(self.text, len(wanted)) else None
        return None


def quantities_of(individual: Individual, described: Described) -> Iterator[Quantity]:
    """Yield the quantities of the last call, numbers first."""
    for sent, number in numbers_of(individual):
        yield Quantity(
            _place(individual, sent, NUMBER),
            number,
            _limits_of_number(_known(individual, sent, described)),
            (partial(_with_whole_number, individual, sent),),
        )
    yield from _lengths_of(individual, described)


def _known(individual: Individual, sent: Sent, described: Described) -> Gene:
    """Return the present knowledge about a value, otherwise its gene."""
    index, path = sent
    call = individual.calls[-1]
    given = call.inputs[index]
    places = (place for place, gene_path, _ in walk_values(given.gene) if gene_path == path)
    return described(call.endpoint, given.key, next(places)) or _leaf(individual, sent)


def _limits_of_number(gene: Gene) -> tuple[float, ...]:
    least, most = gene.limits()
    return tuple(limit for limit in (most, least) if limit is not None)


def _limits_of_length(gene: Gene) -> tuple[float, ...]:
    least, most = gene.lengths()
    return tuple(limit for limit in (most, least) if limit)


def _place(individual: Individual, sent: Sent, measure: str) -> Place:
    """Return the name of a quantity, equal in all tests of an endpoint."""
    index, path = sent
    call = individual.calls[-1]
    given = call.inputs[index]
    inside = repr(path) if given.location is Location.JSON else ""  # genes of two kinds hold it
    return call.endpoint, f"{given.location.value} {given.name}", inside, measure


def numbers_of(individual: Individual) -> Iterator[tuple[Sent, float]]:
    """Yield the places of numbers in the last call; linked values do not count.

    Identifiers do not count, because another one requests another resource with other numbers.
    """
    found = 0
    for index, given in enumerate(individual.calls[-1].inputs):
        if names_identifier(given.name):
            continue
        for _, path, leaf in leaves(given.gene):
            number = number_from(leaf.value())
            if number is not None and leaf.adopt(leaf.value()) is not None:
                found += 1
                if found <= MOST_PLACES:
                    yield (index, path), number


def number_from(value: object) -> float | None:
    """Return the number that a value is or contains as a text, including NaN and infinities."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def with_number(individual: Individual, place: Sent, numbers: Iterable[float]) -> Individual | None:
    """Return the test with the first of `numbers` that fits at a place of its last call."""
    leaf = _leaf(individual, place)
    spelt = isinstance(leaf.value(), str)
    held = (leaf.adopt(str(number) if spelt else number) for number in numbers)
    changed = next((gene for gene in held if gene is not None), None)
    return None if changed is None else _with_gene(individual, place, changed)


def _with_whole_number(individual: Individual, place: Sent, number: int) -> Individual | None:
    return with_number(individual, place, (number,))


def _lengths_of(individual: Individual, described: Described) -> Iterator[Quantity]:
    """Yield the lengths of the texts."""
    texts = list(islice(_texts_of(individual), MOST_PLACES))
    for sent, text in texts:
        alike = [other for other, same in texts if same == text]
        filler = _filler(text)
        ways = [([sent], filler)]
        if len(alike) > 1:
            ways = [([sent], "b" if text[0] == filler else filler), (alike, filler)]
        yield Quantity(
            _place(individual, sent, LENGTH),
            len(text),
            _limits_of_length(_known(individual, sent, described)),
            tuple(
                partial(_with_length, individual, places, partial(fit, text, letter))
                for places, letter in ways
                for fit in (_run, _fitted)
            ),
            text,
        )


def _texts_of(individual: Individual) -> Iterator[tuple[Sent, str]]:
    """Yield the places of texts in the last call that are no numbers and no links."""
    for index, given in enumerate(individual.calls[-1].inputs):
        for _, path, leaf in leaves(given.gene) if given.location in _WITH_TEXTS else ():
            if isinstance(leaf, TextualGene) and leaf.current and number_from(leaf.current) is None:
                yield (index, path), leaf.current


def _with_length(
    individual: Individual, places: Sequence[Sent], fit: Callable[[int], str], size: int
) -> Individual | None:
    """Return the test with a text of another length at all places."""
    if not 0 <= size <= LONGEST:
        return None
    changed = individual
    for place in places:
        leaf = _leaf(changed, place)
        assert isinstance(leaf, TextualGene)
        changed = _with_gene(changed, place, leaf.holding(fit(size)))
    return changed


def _run(_text: str, letter: str, size: int) -> str:
    return letter * size


def _fitted(text: str, letter: str, size: int) -> str:
    """Return the text with characters added before it, or without its beginning.

    Even at equal length, the text changes. Otherwise a text that must equal another one would do so
    only at this length.
    """
    kept = text[-size:] if size < len(text) else text[1:] if size == len(text) else text
    return letter * (size - len(kept)) + kept if size else ""


def _filler(text: str) -> str:
    """Return a letter when the text has one, so letters are allowed, else its first character."""
    return "a" if any(map(str.isalpha, text)) else text[0]


def _leaf(individual: Individual, sent: Sent) -> Gene:
    index, path = sent
    leaf = gene_at(individual.calls[-1].inputs[index].gene, path)
    assert leaf is not None  # it was found there
    return leaf


def _with_gene(individual: Individual, sent: Sent, gene: Gene) -> Individual:
    last = individual.calls[-1]
    return individual.with_call(len(individual) - 1, last.with_gene(*sent, gene))
