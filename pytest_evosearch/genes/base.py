"""The gene: an immutable value with a type, constraints and ways to vary."""

from __future__ import annotations

from abc import ABC
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pytest_evosearch.core.randomness import Random

Key: TypeAlias = "str | int"
"""A child's place in its parent: a field name or an index."""

Path: TypeAlias = tuple[Key, ...]
"""The way from a root gene to one of its descendants; () is the root."""


class Absent:
    """The value of an optional gene that is switched off; there is one instance, `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        """Pickle to the one instance there is."""
        return "ABSENT"


ABSENT = Absent()


@dataclass(frozen=True)
class Gene(ABC):
    """One immutable node of a gene tree.

    Subclasses are frozen dataclasses: constraints first, the present value last.  Two
    genes with equal fields are equal.  All randomness comes from the `rng` argument.
    """

    @abstractmethod
    def value(self) -> object:
        """Return the plain Python value (JSON-like, or bytes), `ABSENT` when switched off."""

    @abstractmethod
    def sample(self, rng: Random) -> Gene:
        """Return a gene of the same type and constraints with a fresh random value."""

    @abstractmethod
    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Return a slightly changed gene; `strength` in [0, 1]: 0 small steps, 1 bold ones.

        The result differs from `self` whenever the type has more than one value.
        """

    def adopt(self, value: object) -> Gene | None:
        """Return this gene holding `value` as closely as its type permits, or None.

        Conversions that keep the meaning are made: "12" for an integer, 12 for a text.
        Constraints are deliberately not enforced: hints and seeds may break them.
        """
        return None

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler variants, simplest first; used to minimise, so never yields `self`."""
        return iter(())

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the direct children that take part in the present value, in a stable order."""
        return ()

    def with_child(self, key: Key, child: Gene) -> Gene:
        """Return a copy in which the child at `key` is replaced."""
        raise KeyError(key)


def walk(gene: Gene, path: Path = ()) -> Iterator[tuple[Path, Gene]]:
    """Yield every gene of the tree with its path, parents before children."""
    yield path, gene
    for key, child in gene.children():
        yield from walk(child, (*path, key))


def gene_at(root: Gene, path: Path) -> Gene | None:
    """Return the descendant of `root` at `path`, None where nothing is there now."""
    gene: Gene | None = root
    for key in path:
        gene = None if gene is None else dict(gene.children()).get(key)
    return gene


def replaced(root: Gene, path: Path, gene: Gene) -> Gene:
    """Return `root` with the descendant at `path` replaced by `gene`."""
    if not path:
        return gene
    head, *rest = path
    for key, child in root.children():
        if key == head:
            return root.with_child(key, replaced(child, tuple(rest), gene))
    raise KeyError(head)
