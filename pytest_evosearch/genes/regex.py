"""Texts that match a regular expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.genes import characters
from pytest_evosearch.genes import patterns
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.patterns import PatternTree
from pytest_evosearch.genes.patterns import compile_pattern
from pytest_evosearch.genes.patterns import parse_pattern
from pytest_evosearch.genes.patterns import spell
from pytest_evosearch.genes.text import TextualGene

SAMPLE_ATTEMPTS = 40
"""Draws to satisfy conditions that the tree does not know: look-arounds and lengths."""

TREE_ATTEMPTS = 6

BACK_TO_THE_PATTERN = 0.5
"""How often a text without a match is replaced by a matching one."""

LARGEST_CHECKED = 300
"""Longest text that is matched: longer ones from the tree count as matching, others as broken."""

LARGEST_VARIED = 24
"""Longest text that is varied freely: a near miss can make a nested repetition endless."""


@dataclass(frozen=True)
class RegexGene(TextualGene):
    """A text in which `pattern` is found (as `re.search`); lengths are in characters.

    With a pattern that cannot become a tree, this is an ordinary text.
    Look-arounds, word boundaries and lengths are satisfied by trying.
    """

    pattern: str = ""
    current: str = ""
    minimum_length: int = field(default=0, kw_only=True)
    maximum_length: int | None = field(default=None, kw_only=True)
    tree: Gene | None = field(default=None, kw_only=True, compare=False, repr=False)
    """The gene tree of `current`; None when the text does not come from the tree."""

    @classmethod
    def compile(
        cls, pattern: str, minimum_length: int = 0, maximum_length: int | None = None
    ) -> RegexGene:
        """Make a gene that holds the simplest match. Raises ValueError for a malformed pattern."""
        body = parse_pattern(pattern).body
        gene = cls(
            pattern,
            spell(body),
            minimum_length=minimum_length,
            maximum_length=maximum_length,
            tree=body,
        )
        return gene if gene.is_well_formed(gene.current) else gene.holding(gene.simplest())

    def _parsed(self) -> PatternTree | None:
        try:
            return parse_pattern(self.pattern)
        except ValueError:
            return None

    def holding(self, text: str) -> RegexGene:
        """Return a copy that holds any `text`."""
        return replace(self, current=text, tree=None)

    def around(self, text: str) -> str | None:
        """Return a match with `text` inside, where the pattern has a place for any characters."""
        parsed = self._parsed()
        tree = None if parsed is None else patterns.holding(parsed.body, text)
        found = None if tree is None else spell(tree)
        return found if found is not None and self.is_well_formed(found) else None

    def lengths(self) -> tuple[int, int | None]:
        """Return the lengths in characters."""
        return self.minimum_length, self.maximum_length

    def is_well_formed(self, text: str) -> bool:
        """Say whether the pattern is found in `text` and the length is allowed."""
        if len(text) < self.minimum_length or not characters.fits(text, self.maximum_length):
            return False
        compiled = compile_pattern(self.pattern)
        if compiled is None:
            return True
        return len(text) <= LARGEST_CHECKED and compiled.search(text) is not None

    def sample(self, rng: Random) -> RegexGene:
        """Return a random match; the last attempt when all fail (nothing may match a pattern)."""
        parsed = self._parsed()
        if parsed is None:
            text = characters.draw_text(rng, self.minimum_length, self.maximum_length)
            return self.holding(text)
        for _ in range(SAMPLE_ATTEMPTS):
            tree = parsed.body.sample(rng)
            text = spell(tree)
            if self.is_well_formed(text):
                return replace(self, current=text, tree=tree)
            text = _with_fragments(text, parsed, rng)
            if self.is_well_formed(text):
                break
        return self.holding(text)

    def mutate(self, rng: Random, strength: float = 0.5) -> RegexGene:
        """Change one part of the match; rarely draw a new one or break the format."""
        kind = rng.random()
        if kind < 0.04:
            broken = self.holding(characters.vary_text(self.current, rng, strength))
            if broken.current != self.current:
                return broken
        # A broken text was chosen or adopted for a reason: stay near it half of the time.
        if kind > (0.12 if self.is_well_formed(self.current) else BACK_TO_THE_PATTERN):
            varied = self._varied_tree(rng, strength) or self._varied_text(rng, strength)
            if varied is not None:
                return varied
        for _ in range(TREE_ATTEMPTS):
            fresh = self.sample(rng)
            if fresh.current != self.current:
                return fresh
        return self

    def _varied_tree(self, rng: Random, strength: float) -> RegexGene | None:
        for _ in range(TREE_ATTEMPTS if self.tree is not None else 0):
            assert self.tree is not None
            tree = self.tree.mutate(rng, strength)
            text = spell(tree)
            if text != self.current and self.is_well_formed(text):
                return replace(self, current=text, tree=tree)
        return None

    def _varied_text(self, rng: Random, strength: float) -> RegexGene | None:
        if len(self.current) > LARGEST_VARIED:
            return None
        keeps_format = self.is_well_formed(self.current)
        for _ in range(TREE_ATTEMPTS):
            text = characters.vary_text(self.current, rng, strength)
            if text != self.current and (not keeps_format or self.is_well_formed(text)):
                return self.holding(text)
        return None

    def simplest(self) -> str:
        """Return the simplest match, as far as one is found."""
        parsed = self._parsed()
        plain = "a" * self.minimum_length if parsed is None else spell(parsed.body)
        # Always one source: the simplest match of a pattern never changes.
        return plain if self.is_well_formed(plain) else self.sample(Random(0)).current

    def simpler(self) -> Iterator[Gene]:
        """Yield simpler matches, the simplest first (for a broken text any simpler one)."""
        present = characters.simplicity(self.current)
        simplest = self.simplest()
        if characters.simplicity(simplest) < present:
            yield self.holding(simplest)
        keeps_format = self.is_well_formed(self.current)
        for tree in self.tree.simpler() if self.tree is not None else ():
            text = spell(tree)
            if characters.simplicity(text) < present and self.is_well_formed(text):
                yield replace(self, current=text, tree=tree)
        if len(self.current) > LARGEST_VARIED and keeps_format:
            return
        for text in characters.simpler_texts(self.current, self.minimum_length):
            if not keeps_format or self.is_well_formed(text):
                yield self.holding(text)


def _with_fragments(text: str, parsed: PatternTree, rng: Random) -> str:
    """Write a sample of every look-ahead at a random place of `text`, keeping its length."""
    for fragment in parsed.fragments:
        wanted = spell(fragment.sample(rng))
        at = rng.randint(0, max(0, len(text) - len(wanted)))
        text = text[:at] + wanted + text[at + len(wanted) :]
    return text
