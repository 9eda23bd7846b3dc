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
