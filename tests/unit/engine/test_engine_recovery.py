from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_evosearch.engine import recovery
from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.sut.sandbox.fresh_start import REASON

ROOT = Path("/project")
APPLICATION = "shop.create_app()"
ENDS = "Ctrl-C twice, kill -9, no memory left"
ENDPOINTS = ("GET /", "POST /orders")


def individual(endpoint: str) -> Individual:
    return Individual((Call(endpoint, (), 1),))


def archive_of(*endpoints: str) -> Archive[Individual]:
    archive: Archive[Individual] = Archive()
    for endpoint in endpoints:
        archive.offer(Evaluation(individual(endpoint), {f"status {endpoint} 200": 1.0}, (1, 0)))
    return archive


CRASH = """Fatal Python error: Segmentation fault

Current thread 0x00007f (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/project/shop/orders.py", line 31 in order
  File "/project/.venv/lib/python3.11/site-packages/flask/app.py", line 917 in dispatch
"""


def die(folder: Path, *endpoints: str, application: str = APPLICATION, note: str = CRASH) -> None:
    """Leave what a run leaves that crashes while it calls the last endpoint."""
    journal = Journal(folder, ROOT, application, archive_of(*endpoints))
    with journal.kept(ENDPOINTS):
        for endpoint in endpoints:
            journal.note_call(endpoint)
        journal.keep()
        (folder / "unfinished.crash").write_text(note)
        left = {path: path.read_bytes() for path in folder.iterdir()}
    for path, content in left.items():
        path.write_bytes(content)


def test_the_next_run_has_the_tests_of_one_that_died(tmp_path: Path) -> None:
    die(tmp_path, "GET /", "POST /orders")

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert journal.death == (
            "the run before this one died when POST /orders was called "
            "(Segmentation fault at shop/orders.py:31)"
        )
        assert journal.guilty == "POST /orders"
        assert list(journal.unfinished) == [individual("GET /"), individual("POST /orders")]


def test_a_run_that_has_begun_anew_knows_what_hung_and_blames_no_crash(tmp_path: Path) -> None:
    die(tmp_path, "GET /", "POST /orders", note=REASON)

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.hung) == ["POST /orders"]
        assert not journal.guilty
        assert not journal.death
        assert list(journal.unfinished) == [individual("GET /"), individual("POST /orders")]
        assert journal.note == tmp_path / "unfinished.crash"


def test_a_run_that_ends_leaves_nothing(tmp_path: Path) -> None:
    die(tmp_path, "GET /")
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.take_up()) == [individual("GET /")]

    assert not list(tmp_path.iterdir())
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert not journal.death
        assert not journal.unfinished


def test_what_a_run_has_no_time_for_waits_for_the_next_one(tmp_path: Path) -> None:
    die(tmp_path, "GET /", "POST /orders")
    short = Journal(tmp_path, ROOT, APPLICATION, archive_of("GET /"))
    with short.kept(ENDPOINTS):
        taken = short.take_up()
        assert next(taken) == individual("GET /")
        assert next(taken) == individual("POST /orders")  # and there was no time to execute it
        taken.close()
        short.keep()

    assert [path.name for path in tmp_path.iterdir()] == ["unfinished.pickle"]
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert not journal.death
        assert journal.unfinished == (individual("POST /orders"),)


def test_only_postponed_tests_leave_time_for_the_search(tmp_path: Path) -> None:
    die(tmp_path, "GET /", "POST /orders", note=REASON)  # and the run starts anew
    both = [individual("GET /"), individual("POST /orders")]
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.take_up(lambda: True)) == both
        journal.postpone(both)

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.take_up(lambda: True)) == both[:1]
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.unfinished) == both[1:]


def test_postponed_tests_wait_for_a_run_that_need_not_be_repeatable(tmp_path: Path) -> None:
    short = Journal(tmp_path, ROOT, APPLICATION, archive_of("GET /", "POST /orders"))
    with short.kept(ENDPOINTS):
        short.postpone([individual("POST /orders")])

    repeatable = Journal(tmp_path, ROOT, APPLICATION, archive_of(), takes_up=False)
    with repeatable.kept(ENDPOINTS):
        assert not repeatable.unfinished
        repeatable.keep()
    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert list(journal.take_up()) == [individual("POST /orders")]
    assert not list(tmp_path.iterdir())


def test_the_next_run_has_the_tests_of_one_that_was_stopped_at_once(tmp_path: Path) -> None:
    stopped = Journal(tmp_path, ROOT, APPLICATION, archive_of("GET /"))
    with suppress(StopAtOnce), stopped.kept(ENDPOINTS):
        stopped.note_call("GET /")
        raise StopAtOnce
    for path in list(tmp_path.iterdir()):  # a lock ends with its process
        path.rename(path.with_suffix(".copy"))
        shutil.copy(path.with_suffix(".copy"), path)

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert journal.death.startswith("the run before this one was ended from outside")
        assert (journal.guilty, journal.unfinished) == ("", (individual("GET /"),))


def test_tests_of_endpoints_that_are_gone_are_left_out(tmp_path: Path) -> None:
    die(tmp_path, "GET /", "POST /orders")

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(["GET /"]):
        assert list(journal.unfinished) == [individual("GET /")]


def test_tests_of_another_application_are_not_taken(tmp_path: Path) -> None:
    die(tmp_path, "GET /", application="blog.create_app()")

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert not journal.unfinished


def test_a_file_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    die(tmp_path, "GET /")
    tests = tmp_path / "unfinished.pickle"
    tests.write_bytes(tests.read_bytes()[:-20])

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert journal.death
        assert not journal.unfinished


def test_of_two_runs_at_the_same_time_the_second_keeps_nothing(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    first = Journal(tmp_path, ROOT, APPLICATION, archive_of("GET /"))
    second = Journal(tmp_path, ROOT, APPLICATION, archive_of("POST /orders"))
    with first.kept(ENDPOINTS):
        first.note_call("GET /")
        with second.kept(ENDPOINTS):
            assert not second.death
            second.note_call("POST /orders")
            second.keep()
        assert not (tmp_path / "unfinished.pickle").exists()
        assert (tmp_path / "unfinished.call").read_bytes().startswith(b"GET /\0")


def test_tests_are_kept_when_it_is_time_and_something_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(recovery, "monotonic", lambda: now[0])
    archive = archive_of("GET /")
    journal = Journal(tmp_path, ROOT, APPLICATION, archive)
    tests = tmp_path / "unfinished.pickle"
    with journal.kept(ENDPOINTS):
        journal.keep_now_and_then()
        assert not tests.exists()
        now[0] += recovery.KEEP_SECONDS
        journal.keep_now_and_then()
        tests.unlink()
        now[0] += recovery.KEEP_SECONDS
        journal.keep_now_and_then()
        assert not tests.exists()
        archive.offer(
            Evaluation(individual("POST /orders"), {"status POST /orders 201": 1.0}, (1, 0))
        )
        journal.keep_now_and_then()
        assert tests.exists()


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    journal = Journal(tmp_path / "file", ROOT, APPLICATION, archive_of("GET /"))
    with journal.kept(ENDPOINTS):
        journal.note_call("GET /")
        journal.keep()
        assert not journal.death


CRASHING = """
import ctypes
import os
import signal
import sys
from pathlib import Path

from pytest_evosearch.engine.recovery import Journal
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.sut.sandbox.fresh_start import REASON

with Journal(Path(sys.argv[1]), Path(), "shop.create_app()", Archive()).kept(["GET /"]) as journal:
    pass
journal = Journal(Path(sys.argv[1]), Path(), "shop.create_app()", Archive())
with journal.kept(["GET /"]), journal.crashes_noted():
    journal.note_call("GET /")
    if sys.argv[2] == "after the call":
        journal.note_call("")
    os.kill(os.getpid(), getattr(signal, sys.argv[3]))
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize(
    ("moment", "by", "death", "guilty"),
    [
        ("in the call", "SIGSEGV", "died when GET / was called (Segmentation fault)", "GET /"),
        ("after the call", "SIGABRT", "died between two calls (Aborted)", ""),
        (
            "in the call",
            "SIGKILL",
            f"was ended from outside ({ENDS})",
            "",
        ),
        (
            "in the call",
            "SIGTERM",
            f"was ended from outside ({ENDS})",
            "",
        ),
    ],
)
def test_a_call_is_blamed_for_its_own_crash_only(
    moment: str, by: str, death: str, guilty: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", CRASHING, str(tmp_path), moment, by]
    assert subprocess.run(command, check=False).returncode == -getattr(signal, by)

    journal = Journal(tmp_path, ROOT, APPLICATION, archive_of())
    with journal.kept(ENDPOINTS):
        assert journal.death == f"the run before this one {death}"
        assert journal.guilty == guilty
