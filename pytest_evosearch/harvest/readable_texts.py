"""Replaces minimised texts by ones that a person might type.

The simplest working text is mostly ``a``. A test that registers ``a`` with the password
``aaaaaaa2`` does not show what it sends, and an ``a`` on a page shows nothing. So at the end, the
texts in all bodies of a test, and in the rows that it stores, are replaced according to the names
of their fields:

    all at once, if the behaviour of the test stays the same
    else one by one; texts that cause a refusal are mostly among those that stay
    else, for a text of a row, wherever the test has this text: a query may look for it

Equal texts of one kind of field stay equal, different ones different. Nothing is random. A test
that behaves differently with other texts keeps its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from itertools import islice
from typing import NamedTuple

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import PERSON
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import gene_at
from pytest_evosearch.genes.characters import is_readable_address
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.problem.http.composing.rows import model_of
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import observed
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.endpoint_words import resource_of

INVENTED = "evosearch"
"""Text that inquiries send when no resource may have it."""

MOST_VARIANTS = 2
"""Most texts that are tried in one place."""

MOST_TEXTS = 6
"""Most texts of a test that are tried one after another."""

Texts = tuple[str, ...]
"""Possible texts of a field, the most readable first, then some of other lengths."""

_PASSWORDS = (
    tuple("secret12"[:length] for length in (8, 7, 6, 5, 4, 3, 2)),
    tuple("passwd34"[:length] for length in (8, 7, 6, 5, 4, 3, 2)),
)
_ADDRESSES = (("susan@example.com",), ("david@example.com",))
_PHONES = (("555-0100",), ("555-0101",))
_LIVES = (("A short biography",), ("Another biography",))

_TYPED: Mapping[str, tuple[Texts, Texts]] = {
    **dict.fromkeys(
        ("username", "login", "user", "nickname"),
        (("susan", "andrea", "anna", "ann", "jo"), ("david", "robert", "fred", "bob", "al")),
    ),
    **dict.fromkeys(("password", "passwd"), _PASSWORDS),
    **dict.fromkeys(("email", "mail"), _ADDRESSES),
    **dict.fromkeys(("phone", "telephone"), _PHONES),
    **dict.fromkeys(("bio", "about"), _LIVES),
    **dict.fromkeys(("color", "colour"), (("red", "blue"), ("green", "grey"))),
    **dict.fromkeys(("fullname", "author"), (("Susan Smith",), ("David Jones",))),
    **dict.fromkeys(("lastname", "surname"), (("Smith",), ("Jones",))),
    **dict.fromkeys(("city", "town"), (("London", "Rome"), ("Paris", "Oslo"))),
    "firstname": (("Susan", "Ann"), ("David", "Bob")),
    "country": (("France",), ("Spain",)),
    "address": (("1 High Street",), ("2 High Street",)),
    "street": (("High Street",), ("Church Road",)),
    "year": (("1999",), ("2001",)),
    "text": (("Some text",), ("Another text",)),
    "content": (("Some content",), ("Other content",)),
}
"""Name of a field -> usual texts, and alternatives."""

WRITTEN = BODY_LOCATIONS | {Location.ROW}
"""Locations of texts that are replaced for their own sake."""

COMPARED = WRITTEN | {Location.PATH, Location.QUERY}
"""Locations of texts that the application may compare with a stored one."""

_Place = tuple[int, int, Path]
"""A call, an input of it, and a gene in that."""

_Name = tuple[str, str]
"""An endpoint and a field."""


class _Text(NamedTuple):
    """A text of a test."""

    place: _Place
    owner: str
    """The endpoint; for a row, its model in the form of one."""
    name: str
    """The field."""
    text: str
    is_stored: bool
    """Whether the test stores it in a table itself."""


@dataclass(frozen=True)
class _Group:
    """Fields of one kind that hold one text."""

    places: tuple[_Place, ...]
    texts: Texts
    names: tuple[_Name, ...]


@dataclass
class ReadableTexts:
    """Replaces the texts of minimised tests."""

    execute: Callable[[Individual], FullEvaluation[Individual]]
    is_over: Callable[[], bool]
    _free: set[_Name] = field(default_factory=set)
    """Fields that accepted another text."""

    def improved(self, results: Sequence[Result]) -> list[Result]:
        """Return the tests, with readable texts where the results are equal."""
        better = list(results)
        # The texts of a successful test are not the reason for a refusal.
        for place in sorted(range(len(better)), key=lambda at: _is_refused(better[at][0])):
            evaluation, duty = better[place]
            better[place] = self._readable(evaluation), duty
        return better

    def _readable(self, base: FullEvaluation[Individual]) -> FullEvaluation[Individual]:
        groups = list(self._groups(base))
        if not groups:
            return base
        for number in range(max(len(group.texts) for group in groups)):
            found = self._tried(base, groups, number)
            if found is not None:
                return found
        for group in groups[:MOST_TEXTS] if len(groups) > 1 else ():
            attempts = (self._tried(base, [group], at) for at in range(len(group.texts)))
            base = next((found for found in attempts if found is not None), base)
        return self._together(base)

    def _together(self, base: FullEvaluation[Individual]) -> FullEvaluation[Individual]:
        """Replace each text of a row in all places that hold it."""
        individual = base.evaluation.individual
        held: dict[str, list[_Text]] = {}
        for one in _texts(individual, COMPARED):
            held.setdefault(one.text, []).append(one)
        for one in islice(_texts(individual, frozenset((Location.ROW,))), MOST_TEXTS):
            same = held.pop(one.text, [])
            texts = typed_texts(one.name, one.owner, is_free=True)[0]
            if any(_is_in_path(individual, other.place) for other in same):
                texts = tuple(text for text in texts if text.isalnum())  # ``A%20name`` is no word
            if len(same) > 1 and _is_drawn(one, texts):
                names = tuple((other.owner, other.name) for other in same)
                group = _Group(tuple(other.place for other in same), texts[:1], names)
                base = self._tried(base, [group], 0) or base
        return base

    def _groups(self, base: FullEvaluation[Individual]) -> Iterator[_Group]:
        """Yield the unreadable texts of a test, with better ones."""
        individual = base.evaluation.individual
        places: dict[tuple[tuple[Texts, Texts], str], list[_Place]] = {}
        names: dict[Texts, dict[_Name, None]] = {}
        drawn = set()
        for one in _texts(individual, WRITTEN):
            key = one.owner, one.name
            is_act = one.place[0] == len(individual) - 1
            is_free = key in self._free or one.is_stored or not (is_act and _is_refused(base))
            first, other = typed_texts(one.name, one.owner, is_free)
            if _is_drawn(one, first):
                places.setdefault(((first, other), one.text), []).append(one.place)
                names.setdefault(first, {})[key] = None
                drawn |= {one.text} if one.is_stored else set()
        addresses = list(_texts(individual, frozenset((Location.PATH,))))
        counts: Counter[Texts] = Counter()
        for ((first, other), text), found in places.items():
            # A new password must differ from the old one.
            is_free = text in drawn or _is_free(text)
            better, further = (_fitting(one, text, is_free) for one in (first, other))
            texts = ((*better, *further), further, ())[min(2, counts[first])]
            counts[first] += 1
            same = (one.place for one in addresses if one.text == text and _is_of(one.name, first))
            if texts:
                yield _Group((*found, *same), texts, tuple(names[first]))

    def _tried(
        self, base: FullEvaluation[Individual], groups: Sequence[_Group], number: int
    ) -> FullEvaluation[Individual] | None:
        """Execute the test with other texts; None when its result differs."""
        changed: Individual | None = base.evaluation.individual
        texts = [group.texts[min(number, len(group.texts) - 1)] for group in groups]
        for group, text in zip(groups, texts, strict=True):
            changed = changed and _with_text(changed, group.places, text)
        if changed is None or self.is_over():
            return None
        found = self.execute(changed)
        if not _does_the_same(base, found, texts):
            return None
        self._free.update(name for group in groups for name in group.names)
        return found


def _is_refused(base: FullEvaluation[Individual]) -> bool:
    exchanges = observed(base.evaluation).exchanges
    return not exchanges or exchanges[-1].status >= 400 or turns_away(exchanges[-1])


def _is_of(name: str, typed: Texts) -> bool:
    """Say whether an address names a resource that a body created: ``/users/susan``."""
    return typed_texts(name, "", False)[0] == typed


def _is_free(text: str) -> bool:
    """Say whether a text of any length may replace this one."""
    return len(text) == 1 or text == INVENTED or is_readable_address(text)


def _fitting(texts: Texts, text: str, is_free: bool) -> Texts:
    """Return possible replacements of a text; a necessarily long text stays at its boundary.

    ``aaa`` is the shortest name when two letters are refused.
    """
    if is_free:
        return texts[:MOST_VARIANTS]
    return tuple(one for one in texts if len(one) == len(text))


def _texts(individual: Individual, locations: AbstractSet[Location]) -> Iterator[_Text]:
    """Yield the texts in these locations."""
    for at, call in enumerate(individual.calls):
        for index, given in enumerate(call.inputs):
            if given.location not in locations:
                continue
            is_stored = given.location is Location.ROW
            owner = _table_of(given.name) if is_stored else call.endpoint
            for value_path, path, leaf in leaves(given.gene):
                text = leaf.value()
                keys = [step for step in value_path if isinstance(step, str)]
                if isinstance(text, str):
                    place = at, index, path
                    yield _Text(place, owner, (keys or [given.name])[-1], text, is_stored)


def _is_in_path(individual: Individual, place: _Place) -> bool:
    at, index, _path = place
    return individual.calls[at].inputs[index].location is Location.PATH


def _table_of(name: str) -> str:
    """Return a model as the address of an endpoint: ``ROW /item`` for ``shop.models.Item 2``."""
    return f"ROW /{snake_case(model_of(name).rpartition('.')[2])}"


def _is_drawn(one: _Text, typed: Texts) -> bool:
    """Say whether the texts in `typed` are better than this one, if it does not matter.

    The values of rows come from no person: each of them was drawn, or follows a comparison.
    """
    if not typed or one.text in typed:
        return False
    return one.is_stored or is_unreadable(one.text, typed[0])


def is_unreadable(text: str, typed: str) -> bool:
    """Say whether `text` looks less like a person's input than `typed`.

    Exceptions are ``de``, which is a country, and texts without letters.
    """
    if text == INVENTED:
        return True
    if is_readable_address(text):
        return not is_readable_address(typed)
    few = len(set(text)) == 1 or (len(set(text)) == 2 and len(text) > 3)
    return few and text.isalnum() and not text.isdigit()


def typed_texts(name: str, endpoint: str, is_free: bool) -> tuple[Texts, Texts]:
    """Return usual texts for the field `name`, then alternatives; empty if unknown.

    A field that `is_free` accepts any text, so its text is the field's name.
    """
    template = endpoint.partition(" ")[2]
    label = snake_case(name)
    kind = _kind(label, template)
    if kind in _TYPED:
        return _TYPED[kind]
    if not is_free or not label:
        return (), ()
    noun = label.replace("_", " ")
    if label == "name":
        noun = singular(resource_of(template).rpartition("_")[2]).replace("_", " ") or noun
    return (with_article(noun), noun), (f"Another {noun}", f"other {noun}")


def _kind(label: str, template: str) -> str:
    """Return the key of `_TYPED` for a kind of field, otherwise the field's last word."""
    last = re.sub(r"\d+$", "", label.rpartition("_")[2])
    if "password" in label or "passwd" in label:
        return "password"
    if "password" in template.rpartition("/")[2] and last in ("old", "new", "current", "confirm"):
        return "password"
    joined = label.replace("_", "")
    if joined in _TYPED:
        return joined
    noun = singular(resource_of(template).rpartition("_")[2])
    if label == "name" and noun in PERSON.words(Certainty.LIKELY):
        return "fullname"
    return last


def with_article(noun: str) -> str:
    """Return ``A blog title`` for ``blog title``, ``An item`` for ``item``."""
    return f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"


def _with_text(individual: Individual, places: Sequence[_Place], text: str) -> Individual | None:
    """Return the test with `text` at all `places`; None when one of them cannot hold it."""
    for at, index, path in places:
        call = individual.calls[at]
        leaf = gene_at(call.inputs[index].gene, path)
        changed = leaf.adopt(text) if leaf is not None else None
        if changed is None or changed.value() != text:
            return None
        individual = individual.with_call(at, call.with_gene(index, path, changed))
    return individual


def _does_the_same(
    base: FullEvaluation[Individual], other: FullEvaluation[Individual], texts: Sequence[str]
) -> bool:
    """Say whether a test's coverage and responses are equal, except for the `texts` in them."""
    before, after = observed(base.evaluation), observed(other.evaluation)
    if len(before.exchanges) != len(after.exchanges) or base.harms != other.harms:
        return False
    if {one.target for one in before.faults} != {one.target for one in after.faults}:
        return False
    pairs = zip(base.covered_by_call, other.covered_by_call, strict=True)
    covered = all(mine <= theirs for mine, theirs in pairs)
    answers = zip(before.exchanges, after.exchanges, strict=True)
    return covered and all(_is_answered_alike(*pair, texts) for pair in answers)


def _is_answered_alike(one: Exchange, other: Exchange, texts: Sequence[str]) -> bool:
    """Say whether two responses are equal, except for repeated inputs."""
    if one.response is None or other.response is None:
        return one.response is other.response
    if one.status != other.status or one.crash != other.crash:
        return one.status == other.status and one.crash is not None and other.crash is not None
    location = other.response.location or ""
    if (one.response.location or "") != location and not any(text in location for text in texts):
        return False
    is_refused = one.status >= 400
    same = one.response.body == other.response.body
    return same or not is_refused or any(text in other.response.text for text in texts)
