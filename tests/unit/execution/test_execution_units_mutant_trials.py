from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_evosearch.execution.mutating.mutations import Mutants
from pytest_evosearch.execution.mutating.mutations import mutated
from pytest_evosearch.execution.mutating.mutations import mutations_of
from pytest_evosearch.execution.units.mutant_trials import ENDLESS
from pytest_evosearch.execution.units.mutant_trials import detected
from pytest_evosearch.execution.units.mutant_trials import detections
from pytest_evosearch.problem.units.inventory import units_of
from pytest_evosearch.problem.units.unit import by_key

SOURCE = """
def fee(total, days=3):
    while days > 3:
        days -= 1
    if total < 10:
        return total + 1
    return total
"""


@pytest.fixture
def fees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "fees_of_units.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__("fees_of_units")
    yield sys.modules["fees_of_units"]
    del sys.modules["fees_of_units"]


def test_a_change_is_detected_by_a_test_of_what_a_package_gives_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "fees_package"
    package.mkdir()
    lines = ["from fees_package._fees import fee", "fee.__module__ = 'fees_package'"]
    (package / "__init__.py").write_text("\n".join(lines))
    (package / "_fees.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    units = by_key(units_of(["fees_package"]))
    usual = vars(sys.modules["fees_package"])["fee"]
    numbers = [one.number for one in mutations_of(SOURCE)]

    found = detected(
        "fees_package._fees", SOURCE, numbers, [[("fees_package:fee", {"total": 9})]], units
    )

    assert 0 in found.values()
    assert vars(sys.modules["fees_package"])["fee"] is usual


def changed(number: int) -> str:
    return ast.unparse(mutated(SOURCE, number))


def test_each_change_changes_one_place() -> None:
    usual = ast.unparse(ast.parse(SOURCE)).splitlines()
    numbers = [one.number for one in mutations_of(SOURCE)]

    for number in numbers:
        lines = changed(number).splitlines()
        assert sum(a != b for a, b in zip(usual, lines, strict=True)) == 1
    texts = " ".join(changed(number) for number in numbers)
    for part in ("total <= 10", "total - 1", "total < 11", "return None", "days=4", "days += 1"):
        assert part in texts


def test_a_change_is_detected_by_the_first_test_with_another_result(fees: ModuleType) -> None:
    units = by_key(units_of(["fees_of_units"]))
    key = "fees_of_units:fee"
    tests = [[(key, {"total": 5})], [(key, {"total": 10})], [(key, {"total": 50, "days": 4})]]
    by_text = {changed(one.number): one.number for one in mutations_of(SOURCE)}

    def first(part: str) -> int | None:
        number = next(number for text, number in by_text.items() if part in text)
        return detected("fees_of_units", SOURCE, [number], tests, units)[number]

    assert first("total - 1") == 0
    assert first("total <= 10") == 1
    assert first("days=4") is None
    assert first("days += 1") == ENDLESS
    assert sys.modules["fees_of_units"] is fees


def test_each_test_that_detects_a_change_can_be_told(fees: ModuleType) -> None:
    units = by_key(units_of(["fees_of_units"]))
    key = "fees_of_units:fee"
    tests = [[(key, {"total": 5})], [(key, {"total": 50})], [(key, {"total": 7})]]
    number = next(one.number for one in mutations_of(SOURCE) if "total - 1" in changed(one.number))

    assert detections("fees_of_units", SOURCE, [number], tests, units) == {number: [0, 2]}


def test_a_change_that_only_an_earlier_call_shows_is_not_detected(fees: ModuleType) -> None:
    units = by_key(units_of(["fees_of_units"]))
    number = next(one.number for one in mutations_of(SOURCE) if "total - 1" in changed(one.number))
    key = "fees_of_units:fee"
    test = [(key, {"total": 5}), (key, {"total": 50})]

    assert detected("fees_of_units", SOURCE, [number], [test], units) == {number: None}


def test_a_change_with_which_an_earlier_call_fails_is_not_detected(fees: ModuleType) -> None:
    units = by_key(units_of(["fees_of_units"]))
    refusing = "if days == 4:\n        raise ValueError\n    while days > 3:"
    source = SOURCE.replace("while days > 3:", refusing)
    numbers = [one.number for one in mutations_of(source)]
    (number,) = (one for one in numbers if "days=4" in ast.unparse(mutated(source, one)))
    bare, plain = (
        ("fees_of_units:fee", {"total": 50}),
        ("fees_of_units:fee", {"total": 9, "days": 2}),
    )

    for test, found in (([bare], 0), ([bare, plain], None)):
        assert detected("fees_of_units", source, [number], [test], units) == {number: found}


def test_a_change_has_the_line_of_the_statement_around_it() -> None:
    source = "def f(a):\n    if a:\n        return g(\n            a - 1,\n            key=2)\n"

    assert {one.line for one in mutations_of(source)} == {2, 3}


def test_a_source_that_is_read_once_gives_the_same_changes() -> None:
    source = inspect.getsource(textwrap)
    mutants, plain = Mutants(source), ast.dump(ast.parse(source))

    for one in mutations_of(source):
        with mutants.tree(one.number) as tree:
            assert ast.dump(tree) == ast.dump(mutated(source, one.number)) != plain
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a literal that `is` compares
                compile(tree, "textwrap.py", "exec")

    with mutants.tree(0):
        pass
    assert ast.dump(mutants._tree) == plain


def test_the_code_of_a_change_is_made_of_the_unchanged_source_each_time() -> None:
    mutants = Mutants(SOURCE)
    number = next(one.number for one in mutations_of(SOURCE) if "total - 1" in changed(one.number))

    def fee(change: int | None) -> object:
        names: dict[str, Any] = {}
        exec(mutants.code(change, "fees.py"), names)
        return names["fee"](5)

    assert [fee(number), fee(None), fee(number)] == [4, 6, 4]
