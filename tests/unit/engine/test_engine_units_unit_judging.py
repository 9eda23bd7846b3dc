from __future__ import annotations

import argparse
import sys

import pytest

from pytest_evosearch.engine.units.unit_judging import fault_of
from pytest_evosearch.engine.units.unit_judging import targets_of
from pytest_evosearch.execution.units.calling import Calls
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.problem.units.arguments import Confirmation
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.results import End
from pytest_evosearch.problem.units.results import Raised
from pytest_evosearch.problem.units.results import Result
from pytest_evosearch.problem.units.results import Run
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import UnitTest
from pytest_evosearch.problem.units.unit import by_key

UNITS = by_key(units_of(["textwrap:dedent"]))
KEY = "textwrap:dedent"


def ending_of(text: str, tells: bool) -> dict[str, float]:
    results = Calls(UNITS, lambda _file: None, tells).perform([(KEY, {"text": text})])
    test = UnitTest((UnitCall(KEY),))
    return targets_of(test, Run(results), UNITS[KEY], Confirmation.TOLD)


def test_results_that_differ_only_in_their_text_cover_the_same_target() -> None:
    assert ending_of("\ta", tells=True) == ending_of(" b", tells=True)
    assert ending_of("a", tells=True) == ending_of("a", tells=False)
    assert ending_of("a", tells=True) != ending_of("", tells=True)
    assert ending_of("a", tells=True) != ending_of(" a", tells=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RuntimeError", "Working outside of request context.\n\nThis typically means"),
        ("ValueError", "too many values to unpack (expected 2)"),
        ("LookupError", "unknown encoding: hello"),
        ("TypeError", "not all arguments converted during string formatting"),
        ("ImportError", "No module named 'anyascii'"),
    ],
)
def test_errors_of_the_machine_of_lengths_formats_and_without_a_request_show_nothing(
    name: str, message: str
) -> None:
    raised = Raised(Named("builtins", name), message, (name,), "shop.py", 3)

    assert fault_of(UNITS[KEY], Result(End.RAISED, raised=raised), Confirmation.TOLD) is None


def test_only_an_error_that_the_package_raises_is_an_end_worth_a_test() -> None:
    def ends(is_own: bool, kind: Named) -> dict[str, float]:
        raised = Raised(kind, "invalid literal", ("ValueError",), "shop.py", 3, is_own)
        run = Run([Result(End.RAISED, raised=raised)])
        return targets_of(UnitTest((UnitCall(KEY),)), run, UNITS[KEY], Confirmation.TOLD)

    of_python = Named("builtins", "ValueError")

    assert ends(False, of_python) == {}
    assert ends(True, of_python) == {"status shop.py:3 raised ValueError": 1.0}


def test_what_other_modules_of_the_package_raise_is_raised_by_the_package() -> None:
    units = by_key(units_of(["json:loads"]))

    def raised_with(text: str) -> Raised | None:
        calls = Calls(units, lambda file: file if file.endswith("json/__init__.py") else None, True)
        return calls.perform([("json:loads", {"s": text})])[-1].raised

    refused = raised_with("1 2")

    assert refused is not None
    assert refused.is_own
    assert refused.path.endswith("json/__init__.py")


def leave(status: int) -> None:
    sys.exit(status)


def parse(option: str) -> None:
    argparse.ArgumentParser().parse_args([f"--{option}"])


def test_to_leave_the_program_is_an_answer_where_the_code_itself_does_it() -> None:
    units = by_key(units_of([__name__]))
    calls = Calls(units, lambda file: "shop.py" if file == __file__ else None, True)

    def ends(name: str, value: object) -> dict[str, float]:
        unit = units[f"{__name__}:{name}"]
        results = calls.perform([(unit.key, {unit.parameters[0].name: value})])
        test = UnitTest((UnitCall(unit.key),))
        return targets_of(test, Run(results), unit, Confirmation.TOLD)

    line = leave.__code__.co_firstlineno + 1
    assert ends("leave", 3) == {f"status shop.py:{line} raised SystemExit": 1.0}
    assert ends("parse", "fast") == {}


class Numbers:
    def spelt(self) -> str:
        return self.words[0]  # type: ignore[attr-defined, no-any-return]


class English(Numbers):
    words = ("zero", "one")


def test_what_an_object_gets_later_is_no_fault_of_a_method() -> None:
    unit = by_key(units_of([__name__]))[f"{__name__}:Numbers.spelt"]
    message = "'NoneType' object is not subscriptable"
    raised = Raised(Named("builtins", "TypeError"), message, ("TypeError",), "shop.py", 3)

    assert fault_of(unit, Result(End.RAISED, raised=raised), Confirmation.TOLD) is None
    assert fault_of(UNITS[KEY], Result(End.RAISED, raised=raised), Confirmation.TOLD)


def test_what_a_base_class_leaves_to_its_subclasses_is_no_error_of_it() -> None:
    units = by_key(units_of([__name__]))

    def fault(kind: str, message: str, name: str) -> str | None:
        raised = Raised(Named("builtins", kind), message, (kind,), "shop.py", 3, is_own=True)
        result = Result(End.RAISED, raised=raised)
        return fault_of(units[f"{__name__}:{name}"], result, Confirmation.TOLD)

    missing = "'Numbers' object has no attribute 'words'"
    assert fault("AttributeError", missing, "Numbers.spelt") is None
    assert fault("NotImplementedError", "", "Numbers.spelt") is None
    assert fault("NotImplementedError", "no words for 12", "Numbers.spelt") == ""


@pytest.mark.parametrize(
    ("name", "other", "why"),
    [("__add__", "a", ""), ("__lt__", "a", ""), ("limit_denominator", "a", None)],
)
def test_an_operand_that_an_operator_does_not_know_is_refused(
    name: str, other: str, why: str | None
) -> None:
    units = by_key(units_of(["fractions:Fraction"]))
    unit = units[f"fractions:Fraction.{name}"]
    calls = Calls(units, lambda file: file if file.endswith("fractions.py") else None, True)
    given = {unit.parameters[0].name: other}

    made, result = calls.perform([("fractions:Fraction", {}), (unit.key, given)])

    assert made.end is End.RETURNED
    assert result.raised is not None
    assert fault_of(unit, result, Confirmation.NONE) == why
    test = UnitTest((UnitCall("fractions:Fraction"), UnitCall(unit.key)))
    assert targets_of(test, Run([made, result]), unit, Confirmation.NONE) == {}
