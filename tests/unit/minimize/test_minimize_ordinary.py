from __future__ import annotations

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.ordinary import ordinary_variants
from pytest_evosearch.minimize.ordinary import with_ordinary_values
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest


def called_with(*genes: Gene) -> UnitTest:
    return UnitTest((UnitCall("shop:total", tuple(zip("abcdef", genes, strict=False))),))


def values(test: UnitTest) -> list[object]:
    return list(test.act.values().values())


def test_the_smallest_values_give_way_to_different_ordinary_ones() -> None:
    smallest = called_with(
        TextGene(), TextGene(current="a"), IntegerGene(), FloatGene(), ArrayGene(TextGene())
    )

    assert values(with_ordinary_values(smallest, lambda _test: True, 40)) == [
        *("hello world", "Red Blue", 5, 2.5, ["one", "two", "three"]),
    ]


def test_a_value_that_the_test_needs_and_an_ordinary_one_stay() -> None:
    test = called_with(TextGene(current="WELCOME10"), IntegerGene().adopt(7) or IntegerGene())

    kept = with_ordinary_values(test, lambda one: values(one)[0] == "WELCOME10", 40)

    assert values(kept) == ["WELCOME10", 7]


def test_texts_are_preferred_and_no_option_is_added() -> None:
    either = ChoiceGene((TextGene(), BytesGene(current=b"x")), 1)
    test = called_with(either, OptionalGene(ArrayGene(IntegerGene()), active=False))

    assert values(with_ordinary_values(test, lambda _test: True, 40)) == ["hello world"]


def test_a_text_that_must_begin_with_a_slash_becomes_a_path() -> None:
    test = called_with(TextGene(current="/"))

    kept = with_ordinary_values(test, lambda one: str(values(one)[0]).startswith("/"), 40)

    assert values(kept) == ["/hello"]


def test_no_more_variants_are_tried_than_allowed() -> None:
    tried: list[UnitTest] = []
    test = called_with(TextGene(), TextGene())

    assert with_ordinary_values(test, lambda one: bool(tried.append(one)), 3) == test
    assert len(tried) == 3


def test_variants_differ() -> None:
    told = [values(one) for one in ordinary_variants(called_with(TextGene()))]

    assert told == [["hello world"], ["Red Blue"], ["hello"], ["admin"], ["title"]]


def test_what_people_would_pass_is_preferred_and_stays() -> None:
    usual = Usual(("12-3", "12-4", 7))
    test = called_with(TextGene(current="a"), TextGene(current="12-4"), IntegerGene())

    found = with_ordinary_values(test, lambda _test: True, 40, usual=lambda *_at: usual)

    assert values(found) == ["12-3", "12-4", 7]


def test_a_keyword_is_not_replaced_by_an_ordinary_text() -> None:
    test = called_with(TextGene(current="x"), IntegerGene())

    found = with_ordinary_values(test, lambda _test: True, 40, usual=lambda *_at: Usual((), False))

    assert values(found) == ["x", 12]


def test_digits_become_plain_where_a_text_needs_its_form() -> None:
    gene = TextGene(current="2782W72")
    test = UnitTest((UnitCall("f", (("text", gene),)),))

    def is_week(one: UnitTest) -> bool:
        return "W" in str(one.act.values()["text"])

    assert with_ordinary_values(test, is_week, 30).act.values() == {"text": "2012W12"}


def test_two_arguments_with_one_value_become_different() -> None:
    equal = called_with(
        ArrayGene(IntegerGene(), elements=(IntegerGene(current=12),)),
        ArrayGene(IntegerGene(), elements=(IntegerGene(current=12),)),
        IntegerGene(current=5),
        IntegerGene(current=5),
    )

    first, second, third, fourth = values(with_ordinary_values(equal, lambda _test: True, 40))

    assert first != second
    assert third != fourth


def test_two_arguments_that_must_be_equal_stay() -> None:
    equal = called_with(IntegerGene(current=5), IntegerGene(current=5))

    def keeps(test: UnitTest) -> bool:
        return len(set(map(str, values(test)))) == 1

    assert values(with_ordinary_values(equal, keeps, 40)) == [5, 5]
