"""Scores of a small suite, in processes of their own; the sources stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.strength.score import mutation_score
from pytest_evosearch.write.verification.pytest_process import PytestProcess

PRICES = """
def price(count):
    if count > 10:
        return 9
    return 7


def unused(count):
    return count + 1
"""
ENDLESS = """

def endless(count):
    while count > 0:
        count -= 1
    return "done"
"""
"""A change of it may never end, which takes the time limit."""

TESTS = """
import pytest

from prices import price


@pytest.mark.parametrize("count", [11, 12])
def test_large_count(count):
    assert price(count) == 9


def test_small_count():
    price(3)
"""
TEST_OF_ENDLESS = """

def test_ends():
    from prices import endless
    assert endless(2)
"""

pytestmark = pytest.mark.usefixtures("mutmut")


@pytest.fixture
def mutmut(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mutmut.mutation.mutators")
    monkeypatch.setattr("pytest_evosearch.strength.trials.LIMIT_SECONDS", 2.0)
    monkeypatch.setattr("pytest_evosearch.strength.trials.LIMIT_FACTOR", 2.0)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "prices.py").write_text(PRICES, encoding="utf-8")
    (tmp_path / "tests" / "test_prices.py").write_text(TESTS, encoding="utf-8")
    return tmp_path


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def score_of(project: Path, number: int = 100, seed: int = 1) -> MutationScore | str:
    process = PytestProcess(project, environment={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    files = [project / "prices.py"]
    return mutation_score(project / "tests", process, files, number, derive(seed, "mutants"))


@pytest.mark.slow("each mutant is a pytest run")
def test_survivors_are_the_changes_that_no_test_asserts(project: Path) -> None:
    append(project / "prices.py", ENDLESS)
    append(project / "tests" / "test_prices.py", TEST_OF_ENDLESS)

    score = score_of(project)

    assert isinstance(score, MutationScore)
    survivors = {(row.line, row.function, row.is_reached) for row in score.survivors}
    assert (5, "price", True) in survivors  # run by a test that asserts nothing
    assert (4, "price", True) not in survivors
    assert not [row for row in score.survivors if row.function == "unused"]
    assert score.mutants == score.killed + len(score.survivors)
    assert all(row.file == "prices.py" for row in score.survivors)
    assert score.timed_out  # count += 1 never ends


def test_nothing_is_written_into_the_project(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}

    score_of(project, number=3)

    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


@pytest.mark.slow("each mutant is a pytest run")
def test_the_same_seed_tries_the_same_mutants(project: Path) -> None:
    assert score_of(project, number=4) == score_of(project, number=4)


@pytest.mark.slow("each mutant is a pytest run")
def test_a_suite_that_fails_by_itself_has_no_score(project: Path) -> None:
    append(
        project / "tests" / "test_prices.py", "\n\ndef test_wrong():\n    assert price(1) == 8\n"
    )

    score = score_of(project)

    assert isinstance(score, str)
    assert "test_wrong" in score
