from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene

NAME = TextGene(maximum_length=20)
TAG = TextGene(maximum_length=5)
AGE = IntegerGene(0, 120)
PERSON = ObjectGene(
    (
        Field("name", NAME),
        Field.optional("age", OptionalGene(NullableGene(AGE))),
        Field("tags", ArrayGene(TAG)),
    )
)


@pytest.mark.parametrize(
    ("root", "path", "found"),
    [
        (PERSON, ("name",), NAME),
        (PERSON, ("age",), AGE),
        (PERSON, ("tags", 3), TAG),
        (PERSON, ("shoe",), None),
        (ChoiceGene((IntegerGene(), PERSON)), ("name",), NAME),
        (OptionalGene(NAME), (), NAME),
        (NAME, ("deeper",), None),
    ],
)
def test_what_is_described_is_found_present_or_not(
    root: Gene, path: tuple[str | int, ...], found: Gene | None
) -> None:
    assert root.described(path) == found


def test_a_choice_says_which_alternative_holds_its_value() -> None:
    choice = ChoiceGene((AGE, NAME), 1)
    assert choice.chosen() is NAME
    assert NAME.chosen() is NAME


def test_what_is_sent_is_no_longer_optional() -> None:
    assert OptionalGene(NullableGene(AGE)).sent() == NullableGene(AGE)
    assert NAME.sent() is NAME


def test_all_that_is_optional_is_switched_on_but_for_the_fields_that_are_named() -> None:
    person = ObjectGene((Field.optional("age", AGE, active=False), Field("name", NAME)))
    everything = person.with_all_present()
    assert set(everything.value()) == {"age", "name"}
    assert set(everything.without_fields(frozenset({"age", "name"})).value()) == {"name"}


def test_a_gene_tells_its_shape_without_its_class() -> None:
    tags = ArrayGene(TAG, 1, 3)
    assert [gene.element() for gene in (tags, NAME)] == [TAG, None]
    assert list(PERSON.named_parts()) == ["name", "age", "tags"]
    assert NAME.named_parts() == {}
    assert ChoiceGene((AGE, NAME)).kinds() == (AGE, NAME)
    assert NAME.kinds() == (NAME,)


def test_limits_of_numbers_and_lengths_are_told_by_the_gene() -> None:
    assert AGE.limits() == (0, 120)
    assert NAME.limits() == (None, None)
    assert [gene.lengths() for gene in (NAME, ArrayGene(TAG, 1, 3), AGE)] == [
        (0, 20),
        (1, 3),
        (0, None),
    ]
    assert [NAME.allows_length(length) for length in (0, 20, 21)] == [True, True, False]


@pytest.mark.parametrize(
    "around",
    [OptionalGene(AGE), NullableGene(AGE), SuggestedGene(AGE, (7,)), EncodedGene(AGE)],
)
def test_what_is_inside_is_changed_without_losing_what_is_around(around: Gene) -> None:
    changed = around.with_inside(lambda _inside: NAME)
    assert changed == replace(around, gene=NAME)  # type: ignore[call-arg]


def test_only_what_is_optional_can_be_left_out_and_only_null_is_nothing_else() -> None:
    assert OptionalGene(NAME).left_out() == OptionalGene(NAME, active=False)
    assert NAME.left_out() is NAME
    assert [gene.not_null() for gene in (NullableGene(NAME), NAME, NullGene())] == [
        NAME,
        NAME,
        None,
    ]
    assert NAME.with_inside(lambda inside: inside) is None
