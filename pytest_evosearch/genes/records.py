"""Objects: named fields, some of them optional, and names that nobody declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.characters import WORDS
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.composite import simpler_children
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.text import ANY_TEXT

EXTRA_CHANCE = 0.2
"""How often a sample has an undeclared name, where the object takes any."""

LARGEST_EXTRAS = 5
"""Undeclared names that mutation adds at most."""


@dataclass(frozen=True)
class Field:
    """A named part of an object.

    The gene of one that is not required is an `OptionalGene`, unless it holds what was seen in an
    example: that is always sent, and only left out where a test gets simpler by it.
    """

    name: str
    gene: Gene = ANY_TEXT
    required: bool = True

    @classmethod
    def optional(cls, name: str, gene: Gene, active: bool = True) -> Field:
        """Make a field that may be left out."""
        wrapped = gene if isinstance(gene, OptionalGene) else OptionalGene(gene, active)
        return cls(name, wrapped, required=False)


@dataclass(frozen=True)
class ObjectGene(CompositeGene):
    """A mapping with text keys: declared `fields`, then `extras` made after `additional`.

    `additional` None means that no undeclared names are invented; extras can still be held.
    A field's name is unique among fields and extras.
    """

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

    def sample(self, rng: Random) -> ObjectGene:
        """Sample every field; sometimes invent a name where any is taken."""
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
        """Add or drop an undeclared name; fields are switched by their own optional genes."""
        if self.extras and (rng.random() < 0.5 or len(self.extras) >= LARGEST_EXTRAS):
            at = rng.randrange(len(self.extras))
            return replace(self, extras=self.extras[:at] + self.extras[at + 1 :])
        if self.additional is None:
            return None
        return replace(self, extras=self._with_extra(self.extras, self.additional, rng))

    def adopt(self, value: object) -> Gene | None:
        """Hold a mapping: known names in their fields, unknown ones as extras, the rest absent.

        A required field that is missing stays missing: it becomes optional and is switched off.
        """
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
        return adopted or _inferred(item)

    def simpler(self) -> Iterator[Gene]:
        """Yield the object without anything optional, without one thing, then simpler fields."""
        bare = replace(self, fields=tuple(map(_without_optional, self.fields)), extras=())
        if bare != self:
            yield bare
        for at in range(len(self.extras)):
            yield replace(self, extras=self.extras[:at] + self.extras[at + 1 :])
        for given in self.fields:
            # One that is optional by its gene is left out by that gene.
            if not given.required and not isinstance(given.gene, OptionalGene):
                yield self.with_child(given.name, _switched_off(given.gene))
        yield from simpler_children(self)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return fields and extras under their names; an optional one also while it is off."""
        return tuple((given.name, given.gene) for given in (*self.fields, *self.extras))

    def with_child(self, key: Key, child: Gene) -> ObjectGene:
        """Return a copy with the field or extra `key` replaced."""
        if self.field(str(key)) is None:
            raise KeyError(key)
        return replace(
            self,
            fields=_with_gene(self.fields, str(key), child),
            extras=_with_gene(self.extras, str(key), child),
        )


def _with_gene(fields: tuple[Field, ...], name: str, gene: Gene) -> tuple[Field, ...]:
    return tuple(replace(given, gene=gene) if given.name == name else given for given in fields)


def _without_optional(given: Field) -> Field:
    if isinstance(given.gene, OptionalGene) or not given.required:
        return replace(given, gene=_switched_off(given.gene))
    return given


def _adopted_field(given: Field, value: dict[object, object]) -> Field:
    if given.name not in value:
        return Field.optional(given.name, _switched_off(given.gene))
    item = value[given.name]
    adopted = given.gene.adopt(item)
    if adopted is None:
        inferred = _inferred(item)
        adopted = OptionalGene(inferred) if isinstance(given.gene, OptionalGene) else inferred
    return replace(given, gene=adopted)


def _switched_off(gene: Gene) -> OptionalGene:
    inner = gene.gene if isinstance(gene, OptionalGene) else gene
    return OptionalGene(inner, active=False)


def _inferred(item: object) -> Gene:
    # Imported late: inference builds objects.
    from pytest_evosearch.genes.inference import gene_for

    return gene_for(item)
