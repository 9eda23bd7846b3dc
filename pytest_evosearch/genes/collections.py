"""Arrays and objects, and the gene for any value that was seen, which makes these two."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import cycle
from itertools import islice
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import Wrong
from pytest_evosearch.genes.characters import WORDS
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.composite import simpler_children
from pytest_evosearch.genes.inference import gene_for_scalar
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import optional
from pytest_evosearch.genes.optional import switched_off
from pytest_evosearch.genes.optional import with_gene_of
from pytest_evosearch.genes.optional import without_optional
from pytest_evosearch.genes.text import ANY_TEXT

USUAL_LENGTH = 3
"""Most elements of a sample beyond the minimum; rare long samples have twice as many."""

MANY_ELEMENTS = 20
"""Most elements that are drawn for a sample; a longer list repeats these, where it may.

Drawing each of a thousand objects would take seconds for every sample.
"""

UNIQUE_ATTEMPTS = 10
"""Attempts to draw an element that is not yet in the list."""

EXTRA_CHANCE = 0.2
"""How often a sample has an undeclared name, if the object accepts any."""

LARGEST_EXTRAS = 5
"""Most undeclared names that mutation adds."""

LARGEST_DEPTH = 12
"""Most levels of a seen value that become genes; deeper parts are constant."""

Elements = tuple[Gene, ...]


@dataclass(frozen=True)
class ArrayGene(CompositeGene):
    """A list with elements made from `template`; lengths are in elements."""

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.FIRST_ELEMENT,
        Wrong.EMPTY_OBJECT,
        Wrong.WRONG_COUNT,
        Wrong.EMPTY_TEXT,
    )

    says: ClassVar[int] = 6

    template: Gene = ANY_TEXT
    minimum_length: int = 0
    maximum_length: int | None = None
    elements: Elements = ()
    unique: bool = field(default=False, kw_only=True)

    def value(self) -> list[object]:
        """Return the values of the elements that are present."""
        values = [element.value() for element in self.elements]
        return [value for value in values if value is not ABSENT]

    def lengths(self) -> tuple[int, int | None]:
        """Return the lengths in elements."""
        return self.minimum_length, self.maximum_length

    def element(self) -> Gene:
        """Return the template."""
        return self.template

    def sample(self, rng: Random) -> ArrayGene:
        """Return a short list of samples of the template."""
        extra = rng.randint(0, USUAL_LENGTH * (2 if rng.random() < 0.05 else 1))
        length = self.minimum_length + extra
        if self.maximum_length is not None:
            length = min(length, self.maximum_length)
        elements: Elements = ()
        for _ in range(length if self.unique else min(length, MANY_ELEMENTS)):
            elements += self._drawn(elements, rng)
        if not self.unique:
            elements = tuple(islice(cycle(elements), length))
        return replace(self, elements=elements)

    def _drawn(self, elements: Elements, rng: Random) -> Elements:
        """Draw one element that may join `elements`; empty when no unique one is found."""
        if not self.unique:
            return (self.template.sample(rng),)
        present = [element.value() for element in elements]
        for _ in range(UNIQUE_ATTEMPTS):
            drawn = self.template.sample(rng)
            if not any(same(drawn.value(), value) for value in present):
                return (drawn,)
        return ()

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Insert, delete, duplicate, swap, or clear in bold mutations; the first possible one."""
        operations: list[Callable[[Random], Elements]] = [self._inserted, self._inserted]
        operations += [self._shortened, self._shortened, self._swapped]
        if not self.unique:
            operations.append(self._duplicated)
        if rng.random() < strength:
            operations.append(self._emptied)
        rng.shuffle(operations)
        for operation in operations:
            elements = operation(rng)
            if elements != self.elements and self.allows_length(len(elements)):
                return replace(self, elements=elements)
        return None

    def _inserted(self, rng: Random) -> Elements:
        at = rng.randint(0, len(self.elements))
        return (*self.elements[:at], *self._drawn(self.elements, rng), *self.elements[at:])

    def _shortened(self, rng: Random) -> Elements:
        at = rng.randrange(len(self.elements)) if self.elements else 0
        return self.elements[:at] + self.elements[at + 1 :]

    def _duplicated(self, rng: Random) -> Elements:
        at = rng.randrange(len(self.elements)) if self.elements else 0
        return self.elements[: at + 1] + self.elements[at:]

    def _swapped(self, rng: Random) -> Elements:
        elements = list(self.elements)
        if len(elements) > 1:
            first, second = rng.sample(range(len(elements)), 2)
            elements[first], elements[second] = elements[second], elements[first]
        return tuple(elements)

    def _emptied(self, rng: Random) -> Elements:
        return self.elements[: self.minimum_length]

    def adopt(self, value: object) -> Gene | None:
        """Hold a list; elements that do not fit the template get a gene of their own type."""
        if not isinstance(value, (list, tuple)):
            return None
        adopted = [self.template.adopt(item) or gene_for(item) for item in value]
        return replace(self, elements=tuple(adopted))

    def breakable(self) -> tuple[Wrong, ...]:
        """Return the limits of the length, if there are any."""
        limited = self.minimum_length or self.maximum_length is not None
        return (Wrong.WRONG_COUNT,) if limited else ()

    def described(self, place: Path) -> Gene | None:
        """Return the template's description of any element."""
        return self.template.described(place[1:]) if place else self

    def with_all_present(self) -> Gene:
        """Return a copy with all optional parts of its elements active."""
        return replace(self, elements=tuple(one.with_all_present() for one in self.elements))

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge the templates of two arrays."""
        if not isinstance(known, ArrayGene) or not isinstance(seen, ArrayGene):
            return _one_of(known, seen) or super().merge(known, seen)
        template = known.template.merged(seen.template)
        return replace(known, template=template, elements=known.elements or seen.elements)

    def simpler(self) -> Iterator[Gene]:
        """Yield shorter lists, the shortest first, then lists with one simpler element."""
        for elements in self._shorter():
            yield replace(self, elements=elements)
        yield from simpler_children(self)

    def _shorter(self) -> Iterator[Elements]:
        length = len(self.elements)
        if length <= self.minimum_length:
            return
        yield self.elements[: self.minimum_length]
        removed = length // 2
        while removed > 1:
            if length - removed > self.minimum_length:
                yield self.elements[: length - removed]
                yield self.elements[removed:]
            removed //= 2
        if length - 1 > self.minimum_length or self.minimum_length:
            for at in range(length):
                yield self.elements[:at] + self.elements[at + 1 :]

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the elements under their indices."""
        return tuple(enumerate(self.elements))

    def with_child(self, key: Key, child: Gene) -> ArrayGene:
        """Return a copy with the element `key` replaced."""
        if not isinstance(key, int) or not 0 <= key < len(self.elements):
            raise KeyError(key)
        return replace(self, elements=(*self.elements[:key], child, *self.elements[key + 1 :]))


@dataclass(frozen=True)
class ObjectGene(CompositeGene):
    """A mapping with text keys: declared `fields`, then `extras` made after `additional`.

    `additional` is None when no undeclared names are invented; extras can still be held. A field's
    name is unique among fields and extras.
    """

    wrong_types: ClassVar[tuple[Wrong, ...]] = (
        Wrong.LIST_AROUND,
        Wrong.EMPTY_LIST,
        Wrong.EMPTY_OBJECT,
        Wrong.EMPTY_TEXT,
        Wrong.NUMBER,
    )

    says: ClassVar[int] = 6

    fields: tuple[Field, ...] = ()
    additional: Gene | None = None
    extras: tuple[Field, ...] = ()

    def value(self) -> dict[str, object]:
        """Return the values of the fields that are present, in order of declaration."""
        values = {given.name: given.gene.value() for given in (*self.fields, *self.extras)}
        return {name: value for name, value in values.items() if value is not ABSENT}

    def field(self, name: str) -> Field | None:
        """Return the field or extra called `name`."""
        return next((given for given in (*self.fields, *self.extras) if given.name == name), None)

    def named_parts(self) -> Mapping[str, Gene]:
        """Return the genes of fields and extras, including inactive ones."""
        return {given.name: given.gene for given in (*self.fields, *self.extras)}

    def sample(self, rng: Random) -> ObjectGene:
        """Sample every field; sometimes invent a name if any is accepted."""
        fields = tuple(replace(given, gene=given.gene.sample(rng)) for given in self.fields)
        extras: tuple[Field, ...] = ()
        if self.additional is not None and rng.random() < EXTRA_CHANCE:
            extras = self._with_extra((), self.additional, rng)
        return replace(self, fields=fields, extras=extras)

    def _with_extra(
        self, extras: tuple[Field, ...], additional: Gene, rng: Random
    ) -> tuple[Field, ...]:
        taken = [given.name for given in (*self.fields, *extras)]
        free = [word for word in WORDS if word not in taken]
        if not free:
            return extras
        return (*extras, Field(rng.choice(free), additional.sample(rng)))

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Add or drop an undeclared name; fields have their own optional genes."""
        if self.extras and (rng.random() < 0.5 or len(self.extras) >= LARGEST_EXTRAS):
            at = rng.randrange(len(self.extras))
            return replace(self, extras=self.extras[:at] + self.extras[at + 1 :])
        if self.additional is None:
            return None
        return replace(self, extras=self._with_extra(self.extras, self.additional, rng))

    def adopt(self, value: object) -> Gene | None:
        """Hold a mapping: known names in fields, unknown ones as extras, other fields absent."""
        if not isinstance(value, dict):
            return None
        fields = tuple(_adopted_field(given, value) for given in self.fields)
        declared = [given.name for given in self.fields]
        extras = tuple(
            Field(name, self._gene_for_extra(item))
            for name, item in value.items()
            if isinstance(name, str) and name not in declared
        )
        return replace(self, fields=fields, extras=extras)

    def _gene_for_extra(self, item: object) -> Gene:
        adopted = None if self.additional is None else self.additional.adopt(item)
        return adopted or gene_for(item)

    def described(self, place: Path) -> Gene | None:
        """Return the description of a field, None for an unknown one."""
        if not place:
            return self
        known = self.field(str(place[0]))
        return None if known is None else known.gene.described(place[1:])

    def with_all_present(self) -> Gene:
        """Return a copy with all its fields, and all optional parts in them, active."""
        fields = (replace(one, gene=one.gene.with_all_present()) for one in self.fields)
        return replace(self, fields=tuple(fields))

    def without_fields(self, names: frozenset[str]) -> Gene:
        """Return a copy with these optional fields inactive."""
        return replace(
            self,
            fields=tuple(
                replace(one, gene=one.gene.left_out()) if one.name in names else one
                for one in self.fields
            ),
        )

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge the fields of two objects."""
        if not isinstance(known, ObjectGene) or not isinstance(seen, ObjectGene):
            return _one_of(known, seen) or super().merge(known, seen)
        return _merged_objects(known, seen)

    def simpler(self) -> Iterator[Gene]:
        """Yield the object without anything optional, without one part, then simpler fields."""
        bare = replace(self, fields=tuple(map(without_optional, self.fields)), extras=())
        if bare != self:
            yield bare
        for at in range(len(self.extras)):
            yield replace(self, extras=self.extras[:at] + self.extras[at + 1 :])
        for given in self.fields:
            # An optional gene omits its field itself.
            if not given.required and not given.gene.is_optional:
                yield self.with_child(given.name, switched_off(given.gene))
        yield from simpler_children(self)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return fields and extras under their names, including inactive optional ones."""
        return tuple(self.named_parts().items())

    def with_child(self, key: Key, child: Gene) -> ObjectGene:
        """Return a copy with the field or extra `key` replaced."""
        if self.field(str(key)) is None:
            raise KeyError(key)
        return replace(
            self,
            fields=with_gene_of(self.fields, str(key), child),
            extras=with_gene_of(self.extras, str(key), child),
        )


def _adopted_field(given: Field, value: dict[object, object]) -> Field:
    if given.name not in value:
        return Field.optional(given.name, switched_off(given.gene))
    item = value[given.name]
    adopted = given.gene.adopt(item)
    if adopted is None:
        inferred = gene_for(item)
        adopted = optional(inferred) if given.gene.is_optional else inferred
    return replace(given, gene=adopted)


def _merged_objects(known: ObjectGene, seen: ObjectGene) -> ObjectGene:
    def merged(given: Field) -> Field:
        other = seen.field(given.name)
        return given if other is None else replace(given, gene=given.gene.merged(other.gene))

    others = (one for one in (*seen.fields, *seen.extras) if known.field(one.name) is None)
    added = (Field.optional(one.name, one.gene) for one in others)
    return replace(
        known,
        fields=(*map(merged, known.fields), *added),
        extras=tuple(map(merged, known.extras)),
        additional=known.additional if known.additional is not None else seen.additional,
    )


def _one_of(known: Gene, seen: Gene) -> Gene | None:
    """Return a choice of an object and an array, or the one of which more is known."""
    if not known.specificity() == seen.specificity() == ObjectGene.says:
        return None
    if ObjectGene() in (known, seen):
        return seen if known == ObjectGene() else known
    return ChoiceGene((known, seen))


def gene_for(value: object, depth: int = LARGEST_DEPTH) -> Gene:
    """Return a gene of the type of `value`, or of the format of a text, that holds it."""
    if depth > 0 and isinstance(value, Mapping):
        fields = {  # of keys such as 1 and "1" the later one wins, as in JSON
            str(name): Field(str(name), gene_for(item, depth - 1), required=False)
            for name, item in value.items()
        }
        return ObjectGene(tuple(fields.values()))
    if depth > 0 and isinstance(value, (list, tuple)):
        return _gene_for_sequence(value, depth)
    return gene_for_scalar(value)


def _gene_for_sequence(values: Sequence[object], depth: int) -> Gene:
    elements = tuple(gene_for(item, depth - 1) for item in values)
    template: Gene = elements[0] if elements else ANY_TEXT
    for element in elements[1:]:
        template = template.merged(element)
    return ArrayGene(template, elements=elements)
