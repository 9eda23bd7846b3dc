"""Values and fields that may be omitted, values that may be null, and null itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Key
from pytest_evosearch.genes.composite import INNER
from pytest_evosearch.genes.text import ANY_TEXT
from pytest_evosearch.genes.wrappers import WrapperGene

ACTIVE_CHANCE = 0.6
"""How often a sample sends an optional value: present values reach more code than absent ones."""

NULL_CHANCE = 0.1


@dataclass(frozen=True)
class OptionalGene(WrapperGene):
    """A value that is sent or not: `ABSENT` when inactive."""

    merge_order: ClassVar[int] = 3
    is_optional: ClassVar[bool] = True

    active: bool = True

    def value(self) -> object:
        """Return the value inside, or `ABSENT`."""
        return self.gene.value() if self.active else ABSENT

    def sample(self, rng: Random) -> OptionalGene:
        """Sample the gene inside, and send it in somewhat more than half of all cases."""
        return OptionalGene(self.gene.sample(rng), rng.random() < ACTIVE_CHANCE)

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Activate or deactivate the value."""
        return replace(self, active=not self.active)

    def adopt(self, value: object) -> Gene | None:
        """Activate with the value inside; `ABSENT` deactivates."""
        if value is ABSENT:
            return self.left_out()
        adopted = self.gene.adopt(value)
        return None if adopted is None else OptionalGene(adopted, True)

    def simpler(self) -> Iterator[Gene]:
        """Yield the absent value, then simpler values."""
        if self.active:
            yield self.left_out()
            yield from super().simpler()

    def present(self) -> Gene:
        """Return the gene inside."""
        return self.gene.present()

    def sent(self) -> Gene:
        """Return the gene inside."""
        return self.gene

    def with_all_present(self) -> Gene:
        """Return an active copy, with all optional parts inside active."""
        return replace(self, gene=self.gene.with_all_present(), active=True)

    def without_fields(self, names: frozenset[str]) -> Gene:
        """Return a copy with these fields of the object inside inactive."""
        return replace(self, gene=self.gene.without_fields(names))

    def left_out(self) -> OptionalGene:
        """Return an inactive copy."""
        return replace(self, active=False)

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge the genes inside; the result is optional only if this gene is known to be."""
        inner = seen.sent()
        return replace(self, gene=self.gene.merged(inner)) if known is self else known.merged(inner)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the gene inside while it is active."""
        return ((INNER, self.gene),) if self.active else ()


@dataclass(frozen=True)
class NullableGene(WrapperGene):
    """A value that may be null instead."""

    structure_weight: ClassVar[float] = 0.1
    merge_order: ClassVar[int] = 1

    null: bool = False

    def value(self) -> object:
        """Return the value inside, or None."""
        return None if self.null else self.gene.value()

    def sample(self, rng: Random) -> NullableGene:
        """Sample the gene inside; in a tenth of all cases return null."""
        return NullableGene(self.gene.sample(rng), rng.random() < NULL_CHANCE)

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Switch between null and the value inside."""
        return replace(self, null=not self.null)

    def adopt(self, value: object) -> Gene | None:
        """Hold None as null, any other value inside."""
        if value is None:
            return replace(self, null=True)
        adopted = self.gene.adopt(value)
        return None if adopted is None else NullableGene(adopted, False)

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler values of the gene inside; null has no simpler value."""
        if not self.null:
            yield from super().simpler()

    def present(self) -> Gene:
        """Return the gene inside."""
        return self.gene.present()

    def not_null(self) -> Gene | None:
        """Return the gene inside."""
        return self.gene

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge the genes inside both."""
        return _merged_nullable(known, seen, null=known is self and self.null)

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the gene inside unless it is null."""
        return () if self.null else ((INNER, self.gene),)


@dataclass(frozen=True)
class NullGene(Gene):
    """Always null."""

    merge_order: ClassVar[int] = 1
    says: ClassVar[int] = 0

    def value(self) -> None:
        """Return None."""
        return

    def sample(self, rng: Random) -> NullGene:
        """Return the gene itself: there is one null."""
        return self

    def mutate(self, rng: Random, strength: float = 0.5) -> NullGene:
        """Return the gene itself: there is one null."""
        return self

    def adopt(self, value: object) -> NullGene | None:
        """Hold None and nothing else."""
        return self if value is None else None

    def not_null(self) -> None:
        """Return None: there is nothing else."""

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Make nullable what the other one stands for."""
        return _merged_nullable(known, seen, null=False)


def _merged_nullable(known: Gene, seen: Gene, null: bool) -> Gene:
    present = [gene for gene in (known.not_null(), seen.not_null()) if gene is not None]
    if not present:
        return known
    return NullableGene(present[0] if len(present) == 1 else present[0].merged(present[1]), null)


def optional(gene: Gene, active: bool = True) -> Gene:
    """Return a gene that may be omitted; an optional one is returned unchanged."""
    return gene if gene.is_optional else OptionalGene(gene, active)


@dataclass(frozen=True)
class Field:
    """A named part of an object.

    The gene of an optional field is an `OptionalGene`, unless it holds a value of an example. Such
    a field is always sent, and only minimisation omits it.
    """

    name: str
    gene: Gene = ANY_TEXT
    required: bool = True

    @classmethod
    def optional(cls, name: str, gene: Gene, active: bool = True) -> Field:
        """Make a field that may be omitted."""
        return cls(name, optional(gene, active), required=False)


def with_gene_of(fields: tuple[Field, ...], name: str, gene: Gene) -> tuple[Field, ...]:
    """Return fields with another gene in the one called `name`."""
    return tuple(replace(given, gene=gene) if given.name == name else given for given in fields)


def without_optional(given: Field) -> Field:
    """Return a field that is left out where it may be."""
    if given.gene.is_optional or not given.required:
        return replace(given, gene=switched_off(given.gene))
    return given


def switched_off(gene: Gene) -> OptionalGene:
    """Return a gene that is not sent."""
    return OptionalGene(gene.sent(), active=False)
