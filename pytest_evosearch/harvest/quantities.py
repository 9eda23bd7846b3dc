"""Quantities in the last call of a test: the numbers that it sends, and the lengths of its texts.

A number may be spelt, as in forms and addresses.  A text of another length is one character many
times where that does as well, which is quick to read, else the text with that character put before
it or with its beginning left out: so addresses of e-mail and passwords stay what they are.
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
"""Numbers of a call that are varied, and texts."""

LONGEST = 1000
"""Characters: a longer text tells of a limit of a server or a database, and reads badly."""

_WITH_TEXTS = (Location.QUERY, Location.FORM, Location.JSON)

Sent: TypeAlias = tuple[int, Path]
"""An input of a call and a gene in it."""

NUMBER, LENGTH = "number", "length"

Place: TypeAlias = tuple[str, str, str, str]
"""Endpoint, input, in a body of JSON the path of a value, and what of it: `NUMBER` or `LENGTH`."""


Described: TypeAlias = "Callable[[str, tuple[Location, str], ValuePath], Gene | None]"
"""Returns what is known by now of a value: of an endpoint, an input, at a path.

A test may be older than what a validator told.
"""


def nothing_described(
    _endpoint: str, _key: tuple[Location, str], _value_path: ValuePath
) -> Gene | None:
    """Know nothing of any value."""
    return None


class Quantity(NamedTuple):
    """A number that the last call of a test sends, or the length of a text."""

    place: Place
    size: float
    limits: tuple[float, ...]
    """Where the application says that it ends: a validator, a document."""
    variants: Sequence[Callable[[int], Individual | None]]
    """Ways to the test with another size, the better one first; None where it cannot be held.

    A text goes alone first, then with its equals: a password, and its confirmation.
    """
    text: str = ""
    """What has the length."""

    def limit_in(self, comparison: Comparison) -> object:
        """Return what a comparison says that the size ends at; None where it is about others.

        Of the length of a text it may say which text would do.
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
    """Return what is known of a value by now, else what sends it."""
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
    """Name a quantity, the same in all tests of an endpoint."""
    index, path = sent
    call = individual.calls[-1]
    given = call.inputs[index]
    inside = repr(path) if given.location is Location.JSON else ""  # genes of two kinds hold it
    return call.endpoint, f"{given.location.value} {given.name}", inside, measure


def numbers_of(individual: Individual) -> Iterator[tuple[Sent, float]]:
    """Yield where the last call holds a number of its own; what is linked is no number.

    Another identifier asks for another thing, of which other numbers are no surprise.
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
    """Return the number that a value is or spells, NaN and infinities included."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def with_number(individual: Individual, place: Sent, numbers: Iterable[float]) -> Individual | None:
    """Return the test with the first of `numbers` that a place of its last call can hold."""
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
    """Yield where the last call holds a text of its own that spells no number."""
    for index, given in enumerate(individual.calls[-1].inputs):
        for _, path, leaf in leaves(given.gene) if given.location in _WITH_TEXTS else ():
            if isinstance(leaf, TextualGene) and leaf.current and number_from(leaf.current) is None:
                yield (index, path), leaf.current


def _with_length(
    individual: Individual, places: Sequence[Sent], fit: Callable[[int], str], size: int
) -> Individual | None:
    """Return the test with a text of another length in all places."""
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
    """Return the text with something put before it, or without its beginning.

    Of the same length it is another text, too: else what has to equal another one would be so with
    this length alone.
    """
    kept = text[-size:] if size < len(text) else text[1:] if size == len(text) else text
    return letter * (size - len(kept)) + kept if size else ""


def _filler(text: str) -> str:
    """Return a letter where a text has any, so that they are allowed, else what it begins with."""
    return "a" if any(map(str.isalpha, text)) else text[0]


def _leaf(individual: Individual, sent: Sent) -> Gene:
    index, path = sent
    leaf = gene_at(individual.calls[-1].inputs[index].gene, path)
    assert leaf is not None  # it was found there
    return leaf


def _with_gene(individual: Individual, sent: Sent, gene: Gene) -> Individual:
    last = individual.calls[-1]
    return individual.with_call(len(individual) - 1, last.with_gene(*sent, gene))
