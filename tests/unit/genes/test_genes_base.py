from __future__ import annotations

from pytest_evosearch.genes.base import gene_at
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene


def test_a_descendant_is_found_at_its_path_or_nothing_is() -> None:
    age = IntegerGene(current=3)
    person = ObjectGene((Field("age", age),))

    assert gene_at(person, ()) is person
    assert gene_at(person, ("age",)) is age
    assert gene_at(person, ("name",)) is None
    assert gene_at(person, ("name", "first")) is None
