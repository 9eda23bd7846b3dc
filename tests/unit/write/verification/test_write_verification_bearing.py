from __future__ import annotations

import time
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

CONFTEST = """
import time

import pytest


@pytest.fixture(scope="session")
def token():
    return {made}


@pytest.fixture
def table():
    assert time.time() < {soon}


@pytest.fixture
def client():
    return lambda token: time.time() < token + 7200
"""
WRITTEN = """
def test_kept(client, token):
    assert client(token)
"""


def verified(project: Path, made: str, own: str = "", written: str = WRITTEN) -> Verdict:
    text = CONFTEST.format(made=made, soon=time.time() + 86_400)
    (project / "conftest.py").write_text(text)
    if own:
        (project / "test_own.py").write_text(own)
    folder = project / "written"
    folder.mkdir()
    (folder / "test_evosearch_a.py").write_text(written)
    process = PytestProcess(project, ("-p", "no:randomly"))
    return FreshInterpreters(process, [MOVED], width=1)(folder, 1)


def now() -> str:
    return repr(time.time())


def test_what_a_fixture_makes_is_as_old_as_the_run(tmp_path: Path) -> None:
    assert verified(tmp_path, "time.time()") == Verdict()


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_a_token_that_is_written_down_is_the_fixtures_affair(tmp_path: Path) -> None:
    own = "def test_own(client, token):\n    assert client(token)\n"
    verdict = verified(tmp_path, now(), own)

    assert verdict.failures == ()
    (notice,) = verdict.notices
    assert notice.startswith("the project itself fails with the clock 400 days ahead (test_own.py")


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_a_fixture_that_fails_alone_is_enough(tmp_path: Path) -> None:
    verdict = verified(tmp_path, "0", written="def test_kept(table):\n    assert True\n")

    assert verdict.failures == ()
    assert "the clock 400 days ahead (assert 1" in "".join(verdict.notices)


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_the_projects_tests_bear_is_held_against_a_test(tmp_path: Path) -> None:
    own = "def test_own(client, token):\n    assert client\n"
    verdict = verified(tmp_path, now(), own)

    assert [failure.test for failure in verdict.failures] == ["test_kept"]
    assert verdict.notices == ()


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_a_test_that_is_spared_has_to_bear_everything_else(tmp_path: Path) -> None:
    own = "def test_own(client, token):\n    assert client(token)\n"
    hashes = "\n\ndef test_hashes(client, token):\n    assert client(token)\n    assert {}\n"
    ordered = hashes.format('hash("a") != SEEN')
    seen = "import os\n\nSEEN = hash('a') if os.environ.get('PYTHONHASHSEED') == '4242' else None\n"
    verdict = verified(tmp_path, now(), own, seen + WRITTEN + ordered)

    assert [failure.test for failure in verdict.failures] == ["test_hashes"]
