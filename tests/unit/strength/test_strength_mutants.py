"""Mutants of a source text: where, which, and the sample of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.strength.mutants import MutatedFile
from pytest_evosearch.strength.mutants import require_library
from pytest_evosearch.strength.score import places
from pytest_evosearch.strength.score import sample

SOURCE = '''
LIMIT = 10


@route("/total", methods=["GET"])
def total(count: int = 3) -> "int | None":
    """Add it up."""
    if count > LIMIT:
        return "too many", 400
    size = len("abc")
    return count + 1  # pragma: no mutate
'''


@pytest.fixture
def mutated() -> MutatedFile:
    pytest.importorskip("mutmut.mutation.mutators")
    return MutatedFile(Path("app.py"), SOURCE)


def test_mutants_change_the_body_of_a_decorated_function_only(mutated: MutatedFile) -> None:
    assert set(mutated.lines()) == {8, 9, 10}


def test_each_mutant_changes_one_place(mutated: MutatedFile) -> None:
    mutants = [mutated.mutant(index) for index in range(len(mutated.lines()))]

    diffs = {mutant.diff for mutant in mutants if mutant is not None}
    assert all(diff.count("\n-") == diff.count("\n+") == 1 for diff in diffs)
    assert any("+    if count >= LIMIT:" in diff for diff in diffs)
    assert any('+        return "XXtoo manyXX", 400' in diff for diff in diffs)
    assert any('+        return "too many", 401' in diff for diff in diffs)


def test_a_mutant_names_its_function_and_statement(mutated: MutatedFile) -> None:
    mutant = mutated.mutant(0)

    assert mutant is not None
    assert (mutant.function, mutant.line, mutant.statement) == ("total", 8, range(8, 9))


def test_the_same_program_is_no_mutant() -> None:
    pytest.importorskip("mutmut.mutation.mutators")
    file = MutatedFile(Path("app.py"), "def f(x):\n    x = 1 if x else x\n    return None\n")

    mutants = [file.mutant(index) for index in range(len(file.lines()))]

    assert all(mutant is None or mutant.source != file.text for mutant in mutants)


def test_the_sample_depends_on_the_seed_alone(mutated: MutatedFile) -> None:
    population = places([mutated], lambda _file, _line: True)

    samples = [
        [mutant.diff for mutant in sample(population, 3, derive(seed, "mutants"))]
        for seed in (1, 1, 2)
    ]

    assert samples[0] == samples[1] != samples[2]
    assert len(samples[0]) == 3


def test_a_sample_is_no_larger_than_the_population(mutated: MutatedFile) -> None:
    population = places([mutated], lambda _file, line: line == 9)

    assert len(sample(population, 100, derive(1, "mutants"))) == len(population)


def test_without_mutmut_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mutmut.mutation.mutators", None)

    with pytest.raises(InvalidSetting, match=r"pip install 'pytest-evosearch\[mutation\]'"):
        require_library()
