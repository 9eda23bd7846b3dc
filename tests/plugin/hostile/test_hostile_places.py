"""Searches with nowhere to write to: what was found is told, what was there before stays."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 6.0

EARLIER = '''
def test_earlier():
    """Written by somebody."""
'''

EXITS = """
import sys
import threading


@app.get("/exits")
def exits():
    thread = threading.Thread(target=sys.exit, args=(3,))
    thread.start()
    thread.join()
    return "exited"


@app.get("/later")
def later():
    threading.Timer(0.01, sys.exit, ("over",)).start()
    return "started"
"""


def test_a_full_temporary_folder_costs_the_suite_and_nothing_else(
    run_in_namespace, harmless
) -> None:
    files = {"app.py": harmless, "evosearch/test_earlier.py": EARLIER}
    run = run_in_namespace(files, seconds=SECONDS, mounts=["--small /temporary"])
    run.is_well()
    assert run.tells("no test was written.*No space left on device") or run.writes("/ok")
    assert (run.folder / "evosearch" / "test_earlier.py").read_text() == EARLIER


def test_a_full_output_folder_is_told_in_one_line(run_in_namespace, harmless) -> None:
    run = run_in_namespace(
        {"app.py": harmless, "evosearch/conftest.py": "#" * 1_048_000},
        seconds=SECONDS,
        mounts=["--small /out"],
    )
    run.is_well()


def test_a_read_only_project_is_told_in_one_line(run_in_namespace, harmless) -> None:
    run = run_in_namespace({"app.py": harmless}, seconds=SECONDS, mounts=["--read-only ."])
    run.is_well()
    assert run.tells("no test was written, the folder is unchanged: Read-only file system")


def test_tests_of_a_read_only_project_can_lie_elsewhere(run_in_namespace, harmless) -> None:
    run = run_in_namespace(
        {"app.py": harmless},
        "--evosearch-output=../elsewhere",
        seconds=SECONDS,
        mounts=["--read-only ."],
    )
    run.is_well()
