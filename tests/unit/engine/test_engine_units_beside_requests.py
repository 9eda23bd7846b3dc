"""How tests of units are verified beside those of the application."""

from __future__ import annotations

from pathlib import Path

from pytest_evosearch.engine.units.beside_requests import BESIDE
from pytest_evosearch.engine.units.beside_requests import NOT_BESIDE
from pytest_evosearch.engine.units.beside_requests import BesideRequests
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict

SECONDS = 60.0

SETTING = """
import shared

def test_set():
    shared.names.append("unit")
"""

EMPTY = """
import shared

def test_empty():
    assert shared.names == []

def test_sum():
    assert 1 + 1 == 2
"""


def test_tests_are_run_alone_until_they_pass_and_then_beside_the_others(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("")
    (tmp_path / "shared.py").write_text("names = []\n")
    requests = tmp_path / "a" / "test_evosearch_shop.py"
    units = tmp_path / "b"
    for folder in (requests.parent, units):
        folder.mkdir()
    requests.write_text(SETTING)
    (units / "test_evosearch_units_shop.py").write_text(EMPTY)
    alone: list[int] = []

    def passing(_folder: Path, tests: int) -> Verdict:
        alone.append(tests)
        return Verdict(notices=("said once",))

    verifier = BesideRequests(passing, PytestProcess(tmp_path), (requests,), 1, SECONDS)
    (failure,) = verifier(units, 2).failures
    assert (failure.file, failure.test) == ("test_evosearch_units_shop.py", "test_empty")

    (units / "test_evosearch_units_shop.py").write_text(EMPTY.replace("== []", "!= 0"))
    assert verifier(units, 2) == Verdict(notices=("said once",))
    assert alone == [2]


def test_a_run_that_time_cuts_off_is_told(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    requests, units = tmp_path / "a" / "test_evosearch_shop.py", tmp_path / "b"
    for folder in (requests.parent, units):
        folder.mkdir()
    requests.write_text("import time\n\n\ndef test_long():\n    time.sleep(60)\n")
    (units / "test_evosearch_units_shop.py").write_text("def test_sum():\n    assert 1 + 1 == 2\n")

    given = PytestProcess(tmp_path), (requests,), 1, 0.5
    verdict = BesideRequests(lambda *_: Verdict(), *given)(units, 1)

    assert verdict == Verdict(notices=(NOT_BESIDE,))


def test_units_are_to_blame_where_tests_of_the_application_fail_beside_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text("")
    (tmp_path / "shared.py").write_text("names = []\n")
    requests, units = tmp_path / "a" / "test_evosearch_shop.py", tmp_path / "b"
    for folder in (requests.parent, units):
        folder.mkdir()
    requests.write_text(EMPTY)
    (units / "test_evosearch_units_shop.py").write_text(
        "import shared\n\nshared.names.append('early')\n\n\ndef test_sum():\n    assert True\n"
    )

    verifier = BesideRequests(
        lambda *_: Verdict(), PytestProcess(tmp_path), (requests,), 1, SECONDS
    )

    (failure,) = verifier(units, 1).failures
    assert (failure.file, failure.test) == ("test_evosearch_units_shop.py", "")
    assert BESIDE in failure.reason
