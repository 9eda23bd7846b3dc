from __future__ import annotations

import re
from abc import ABC
from abc import abstractmethod
from datetime import time
from pathlib import Path
from typing import BinaryIO
from typing import SupportsInt
from urllib.parse import SplitResult
from uuid import UUID

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import built
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.catalog import Catalog
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.units.arguments import Arguments
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.constants import constants_of
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key
from pytest_evosearch.problem.units.unit import size_of
from pytest_evosearch.problem.units.unit_problem import MOST_HARM
from pytest_evosearch.problem.units.unit_problem import UnitProblem
from pytest_evosearch.problem.units.unit_problem import confirmation_of
from pytest_evosearch.standins.shape import Shape as Learnt
from pytest_evosearch.write.units.unit_expectations import is_importable

RNG = derive(1, "units")


def problem_of(*names: str) -> UnitProblem:
    units = by_key(units_of(names))
    return UnitProblem(units, Arguments(units), {key: [] for key in units})


def executed(test: UnitTest, run: Run, **scores: float) -> Evaluation[UnitTest]:
    return Evaluation(test, scores, size_of(test), run)


def test_a_method_follows_the_call_of_its_class() -> None:
    problem = problem_of("string:Formatter")

    test = problem.test_of(problem.units["string:Formatter.vformat"], RNG)

    assert test.calls[0].unit == "string:Formatter"
    assert test.act.unit == "string:Formatter.vformat"


def test_nothing_is_calculated_with_an_object_only_to_change_it() -> None:
    problem = problem_of("fractions:Fraction")
    numerator = problem.units["fractions:Fraction.numerator"]

    between = {
        call.unit.rpartition(".")[2]
        for _ in range(200)
        for call in problem.test_of(numerator, RNG).calls[1:-1]
    }

    assert "limit_denominator" in between
    assert between.isdisjoint({"__add__", "__eq__", "__neg__", "__floor__"})


def test_a_unit_that_costs_processes_is_given_up_but_not_the_last_one() -> None:
    problem = problem_of("colorsys:rgb_to_hsv", "colorsys:hsv_to_rgb")

    for key in ("colorsys:rgb_to_hsv", "colorsys:hsv_to_rgb"):
        for _ in range(MOST_HARM):
            test = problem.test_of(problem.units[key], RNG)
            problem.learn(executed(test, Run(harm="it did not end")))

    assert problem.testable == ["colorsys:hsv_to_rgb"]


def test_a_mutation_follows_what_a_condition_compared() -> None:
    problem = problem_of("textwrap:dedent")
    problem.arguments.learn(problem.units["textwrap:dedent"], {"text": Learnt("str")})
    test = problem.test_of(problem.units["textwrap:dedent"], RNG)
    given = test.act.values()["text"]
    comparison = Comparison("branch", "==", given, "WELCOME10")
    problem.learn(executed(test, Run(comparisons=[comparison]), branch=0.5))

    mutants = [problem.mutate(test, RNG, focus="branch") for _ in range(20)]

    assert "WELCOME10" in [built(one.act.values()["text"]) for one in mutants]


@pytest.mark.parametrize(
    ("given", "observed", "pattern", "wanted"),
    [
        ("hello", "hello", r"(?x) \d+ / \d+  # a fraction", r"\d+/\d+"),
        ("hello\nworld", "world", r"(?x) \[ \w+ \]", r"hello\n\[\w+\]"),
    ],
)
def test_a_mutation_puts_a_text_that_matches_in_the_place_of_what_was_matched(
    given: str, observed: str, pattern: str, wanted: str
) -> None:
    problem = problem_of("textwrap:dedent")
    dedent = problem.units["textwrap:dedent"]
    test = UnitTest((UnitCall(dedent.key, (("text", TextGene(current=given)),)),))
    comparison = Comparison("branch", "match", observed, pattern)
    problem.learn(executed(test, Run(comparisons=[comparison]), branch=0.5))

    mutants = [problem.mutate(test, RNG, focus="branch") for _ in range(20)]

    texts = [str(one.act.values()["text"]) for one in mutants]
    assert any(re.fullmatch(wanted, text) for text in texts)


def test_a_unit_is_not_given_up_for_few_of_its_tests() -> None:
    problem = problem_of("colorsys:rgb_to_hsv", "colorsys:hsv_to_rgb")
    unit = problem.units["colorsys:rgb_to_hsv"]

    for number in range(5 * MOST_HARM):
        harm = "it took too long" if number % 3 == 2 else ""
        problem.learn(executed(problem.test_of(unit, RNG), Run(harm=harm)))
    assert problem.given_up == set()


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side**2


def scaled(shape: Shape, factor: SupportsInt) -> int:
    return shape.area() * int(factor)


def test_abstract_classes_and_protocols_get_objects_that_can_be_made() -> None:
    problem = problem_of(__name__)
    test = problem.test_of(problem.units[f"{__name__}:scaled"], RNG)

    shape, factor = map(built, test.act.values().values())

    assert isinstance(shape, Square)
    assert isinstance(factor, int)


def stamped(key: UUID, at: time, pattern: re.Pattern[str], file: BinaryIO) -> str:
    return f"{key.int} {at:%H:%M} {pattern.findall('a')} {file.read()!r}"


def test_types_of_the_standard_library_get_values() -> None:
    problem = problem_of(__name__)
    test = problem.test_of(problem.units[f"{__name__}:stamped"], RNG)

    assert stamped(*map(built, test.act.values().values()))  # type: ignore[arg-type]


ENTITY = re.compile("&[a-z]+;")
LONGEST = 77


def entities_of(text: str) -> list[str]:
    return ENTITY.findall(text)[:LONGEST]


def test_patterns_and_numbers_that_a_unit_names_are_constants() -> None:
    units = by_key(units_of([f"{__name__}:entities_of"]))

    assert constants_of(units, Catalog()) == {f"{__name__}:entities_of": ["&[a-z]+;", 77]}


def many(
    text: str, *, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0, g: int = 0
) -> str:
    return f"{text}{a}{b}{c}{d}{e}{f}{g}"


def test_a_fresh_call_has_few_of_many_options() -> None:
    problem = problem_of(f"{__name__}:many")
    unit = problem.units[f"{__name__}:many"]

    numbers = [len(problem.test_of(unit, RNG).act.values()) - 1 for _ in range(200)]

    assert 1 < sum(numbers) / len(numbers) < 4
    assert max(numbers) > 4


class Reader:
    def __init__(self, source) -> None:  # type: ignore[no-untyped-def]
        self.source = source

    def read(self, size: int) -> str:
        return str(self.source.read(size))


def test_a_constructor_of_unknown_types_confirms_nothing() -> None:
    problem = problem_of(__name__)
    key = f"{__name__}:Reader.read"

    test = problem.test_of(problem.units[key], RNG)

    assert problem.arguments.confirmation(problem.units[key], ["size"]) is Confirmation.TOLD
    assert confirmation_of(test, problem) is Confirmation.NONE


def test_a_hint_that_cannot_be_resolved_leaves_the_others_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "def shown(value: Unheard, digits: int | None) -> str:\n    return str(value)\n"
    (tmp_path / "half_hinted.py").write_text(f"from __future__ import annotations\n{source}")
    monkeypatch.syspath_prepend(tmp_path)

    problem = problem_of("half_hinted")
    unit = problem.units["half_hinted:shown"]

    assert problem.arguments.unknown(unit) == ("value",)


def shown_address(address: SplitResult) -> str:
    return str(address)


def test_an_argument_around_an_unknown_value_confirms_nothing() -> None:
    problem = problem_of(f"{__name__}:shown_address")
    test = problem.sample(RNG)

    assert isinstance(built(test.act.values()["address"]), SplitResult)
    assert confirmation_of(test, problem) is Confirmation.NONE


class Renamed:
    """A class that its module holds under another name, as `datetime` does."""


_Renamed = Renamed
del Renamed


def test_nothing_makes_an_object_of_a_class_whose_name_the_module_has_given_up() -> None:
    assert Arguments({}).made(_Renamed) is None
    assert not is_importable(Named(__name__, "Renamed"))
    assert is_importable(Named(__name__, Arguments.__name__))
