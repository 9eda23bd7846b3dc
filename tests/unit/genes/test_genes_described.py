from __future__ import annotations

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import Field
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import NullableGene
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
