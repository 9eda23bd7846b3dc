"""Which results a function that does nothing would give, too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_evosearch.genes.base import ABSENT
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.little_said import answers_nonsense
from pytest_evosearch.problem.units.little_said import is_plainly_made
from pytest_evosearch.problem.units.little_said import kept_argument
from pytest_evosearch.problem.units.little_said import says_little
from pytest_evosearch.problem.units.little_said import shows_nothing
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Unknown
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest

CLEAN = Unit("shop", "clean")
POINT = Unit("shop", "Point", Kind.CLASS)


def called(**values: object) -> UnitTest:
    genes = tuple((name, ConstantGene(one)) for name, one in values.items())
    return UnitTest((UnitCall("shop:clean", genes),))


@pytest.mark.parametrize(
    ("given", "value", "is_little"),
    [
        ({"text": "a"}, "a", True),
        ({"text": "a", "width": 3}, 3, True),
        ({"text": ""}, 0, True),
        ({"text": []}, "", True),
        ({"text": "a"}, "", False),
        ({"text": "a"}, "A", False),
        ({"flag": True}, True, False),
        ({"flag": None}, None, False),
        ({}, "", False),
        ({"number": 1}, 1.0, False),
    ],
)
def test_what_goes_in_and_comes_out_says_little(
    given: dict[str, object], value: object, is_little: bool
) -> None:
    assert says_little(called(**given), CLEAN, Result(End.RETURNED, value)) is is_little


def test_a_change_an_output_and_an_error_say_more() -> None:
    raised = Raised(Named("shop", "Refused"), "no")

    assert not says_little(called(text="a"), CLEAN, Result(End.RETURNED, "a", printed="a"))
    assert not says_little(
        called(text="a"), CLEAN, Result(End.RETURNED, "a", changed=(("text", "b"),))
    )
    assert not says_little(called(text="a"), CLEAN, Result(End.RAISED, raised=raised))


def test_an_object_that_is_made_of_nothing_says_little_by_having_nothing() -> None:
    def of(made: object) -> UnitTest:
        return UnitTest((UnitCall("shop:Cart", (("items", ConstantGene(made)),)), UnitCall("x")))

    total = Unit("shop", "Cart.total", Kind.METHOD)
    assert says_little(of(ABSENT), total, Result(End.RETURNED, 0))
    assert not says_little(of(["a"]), total, Result(End.RETURNED, 0))
    assert not says_little(of(ABSENT), total, Result(End.RETURNED, 3))


def test_a_call_without_a_result_shows_only_what_it_changes() -> None:
    silent = replace(CLEAN, gives_nothing=True)

    assert shows_nothing(silent, Result(End.RETURNED))
    assert not shows_nothing(silent, Result(End.RETURNED, printed="a"))
    assert not shows_nothing(silent, Result(End.RETURNED, called=(("report", (), ()),)))
    assert not shows_nothing(CLEAN, Result(End.RETURNED))


@pytest.mark.parametrize(
    ("result", "is_nothing"),
    [
        (Result(End.RETURNED, Instance(Named("shop", "Offer"))), True),
        (Result(End.RETURNED, Unknown(Named("shop", "Offer"))), True),
        (Result(End.RETURNED, Instance(Named("shop", "Offer"), (("price", 3),))), False),
        (Result(End.RETURNED, Instance(Named("shop", "Offer"), elements=())), False),
        (
            Result(End.RETURNED, Instance(Named("shop", "Cart"), (("a", 3),)), passed=("self",)),
            True,
        ),
        (Result(End.RETURNED, Instance(Named("shop", "Offer")), printed="a"), False),
    ],
)
def test_only_the_class_of_a_result_or_the_same_object_shows_nothing(
    result: Result, is_nothing: bool
) -> None:
    assert shows_nothing(CLEAN, result) is is_nothing


def test_a_method_that_gives_and_changes_nothing_says_little() -> None:
    add = Unit("shop", "Cart.add", Kind.METHOD)
    changed = Result(End.RETURNED, changed=(("self", 3),))

    assert says_little(called(name="a"), add, Result(End.RETURNED))
    assert not says_little(called(name="a"), add, changed)
    assert not says_little(called(name="a"), add, Result(End.RETURNED, 3))


def test_nothing_for_an_invented_text_is_nonsense_where_the_code_refuses_others() -> None:
    refusing = Unit("json.decoder", "py_scanstring")
    taking = Unit("textwrap", "dedent")

    assert answers_nonsense(called(text="hello"), refusing, Result(End.RETURNED))
    assert not answers_nonsense(called(text="hello"), refusing, Result(End.RETURNED, 3))
    assert not answers_nonsense(called(text="hello"), taking, Result(End.RETURNED))
    assert not answers_nonsense(called(at=3), refusing, Result(End.RETURNED))


def test_an_object_that_is_compared_with_itself_says_little() -> None:
    itself = Result(End.RETURNED, Made(Named("shop", "Point"), (1,)))

    assert says_little(called(x=1), POINT, itself)
    assert not says_little(called(x=1), CLEAN, itself)


def test_the_argument_that_is_returned_has_a_name() -> None:
    assert kept_argument(called(text="a", width=3), Result(End.RETURNED, 3)) == "width"
    assert kept_argument(called(text="a"), Result(End.RETURNED, "b")) == ""


class Point:
    def __init__(self, text: str = "", scale: int = 3, tags: object = None) -> None:
        self.scale = scale


@pytest.mark.parametrize(
    ("given", "held", "is_plain"),
    [
        ({"text": "1 2"}, {"text": "1 2", "scale": 3}, True),
        ({"text": "1 2"}, {"across": 1, "unit": "cm"}, False),
        ({"text": "1 2"}, {"text": "1 2", "unit": "cm"}, True),
        ({"tags": "red"}, {"tags": ["red"]}, False),
        ({"tags": ["red"]}, {"label": "red"}, True),
    ],
)
def test_an_object_that_holds_arguments_defaults_and_what_all_hold_is_plainly_made(
    given: dict[str, object], held: dict[str, object], is_plain: bool
) -> None:
    unit = Unit(__name__, "Point", Kind.CLASS)
    kind = Named(__name__, "Point")
    other = Result(End.RETURNED, Instance(kind, (("across", 7), ("unit", "cm"), ("tags", []))))
    result = Result(End.RETURNED, Instance(kind, tuple(held.items())))

    assert is_plainly_made(called(**given), unit, result, [other]) is is_plain


def test_without_another_object_what_is_empty_is_no_computation() -> None:
    kind = Named(__name__, "Point")
    unit = Unit(__name__, "Point", Kind.CLASS)
    empty = Result(End.RETURNED, Instance(kind, (("events", {}),)))
    parsed = Result(End.RETURNED, Instance(kind, (("events", {"a": 1}),)))

    assert is_plainly_made(called(text="a"), unit, empty, [])
    assert not is_plainly_made(called(text="a"), unit, parsed, [])


def test_a_record_or_another_value_that_holds_what_was_passed_is_plainly_made() -> None:
    unit = Unit(__name__, "Point", Kind.CLASS)
    kind = Named(__name__, "Point")

    for value in (Made(kind, ("a",)), Made(kind, ("a", 3)), {}, ["a"]):
        assert is_plainly_made(called(text="a", x=["a"]), unit, Result(End.RETURNED, value), [])
    for value in (Made(kind, ("A",)), {"a": 1}):
        assert not is_plainly_made(called(text="a"), unit, Result(End.RETURNED, value), [])
