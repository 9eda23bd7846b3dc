from __future__ import annotations

import re
from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.regex import RegexGene

PATTERNS = [
    r"^\d{3}-\d{4}$",
    r"^(GET|POST|DELETE) /[a-z]+$",
    r"[A-Za-z_][A-Za-z0-9_]*",
    r"^(?P<quote>['\"])\w+(?P=quote)$",
    r"^(a|b)(c)?\1\2?$",
    r"^[^\d\s]{2,4}$",
    r"^\s?\S+\W\D$",
    r"^(?:[01]\d|2[0-3]):[0-5]\d$",
    r"(?i)^hello$",
    r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,16}$",
    r"^(?!0)\d{2}$",
    r"^\bword\b.*?$",
    r"^#([0-9a-fA-F]{3}){1,2}$",
    r"^[\u4e00-\u9fff]{2}$",
    r"^(x+x+)+y$",
    r"^(((mon|tue)|wed)\.)*$",
    r"",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_samples_match(pattern: str) -> None:
    rng = Random(1)
    gene = RegexGene.compile(pattern)
    assert re.search(pattern, gene.value())
    for _ in range(50):
        assert re.search(pattern, gene.sample(rng).value())


@pytest.mark.parametrize("pattern", PATTERNS[:-1])
def test_mutants_mostly_match(pattern: str) -> None:
    rng = Random(1)
    gene = RegexGene.compile(pattern).sample(rng)
    matching = 0
    for _ in range(100):
        gene = gene.mutate(rng)
        matching += re.search(pattern, gene.value()) is not None
    assert matching > 75


@pytest.mark.parametrize("pattern", PATTERNS)
def test_minimisation_stays_inside_the_pattern(pattern: str) -> None:
    gene: Gene = RegexGene.compile(pattern).sample(Random(2))
    for _ in range(200):
        simpler = next(gene.simpler(), None)
        if simpler is None:
            break
        assert re.search(pattern, simpler.value())
        assert len(simpler.value()) <= len(gene.value())
        gene = simpler
    else:
        pytest.fail("still simplifying")


def test_lengths_are_kept() -> None:
    rng = Random(1)
    gene = RegexGene.compile(r"^[a-z]+$", minimum_length=4, maximum_length=5)
    lengths = {len(gene.sample(rng).value()) for _ in range(50)}
    assert lengths == {4, 5}
    assert len(gene.value()) in lengths


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{3,1}", "*", "(a{999}){999}"])
def test_patterns_that_cannot_be_used_are_refused_by_compile(pattern: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        RegexGene.compile(pattern)


def test_without_compile_a_broken_pattern_is_an_ordinary_text() -> None:
    gene = RegexGene("(", "x")
    assert isinstance(gene.sample(Random(1)).value(), str)


def test_any_text_can_be_held_and_led_back() -> None:
    rng = Random(1)
    held = RegexGene.compile(r"^\d{4}$").adopt("nothing like it")
    assert held.value() == "nothing like it"
    assert any(re.search(r"^\d{4}$", held.mutate(rng).value()) for _ in range(30))


def test_genes_with_the_same_text_are_equal_whatever_tree_made_it() -> None:
    assert RegexGene.compile("^a$") == RegexGene("^a$", "a")


@pytest.mark.parametrize(
    ("pattern", "text", "around"),
    [
        (r'name:(?:"[^"]*"|[a-z]+)', "o'clock", 'name:"o\'clock"'),
        (r"^[a-z]+-\d+$", "word", "word-0"),
        (r"^(?:#|x[^#]*)$", "a b", "xa b"),
        (r"^(?:[^,]+,){2}$", "a'b", "a'b,a,"),
        (r"^\d+$", "word", None),
        (r"^.{1,3}$", "words", None),
        (r"(?P<open", "word", None),
    ],
)
def test_a_text_stands_inside_a_match(pattern: str, text: str, around: str | None) -> None:
    assert RegexGene(pattern).around(text) == around
