from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.write.plugins.set_up_once import VARIABLE
from pytest_evosearch.write.verification.circumstances import CAUGHT_UP
from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="tests share a set-up by forks")

CONFTEST = """\
import pathlib
import sqlite3
import time

import pytest

SEEN = pathlib.Path(__file__).with_name("seen")


def note(what):  # the file counts as one of the set-up, so that notes of tests are undone
    with SEEN.open("a") as file:
        file.write(what)


@pytest.fixture(scope="session")
def once():
    note("o")


@pytest.fixture
def rows(tmp_path, once):
    note("s")
    time.sleep(0.3)
    connection = sqlite3.connect(tmp_path / "rows.db")
    connection.execute("CREATE TABLE row (name)")
    connection.commit()
    yield {"names": [], "connection": connection, "folder": tmp_path}
    note("t")


@pytest.fixture
def client(rows):
    return rows
"""

WRITES = """\
def test_{name}(client):
    assert client["names"] == []
    assert client["connection"].execute("SELECT * FROM row").fetchall() == []
    assert sorted(one.name for one in client["folder"].iterdir()) == ["rows.db"]
    client["names"].append("a")
    client["connection"].execute("INSERT INTO row VALUES ('a')")
    client["connection"].commit()
    (client["folder"] / "new").mkdir()
    (client["folder"] / "new" / "file").touch()
"""

FAST = """\
def test_fast():
    assert True
"""


def verdict_of(folder: Path, *modules: str, one: Circumstances = CAUGHT_UP) -> Verdict:
    (folder / "conftest.py").write_text(CONFTEST)
    for number, text in enumerate(modules):
        (folder / f"test_evosearch_{number}.py").write_text(text)
    process = PytestProcess(folder, sharing={VARIABLE: "0.2"})
    return FreshInterpreters(process, [one], width=1)(folder, 3)


def seen(folder: Path, what: str) -> int:
    return (folder / "seen").read_text().count(what)


@pytest.mark.parametrize("one", [CAUGHT_UP, MOVED], ids=["caught up", "moved"])
def test_each_test_finds_what_the_set_up_left_which_runs_once_for_all(
    tmp_path: Path, one: Circumstances
) -> None:
    tests = "\n\n".join(WRITES.format(name=name) for name in "abc")

    assert verdict_of(tmp_path, tests, FAST + "\n\n" + tests, one=one) == Verdict()
    assert seen(tmp_path, "s") <= 3  # the first test's own, one for all, one after the fast test
    assert seen(tmp_path, "t") == seen(tmp_path, "s")


@pytest.mark.slow("whole pytest runs of written tests")
def test_a_failure_is_that_of_its_test(tmp_path: Path) -> None:
    verdict = verdict_of(
        tmp_path, WRITES.format(name="a") + "\n\ndef test_no(client):\n    assert 0"
    )

    assert [one.test for one in verdict.failures] == ["test_no"]


def test_a_test_that_ends_its_process_is_to_blame(tmp_path: Path) -> None:
    ends = "\n\ndef test_ends(client):\n    import ctypes\n    ctypes.string_at(0)\n"
    verdict = verdict_of(
        tmp_path, WRITES.format(name="a") + ends + "\n\n" + WRITES.format(name="b")
    )

    assert {one.test for one in verdict.failures} == {"test_ends"}


NEEDS_OWN = """\
import pathlib

OWNER = pathlib.Path(__file__).with_name("owner")


def test_first(client):
    assert True


def test_second(client):
    OWNER.write_text(str(client["folder"]))


def test_third(client):
    assert OWNER.read_text() != str(client["folder"])
"""


@pytest.mark.slow("whole pytest runs of written tests")
def test_tests_that_need_a_set_up_of_their_own_get_it(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, NEEDS_OWN) == Verdict()
