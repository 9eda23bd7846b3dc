"""Runs of pytest in processes of their own."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest_evosearch.write.verification.pytest_process import PytestProcess

ADD = "import pathlib; file = pathlib.Path('rows'); file.write_text(file.read_text() + 'x')"
WAIT = """
import pathlib, time
pathlib.Path('begun').touch()
while not pathlib.Path('end').exists():
    time.sleep(0.01)
"""


def test_a_run_begins_with_the_databases_of_the_user(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    process = PytestProcess(tmp_path, restore=lambda: rows.write_text("ab"))
    for _ in range(2):
        process.run(["-c", ADD], 60.0)
        assert rows.read_text() == "abx"


def test_nothing_is_restored_while_another_run_uses_it(tmp_path: Path) -> None:
    restored: list[None] = []
    process = PytestProcess(tmp_path, restore=lambda: restored.append(None))
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(process.run, ["-c", WAIT], 60.0)
        while not (tmp_path / "begun").exists():
            pass
        assert process.run(["-c", ""], 60.0)[0] == 0
        assert len(restored) == 1
        (tmp_path / "end").touch()
        assert waiting.result()[0] == 0
    process.run(["-c", ""], 60.0)
    assert len(restored) == 2


def test_runs_that_begin_at_once_restore_one_after_the_other(tmp_path: Path) -> None:
    restoring: list[int] = []
    most: list[int] = []

    def restore() -> None:
        restoring.append(1)
        most.append(len(restoring))
        time.sleep(0.05)
        restoring.pop()

    process = PytestProcess(tmp_path, restore=restore)
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(process.run, ["-c", ""], 60.0) for _ in range(4)]
        assert [one.result()[0] for one in runs] == [0] * 4
    assert max(most) == 1
