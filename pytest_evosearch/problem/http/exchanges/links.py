"""Values that come from an earlier response of the same test, such as the id of what it created.

    `learning.linking`         finds the answer that has what an input takes
    `LinkGene`                 stands in that input, and names the call and the place in its answer
    `request.build_request`    puts the value there when the call is sent

Where the earlier response has no such value, the fallback of the link is sent.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.wrappers import WrapperGene
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input

_TEXT = TextGene()


@dataclass(frozen=True)
class Link:
    """A placeholder inside a value: the value at `selector` in the response to call `label`."""

    label: int
    selector: Selector
    fallback: object
    """Value to send when that call is missing, comes later, or its response has no such value."""
    prefix: str = ""
    """Text before the value, such as ``Bearer ``."""


@dataclass(frozen=True)
class LinkGene(Gene):
    """A gene whose value is a `Link`; without its call it is its `fallback`."""

    label: int = 0
    selector: Selector = ()
    fallback: Gene = _TEXT

    def value(self) -> Link:
        """Return the placeholder that `problem.http.exchanges.request.build_request` resolves."""
        return Link(self.label, self.selector, self.fallback.value())

    def sample(self, rng: Random) -> Gene:
        """Return this link with a fresh fallback."""
        return replace(self, fallback=self.fallback.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Return a mutant of the fallback: the link is cut."""
        return self.fallback.mutate(rng, strength)

    def below(self) -> Gene:
        """Return the value that is sent without the link."""
        return self.fallback

    def adopt(self, value: object) -> Gene | None:
        """Return the fallback holding `value`: the link is cut."""
        return self.fallback.adopt(value)


@dataclass(frozen=True)
class PrefixedGene(WrapperGene):
    """A fixed text before the value of another gene: ``Bearer `` before a linked token."""

    prefix: str = ""

    def value(self) -> object:
        """Return the text, or a `Link` that carries the prefix."""
        inner = self.gene.value()
        if inner is ABSENT:
            return ABSENT
        if isinstance(inner, Link):
            return replace(inner, prefix=self.prefix + inner.prefix)
        return f"{self.prefix}{inner}"

    def sample(self, rng: Random) -> Gene:
        """Sample the gene after the prefix."""
        return replace(self, gene=self.gene.sample(rng))

    def mutate(self, rng: Random, strength: float = 0.5) -> Gene:
        """Mutate the gene after the prefix."""
        return replace(self, gene=self.gene.mutate(rng, strength))

    def below(self) -> Gene:
        """Return the gene after the prefix."""
        return self.gene

    def adopt(self, value: object) -> Gene | None:
        """Keep the prefix where `value` begins with it, otherwise become a plain text."""
        if isinstance(value, str) and value.startswith(self.prefix):
            inner = super().adopt(value[len(self.prefix) :])
            if inner is not None:
                return inner
        return TextGene().adopt(value)


def unwrapped(gene: Gene) -> Gene:
    """Return the plain gene below links and prefixes.

    A new link is put above this gene. Otherwise, each round of cutting and remaking a link would
    add one more prefix, up to Python's recursion limit.
    """
    while isinstance(gene, (LinkGene, PrefixedGene)):
        gene = gene.below()
    return gene


def is_linked(given: Input) -> bool:
    """Say whether the whole value of an input comes from an earlier call."""
    return isinstance(given.gene.value(), Link)


def link_of(gene: Gene) -> LinkGene | None:
    """Return the link that a gene is, None for another kind of gene."""
    return gene if isinstance(gene, LinkGene) else None


def links_in(gene: Gene) -> Iterator[tuple[Path, LinkGene]]:
    """Yield the links of a tree with their paths."""
    for path, found in walk(gene):
        if (link := link_of(found)) is not None:
            yield path, link


def takes_from_mail(call: Call) -> bool:
    """Say whether a call sends text from a letter."""
    links = (link for given in call.inputs for _path, link in links_in(given.gene))
    return any(link.selector[0] == "mail" for link in links)


def linked_labels(inputs: Iterable[Input]) -> list[int]:
    """Return the labels of the calls that `inputs` take values from."""
    return [link.label for given in inputs for _path, link in links_in(given.gene)]


def renamed(gene: Gene, labels: Mapping[int, int]) -> Gene:
    """Return `gene` with its links renamed by `labels`; links without a label become fallbacks."""
    for path, link in list(links_in(gene)):
        label = labels.get(link.label)
        changed = link.fallback if label is None else replace(link, label=label)
        gene = replaced(gene, path, changed)
    return gene
