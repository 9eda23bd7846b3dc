from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.write.verification.circumstances import ALL
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.circumstances import Scope
from pytest_evosearch.write.verification.limits import Limits
from pytest_evosearch.write.verification.measure import Measurement
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="modules are run apart by forking")

LEFT_BEHIND = """\
import sys


def test_leaves_something():
    assert not hasattr(sys, "left_behind")
    sys.left_behind = True
"""

STARTS_THREAD = """\
import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()
"""

LOADED = """\
import pathlib

with pathlib.Path(__file__).with_name("loaded").open("a") as file:
    file.write("x")
"""


def by_module() -> Circumstances:
    return next(one for one in ALL if one.scope is Scope.MODULES)


def two_modules(folder: Path, conftest: str, test: str = LEFT_BEHIND) -> FreshInterpreters:
    (folder / "conftest.py").write_text(conftest + LOADED)
    for name in ("a", "b"):
        (folder / f"test_evosearch_{name}.py").write_text(test)
    return FreshInterpreters(PytestProcess(folder), [by_module()], width=2)


def times_loaded(folder: Path) -> int:
    return len((folder / "loaded").read_text())


ENDS = """\
import pathlib


def pytest_sessionfinish():
    with pathlib.Path(__file__).with_name("ended").open("a") as file:
        file.write("x")


def pytest_terminal_summary():
    with pathlib.Path(__file__).with_name("told").open("a") as file:
        file.write("x")
"""

TAKES_FOLDER = """\
import tempfile

import pytest


@pytest.fixture(scope="session")
def torn_down():
    yield
    with open({file!r}, "a") as file:
        file.write("x")


def test_it(tmp_path, torn_down):
    (tmp_path / "file").write_text("text")
"""


def test_a_session_ends_once_and_fixtures_in_every_fork(tmp_path: Path) -> None:
    test = TAKES_FOLDER.format(file=str(tmp_path / "torn_down"))

    verdict = two_modules(tmp_path, ENDS, test)(tmp_path, 2)

    assert verdict == Verdict()
    written = {name: (tmp_path / name).read_text() for name in ("ended", "told", "torn_down")}
    assert written == {"ended": "x", "told": "x", "torn_down": "xx"}


def test_the_folders_of_the_tests_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, temporary = tmp_path / "project", tmp_path / "temporary"
    project.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    test = TAKES_FOLDER.format(file=str(tmp_path / "torn_down"))

    verdict = two_modules(project, "", test)(project, 2)

    assert verdict == Verdict()
    assert (tmp_path / "torn_down").exists()
    assert not list(temporary.iterdir())


def test_modules_run_apart_though_the_application_is_loaded_once(tmp_path: Path) -> None:
    verdict = two_modules(tmp_path, "")(tmp_path, 4)

    assert verdict == Verdict()
    assert times_loaded(tmp_path) == 1


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_fails_in_a_forked_module_fails_again_in_a_fresh_interpreter(tmp_path: Path) -> None:
    failing = "def test_fails():\n    assert False\n"
    verifier = two_modules(tmp_path, "", LEFT_BEHIND)
    (tmp_path / "test_evosearch_b.py").write_text(failing)

    verdict = verifier(tmp_path, 3)

    assert [(one.file, one.test) for one in verdict.failures] == [
        ("test_evosearch_b.py", "test_fails")
    ]
    forked, fresh, asked_whether_the_project_bears_it = 1, 1, 3
    assert times_loaded(tmp_path) == forked + fresh + asked_whether_the_project_bears_it
    assert verifier.forks


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_modules_after_one_that_fails_run_all_the_same(tmp_path: Path) -> None:
    verdict = two_modules(tmp_path, "", "def test_fails():\n    assert 0\n")(tmp_path, 2)

    assert [failure.file[-4] for failure in verdict.failures] == ["a", "b"]


@pytest.mark.slow("whole pytest runs of written tests")
def test_an_application_with_threads_is_loaded_for_each_module(tmp_path: Path) -> None:
    verifier = two_modules(tmp_path, STARTS_THREAD)

    assert verifier(tmp_path, 4) == Verdict()
    assert times_loaded(tmp_path) == 3
    assert not verifier.forks


def test_what_a_forked_module_tidies_up_at_its_end_is_not_taken_from_the_next(
    tmp_path: Path,
) -> None:
    conftest = "import tempfile\n\nplace = tempfile.TemporaryDirectory()\n"
    test = (
        "import os\nimport conftest\n\n\n"
        "def test_a():\n    assert os.listdir(conftest.place.name) == []\n"
    )
    verifier = two_modules(tmp_path, conftest, test)

    assert verifier(tmp_path, 2) == Verdict()
    assert times_loaded(tmp_path) == 1


def test_something_else_is_done_beside_the_other_runs(tmp_path: Path) -> None:
    verifier = two_modules(tmp_path, "")
    seen: list[Path] = []
    verifier.beside = seen.append

    verifier(tmp_path, 4)
    (tmp_path / "conftest.py").write_text("")
    verifier(tmp_path, 4)

    assert seen == [tmp_path]


def test_a_suite_is_measured_once_for_each_state(tmp_path: Path) -> None:
    subject = tmp_path / "subject.py"
    subject.write_text("def double(value):\n    return 2 * value\n")
    test = tmp_path / "test_evosearch_a.py"
    test.write_text("import subject\n\n\ndef test_a():\n    assert subject.double(1) == 2\n")
    (tmp_path / "conftest.py").write_text(LOADED)
    measurement = Measurement(PytestProcess(tmp_path), [subject])

    measurement.take(tmp_path)
    first = measurement.result(tmp_path)
    assert first is not None
    assert (first.covered_lines, times_loaded(tmp_path)) == (2, 1)

    test.write_text("import subject\n\n\ndef test_a():\n    assert subject\n")
    second = measurement.result(tmp_path)
    assert second is not None
    assert (second.covered_lines, times_loaded(tmp_path)) == (1, 2)

    measurement.take(tmp_path)
    assert measurement.result(tmp_path) == second
    assert times_loaded(tmp_path) == 2


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_fails_while_it_is_measured_beside_others_is_measured_again(tmp_path: Path) -> None:
    subject = tmp_path / "subject.py"
    subject.write_text("a = 1\n")
    (tmp_path / "conftest.py").write_text(LOADED)
    (tmp_path / "test_evosearch_a.py").write_text(
        "import subject\n\n\ndef test_a():\n    assert 0\n"
    )
    measurement = Measurement(PytestProcess(tmp_path), [subject])

    measurement.take(tmp_path)
    measurement.result(tmp_path)

    assert times_loaded(tmp_path) == 2


SLOW_TESTS = """\
import pathlib
import time

import pytest


@pytest.mark.parametrize("number", range(100))
def test_slowly(number):
    with pathlib.Path(__file__).with_suffix(".ran").open("a") as file:
        file.write("x")
    time.sleep(0.2)
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_a_sample_for_want_of_time_has_tests_of_every_module(tmp_path: Path) -> None:
    verify = two_modules(tmp_path, "", SLOW_TESTS)
    end = monotonic() + 8.0
    verify.limits = Limits(lambda: end - monotonic())

    verdict = verify(tmp_path, 200)

    ran = [len(file.read_text()) for file in sorted(tmp_path.glob("*.ran"))]
    assert not verdict.failures
    assert len(ran) == 2
    assert all(0 < number < 100 for number in ran)
