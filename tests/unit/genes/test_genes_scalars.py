from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene


def climb(gene: Gene, distance: Callable[[object], float], tries: int, seed: int) -> Gene:
    """Accept what is no worse, as MIO does."""
    rng = Random(seed)
    for _ in range(tries):
        candidate = gene.mutate(rng, rng.choice((0.2, 0.5, 1.0)))
        if distance(candidate.value()) <= distance(gene.value()):
            gene = candidate
        if distance(gene.value()) == 0:
            break
    return gene


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("wanted", "tries"),
    [(7, 300), (-444, 600), (123_456, 1000), (2_147_483_000, 3000), (-(10**15) - 7, 8000)],
)
def test_integers_climb_to_a_wanted_number(wanted: int, tries: int, seed: int) -> None:
    assert climb(IntegerGene(), lambda n: abs(n - wanted), tries, seed).value() == wanted


@pytest.mark.parametrize("seed", range(5))
def test_floats_climb_into_a_narrow_window(seed: int) -> None:
    found = climb(FloatGene(special=False), lambda x: max(0, abs(x - 3.14159) - 0.001), 1000, seed)
    assert found.value() == pytest.approx(3.14159, abs=0.0011)


@pytest.mark.parametrize("seed", range(5))
def test_texts_climb_to_a_wanted_word(seed: int) -> None:
    def distance(text: str) -> float:
        pairs = zip(text, "evosearch", strict=False)
        return 65536 * abs(len(text) - 9) + sum(abs(ord(a) - ord(b)) for a, b in pairs)

    assert climb(TextGene(), distance, 2000, seed).value() == "evosearch"


def test_samples_of_integers_are_mostly_small_and_often_equal() -> None:
    rng = Random(1)
    drawn = Counter(IntegerGene().sample(rng).value() for _ in range(2000))

    assert sum(times for number, times in drawn.items() if abs(number) <= 100) > 1000
    assert {0, 1, 2, 5, 10, -1, 100} <= set(drawn)
    assert any(abs(number) > 2**30 for number in drawn)


def test_samples_of_narrow_ranges_favour_the_edges() -> None:
    rng = Random(1)
    drawn = Counter(IntegerGene(18, 120).sample(rng).value() for _ in range(1000))

    assert min(drawn[18], drawn[120]) > 30
    assert len(drawn) > 60


def test_samples_of_an_identifier_stay_readable() -> None:
    rng = Random(1)
    drawn = [IntegerGene(1, 2**63 - 1).sample(rng).value() for _ in range(500)]
    assert sorted(drawn)[250] < 200


def test_special_floats_are_drawn_only_when_allowed() -> None:
    rng = Random(1)
    drawn = [FloatGene().sample(rng).value() for _ in range(1000)]
    tame = [FloatGene(special=False).sample(rng).value() for _ in range(1000)]

    assert any(math.isnan(number) for number in drawn)
    assert any(math.isinf(number) for number in drawn)
    assert all(math.isfinite(number) for number in tame)


@pytest.mark.parametrize(
    ("gene", "value", "held"),
    [
        (IntegerGene(), "12", 12),
        (IntegerGene(), " -7 ", -7),
        (IntegerGene(), 3.0, 3),
        (IntegerGene(), True, 1),
        (IntegerGene(0, 5), 99, 99),
        (FloatGene(), "1e3", 1000.0),
        (FloatGene(), 2, 2.0),
        (BooleanGene(), "Yes", True),
        (BooleanGene(True), 0, False),
        (NullGene(), None, None),
    ],
)
def test_values_are_adopted_where_the_meaning_stays(
    gene: Gene, value: object, held: object
) -> None:
    adopted = gene.adopt(value)
    assert adopted is not None
    assert adopted.value() == held
    assert type(adopted.value()) is type(held)


@pytest.mark.parametrize(
    ("gene", "value"),
    [
        (IntegerGene(), "one"),
        (IntegerGene(), 1.5),
        (IntegerGene(), math.inf),
        (IntegerGene(), "9" * 5000),
        (FloatGene(), "x"),
        (FloatGene(), 10**400),
        (BooleanGene(), 2),
        (NullGene(), 0),
    ],
)
def test_values_of_another_meaning_are_refused(gene: Gene, value: object) -> None:
    assert gene.adopt(value) is None


def test_a_number_outside_its_bounds_comes_back_when_mutated() -> None:
    broken = IntegerGene(0, 10).adopt(1_000_000)
    assert broken is not None
    assert 0 <= broken.mutate(Random(1)).value() <= 10


def test_simplification_finds_the_smallest_number_that_serves() -> None:
    gene: Gene = IntegerGene(current=987_654_321)
    steps = 0
    while True:
        steps += 1
        smaller = next((g for g in gene.simpler() if g.value() > 1000), None)
        if smaller is None:
            break
        gene = smaller

    assert gene.value() == 1001
    assert steps < 60


def test_simpler_numbers_stay_in_bounds_unless_bounds_are_broken_already() -> None:
    assert [gene.value() for gene in IntegerGene(5, 9, 7).simpler()][:2] == [5, 6]
    assert next(IntegerGene(5, 9, 100).simpler()).value() == 5


def test_simpler_floats_lose_their_fraction_first() -> None:
    values = [gene.value() for gene in FloatGene(current=12.3456).simpler()]
    assert values[:3] == [0.0, 1.0, 12.0]
    assert 12.3 in values


def test_floats_are_equal_by_representation() -> None:
    assert FloatGene(current=math.nan) == FloatGene(current=float("nan"))
    assert FloatGene(current=0.0) != FloatGene(current=-0.0)
