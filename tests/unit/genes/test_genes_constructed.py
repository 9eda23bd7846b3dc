from __future__ import annotations

import pickle
from datetime import date
from datetime import datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.base import walk
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.constructed import ConvertedGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import Returning
from pytest_evosearch.genes.constructed import TupleGene
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.genes.constructed import recipes_in
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.temporal import DateGene
from pytest_evosearch.genes.temporal import DateTimeGene

POINT = MadeGene(
    (("x", IntegerGene(current=1)), ("y", IntegerGene())), Named("types", "SimpleNamespace")
)


def test_a_recipe_makes_its_object_anew() -> None:
    first, second = built(POINT.value()), built(POINT.value())

    assert first == SimpleNamespace(x=1, y=0)
    assert first is not second


def test_recipes_inside_containers_are_made() -> None:
    value = {
        "when": [Made(Named("datetime", "date"), (2024, 1, 31))],
        "how": Named("builtins", "len"),
    }

    assert built(value) == {"when": [date(2024, 1, 31)], "how": len}
    assert list(recipes_in(value)) == [value["when"][0], value["how"]]


def test_a_returning_function_takes_anything() -> None:
    function = built(Returning([1]))

    assert function(1, 2, key=3) == [1]  # type: ignore[operator]


def test_a_tuple_keeps_its_length() -> None:
    gene = TupleGene((("", IntegerGene()), ("", FloatGene())))
    rng = derive(1, "tuple")

    for _ in range(20):
        gene = gene.mutate(rng)  # type: ignore[assignment]
        assert len(gene.value()) == 2
    assert gene.adopt((1, 2.5)).value() == (1, 2.5)  # type: ignore[union-attr]
    assert gene.adopt((1,)) is None


def test_converted_genes_take_real_values_back() -> None:
    moment = ConvertedGene(DateGene(), "date").adopt(date(2024, 2, 29))
    amount = ConvertedGene(FloatGene(), "decimal").adopt(Decimal("1.5"))
    members = ConvertedGene(ArrayGene(IntegerGene()), "set").adopt({3, 1})

    assert moment is not None
    assert built(moment.value()) == date(2024, 2, 29)
    assert amount is not None
    assert built(amount.value()) == Decimal("1.5")
    assert members is not None
    assert members.value() == {1, 3}


@pytest.mark.parametrize("zone", ["", "Z", "+01:00", "-05:30", ".250-05:30"])
def test_a_moment_has_no_zone(zone: str) -> None:
    moment = ConvertedGene(DateTimeGene(current=f"2024-02-29T12:30:05{zone}"), "datetime")

    assert built(moment.value()) == datetime(2024, 2, 29, 12, 30, 5)


def test_a_day_without_a_time_is_its_midnight_where_a_moment_is_wanted() -> None:
    moment = ConvertedGene(DateTimeGene(current="2024-02-29"), "datetime")

    assert built(moment.value()) == datetime(2024, 2, 29)


def test_a_text_that_is_no_moment_is_not_held() -> None:
    moment = ConvertedGene(DateTimeGene(), "datetime")
    ((path, leaf),) = [one for one in walk(moment) if not one[1].children()]
    hello = leaf.adopt("hello")

    assert hello is not None
    assert moment.adopt("hello") is None
    assert replaced(moment, path, hello).value() == moment.value()


def test_recipes_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(POINT.value())) == POINT.value()


def test_parts_get_simpler_one_by_one() -> None:
    assert {gene.value().keywords[0][1] for gene in POINT.simpler()} == {0}  # type: ignore[attr-defined]
