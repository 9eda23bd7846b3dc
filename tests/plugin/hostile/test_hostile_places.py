"""Searches with nowhere to write to: what was found is told, what was there before stays."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("harm is done in a process namespace until a limit ends it")

SECONDS = 6.0

EARLIER = '''
def test_earlier():
    """Written by somebody."""
'''

REMOVING = """
import os
import shutil
import tempfile


@app.get("/everything")
def everything():
    shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
    return "gone"


@app.get("/each")
def each():
    for name in os.listdir(tempfile.gettempdir()):
        shutil.rmtree(os.path.join(tempfile.gettempdir(), name), ignore_errors=True)
    return "gone"


@app.get("/here")
def here():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    shutil.rmtree(folder)
    return "nowhere"
"""


def test_a_temporary_folder_that_fills_up_leaves_what_was_there(run_in_namespace, harmless) -> None:
    files = {"app.py": harmless, "evosearch/test_earlier.py": EARLIER}
    run = run_in_namespace(files, seconds=SECONDS, mounts=["--small /temporary"])
    run.is_well()
    assert run.tells("no test was written, the folder is unchanged: No space left on device")
    assert [one.name for one in (run.folder / "evosearch").iterdir()] == ["test_earlier.py"]


def test_a_temporary_folder_without_room_is_not_used(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless}, seconds=SECONDS, mounts=["--full /temporary"])
    run.is_well()
    assert run.writes("/ok", "/sized")


def test_a_full_output_folder_is_told_in_one_line(run_in_namespace, harmless) -> None:
    given = "--evosearch-output=out/evosearch"
    run = run_in_namespace({"app.py": harmless}, given, seconds=SECONDS, mounts=["--full out"])
    run.is_well()
    assert run.tells("no test was written, the folder is unchanged: No space left on device")


def test_tests_move_to_another_file_system(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless}, seconds=SECONDS, mounts=["--small evosearch"])
    run.is_well()
    assert run.tells(r"files: \d tests")


def test_a_read_only_project_is_told_in_one_line(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless}, seconds=SECONDS, mounts=["--read-only ."])
    run.is_well(code=4)
    assert run.tells("cannot write tests to .*: Read-only file system; .*--evosearch-output=DIR")


def test_tests_of_a_read_only_project_lie_where_they_are_told_to(
    run_in_namespace, harmless
) -> None:
    mounts = ["--read-only ."]
    run = run_in_namespace(
        {"app.py": harmless}, "--evosearch-output=../elsewhere", seconds=SECONDS, mounts=mounts
    )
    run.is_well()
    assert (run.folder.parent / "elsewhere" / "test_evosearch_ok.py").exists()


@contextmanager
def removed_again_and_again(folder: Path) -> Iterator[None]:
    """Remove a folder as soon as it is there, as ``git clean`` beside a run may do."""
    over = threading.Event()

    def remove() -> None:
        while not over.is_set():
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.01)

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("vanishing", ["evosearch", ".evosearch-unverified"])
def test_an_output_folder_that_vanishes_costs_its_tests_only(
    run_in_namespace, harmless, vanishing: str
) -> None:
    with removed_again_and_again(run_in_namespace.next_project() / vanishing):
        run = run_in_namespace({"app.py": harmless}, seconds=SECONDS)
    run.is_well()
    assert run.tells("no test was written, the folder is unchanged: ") or run.tells(r"files: \d")


def test_the_temporary_folder_is_not_removed_and_no_test_does_so(
    run_in_namespace, harmless
) -> None:
    run = run_in_namespace({"app.py": harmless + REMOVING}, seconds=SECONDS)
    run.is_well()
    assert run.writes("/ok", "/sized")
    assert not run.writes("/everything", "/each")
    assert run.tells("because in a real run it would remove /.*temporary")
    assert run_in_namespace.again(run).passes()


def test_a_locale_of_ascii_and_a_folder_with_an_umlaut(run_in_namespace, harmless) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = run_in_namespace({"app.py": harmless}, evaluations=20, environment=locale, name="grün")
    run.is_well()
    assert run.writes("/ok")
    assert run.tells(r"the written tests cover \d+ of \d+ lines")
