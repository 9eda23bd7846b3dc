"""The gene: an immutable value with a type, constraints and ways to vary."""

from __future__ import annotations

from abc import ABC
from abc import abstractmethod
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from enum import Enum
from typing import ClassVar
from typing import TypeAlias
from typing import cast

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random

Key: TypeAlias = "str | int"
"""A child's key in its parent: a field name or an index."""

Path: TypeAlias = tuple[Key, ...]
"""The way from a root gene to one of its descendants; () is the root."""


class Absent:
    """The value of an inactive optional gene; the only instance is `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"

    def __reduce__(self) -> str:
        """Pickle as the only instance."""
        return "ABSENT"


ABSENT = Absent()


class Wrong(Enum):
    """A way of being wrong on purpose; `genes.wrong` draws the values."""

    EMPTY_TEXT = "an empty text"
    TEXT = "a text that is no number"
    NUMBER = "a number"
    FRACTION = "a fraction"
    HUGE = "a number that no column holds"
    EMPTY_LIST = "an empty list"
    EMPTY_OBJECT = "an empty object"
    LIST_AROUND = "a list around the value"
    OUT_OF_BOUNDS = "a number beyond its bounds"
    TOO_LONG = "a text that is too long"
    TOO_SHORT = "a text that is too short"
    UNKNOWN_OPTION = "a word that is no option"
    WRONG_COUNT = "too few or too many elements"
    FIRST_ELEMENT = "an element in the place of its list"
    WRONG_INSIDE = "a text of JSON with something wrong inside"


class _Role:
    """A part of the interface of genes; only genes have it."""

    __slots__ = ()

    def _itself(self) -> Gene:
        return cast("Gene", self)


class Limited(_Role):
    """What is known about the values of a gene, and their limits."""

    __slots__ = ()

    says: ClassVar[int] = 4
    """How much a gene of this class says about its values; see `specificity`."""

    def specificity(self) -> int:
        """Return how much this gene says about its values; more is more specific.

        0 is nothing, 1 any text, 2 text within limits, 3 a scalar type.  4 is a type within limits,
        or a format.  5 is an enumeration, 6 an object or array.
        """
        return self.says

    def limits(self) -> tuple[float | None, float | None]:
        """Return the least and the greatest number; None for no limit."""
        return None, None

    def lengths(self) -> tuple[int, int | None]:
        """Return the least and the greatest length of a text or a list; None for no limit."""
        return 0, None

    def allows_length(self, length: int) -> bool:
        """Say whether a value of this length satisfies the constraints."""
        least, most = self.lengths()
        return length >= least and (most is None or length <= most)

    def breakable(self) -> tuple[Wrong, ...]:
        """Return the ways to break a constraint but keep the type, if there is a constraint."""
        return ()


class Shaped(_Role):
    """The shape of a gene, so that callers need not know its class."""

    __slots__ = ()

    def present(self) -> Gene:
        """Return the gene of a present value: without "optional" and "null"."""
        return self._itself()

    def sent(self) -> Gene:
        """Return the gene of a sent value: without "optional"."""
        return self._itself()

    def not_null(self) -> Gene | None:
        """Return the gene without "null"; None where it is only null."""
        return self._itself()

    def chosen(self) -> Gene:
        """Return the gene that holds the value now: the active alternative of a choice."""
        return self._itself()

    def kinds(self) -> tuple[Gene, ...]:
        """Return the possible genes: the alternatives of a choice."""
        return (self._itself(),)

    def element(self) -> Gene | None:
        """Return the template of an array's elements; None for no array."""
        return None

    def named_parts(self) -> Mapping[str, Gene]:
        """Return the fields of an object by name; none for no object."""
        return {}

    def described(self, place: Path) -> Gene | None:
        """Return the gene for the value at a path of values, even when no value is there now.

        The result is None without such a gene. For a choice it comes from the first alternative
        that has one.
        """
        return None if place else self._itself()

    def with_inside(self, change: Callable[[Gene], Gene]) -> Gene | None:
        """Return a copy around the result of `change` for the gene inside; None without one."""
        return None

    def with_all_present(self) -> Gene:
        """Return a copy with every optional field of its objects active."""
        return self._itself()

    def without_fields(self, names: frozenset[str]) -> Gene:
        """Return a copy with these optional fields of the outermost object inactive."""
        return self._itself()

    def left_out(self) -> Gene:
        """Return a copy that is not sent, if it is optional."""
        return self._itself()


class Mergeable(_Role):
    """Merging of two genes for one value."""

    __slots__ = ()

    merge_order: ClassVar[int] = 0
    """Of two genes, the one with the higher number decides how they are merged."""

    def merged(self, seen: Gene) -> Gene:
        """Return a gene for the values of this gene and of `seen`; this one wins ties.

        Objects get the fields of both (one-sided fields become optional), arrays the merge of their
        templates, and null makes a gene nullable. Otherwise, the more specific gene is kept.
        """
        decisive = self if self.merge_order >= seen.merge_order else seen
        return decisive.merge(self._itself(), seen)

    def merge(self, known: Gene, seen: Gene) -> Gene:
        """Merge two genes; this gene decides how."""
        return seen if seen.specificity() > known.specificity() else known


@dataclass(frozen=True)
class Gene(Limited, Shaped, Mergeable, ABC):
    """One immutable node of a gene tree.

    Subclasses are frozen dataclasses: constraints first, the present value last.  Two
    genes with equal fields are equal.  All randomness comes from the `rng` argument.
    """

    is_wrapper: ClassVar[bool] = False
    """Whether the only child's value is this gene's value (optional, nullable, choice)."""

    is_numeric: ClassVar[bool] = False
    """Whether the value is a number, with any limits."""

    is_truth: ClassVar[bool] = False
    """Whether the value is true or false."""

    is_binary: ClassVar[bool] = False
    """Whether the value is bytes, like the content of a file."""

    is_optional: ClassVar[bool] = False
    """Whether the value may be omitted."""

    takes_suggestions: ClassVar[bool] = True
    """Whether suggestions may replace its value: it is a single value without an enumeration."""

    may_be_wrong: ClassVar[bool] = True
    """Whether a wrong value of another type may deliberately replace it."""

    structure_weight: ClassVar[float] = 1.0
    """Weight of changing this gene itself, compared with a leaf's value (1)."""

    wrong_types: ClassVar[tuple[Wrong, ...]] = (Wrong.EMPTY_TEXT, Wrong.NUMBER, Wrong.LIST_AROUND)
    """Wrong types that may replace its value, besides null and omission."""

    @abstractmethod
    def value(self) -> object:
        """Return the plain Python value (JSON-like, or bytes), `ABSENT` when inactive."""

    @abstractmethod
    def sample(self, rng: Random) -> Gene:
        """Return a gene with this type and these constraints, and a fresh random value."""

    @abstractmethod
    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Return a slightly changed gene; `strength` in [0, 1]: 0 small steps, 1 bold ones.

        The result differs from `self` whenever the type has more than one value.
        """

    def restructured(self, rng: Random, strength: float) -> Gene | None:
        """Return a copy in which this gene itself is changed, not its children.

        For a gene without children this is a mutant. The result is None when it cannot change.
        """
        return self.mutate(rng, strength)

    def adopt(self, value: object) -> Gene | None:
        """Return this gene holding `value` as closely as its type permits, or None.

        Values are converted when their meaning stays: "12" for an integer, 12 for a text.
        Constraints are deliberately not enforced: hints and seeds may break them.
        """
        return None

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler variants, the simplest first, but never `self`; minimisation uses them."""
        return iter(())

    def children(self) -> tuple[tuple[Key, Gene], ...]:
        """Return the direct children of the present value, in a stable order."""
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
    """Return the descendant of `root` at `path`, None without one."""
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
