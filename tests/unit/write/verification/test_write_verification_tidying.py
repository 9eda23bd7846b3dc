from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.measure import measure
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.tidying import tidied
from pytest_evosearch.write.verification.tidying import tidy

STORING = """
import os
import sqlite3
from pathlib import Path


def test_it():
    os.makedirs("uploads/today", exist_ok=True)
    Path("uploads/today/a.txt").write_text("a")
    os.rename("uploads/today/a.txt", "uploads/today/b.txt")
    Path("kept.txt").write_text("changed")
    database = sqlite3.connect("rows.db")
    database.execute("create table if not exists rows (id)")
    database.close()
    assert Path("rows.db").exists()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(STORING)
    (tmp_path / "kept.txt").write_text("as it was")
    return tmp_path


def files_in(folder: Path) -> set[str]:
    found = {path.relative_to(folder) for path in folder.rglob("*")}
    return {path.as_posix() for path in found if not path.parts[0].startswith((".", "__"))}


def test_what_runs_create_is_removed_after_the_last_one(project: Path) -> None:
    with tidied(PytestProcess(project)) as process:
        _, first, output = run_with_plugins(process, [project], 30, environment={})
        between = files_in(project)
        measure(project, process, [project / "test_it.py"])

    assert first == 0, output
    assert {"uploads/today/b.txt", "rows.db"} <= between
    assert files_in(project) == {"test_it.py", "kept.txt"}


def test_what_others_put_there_stays(project: Path) -> None:
    with tidied(PytestProcess(project)) as process:
        run_with_plugins(process, [project], 30, environment={})
        (project / "uploads" / "mine.txt").write_text("mine")

    assert files_in(project) == {"test_it.py", "kept.txt", "uploads", "uploads/mine.txt"}
    assert (project / "kept.txt").read_text() == "as it was"


def test_database_in_a_fixed_place_elsewhere_is_removed_before_it_disturbs(tmp_path: Path) -> None:
    database = Path(tempfile.mkdtemp(), "fixed.sqlite")  # not pytest's, whose folders stay
    (tmp_path / "test_it.py").write_text(
        "import sqlite3\n\n\ndef test_it():\n"
        f"    with sqlite3.connect({str(database)!r}) as connection:\n"
        "        connection.execute('create table rows (id)')\n"
        "    sqlite3.connect(':memory:').close()\n"
    )

    with tidied(PytestProcess(tmp_path)) as process:
        codes = [run_with_plugins(process, [tmp_path], 30, environment={})[1] for _ in range(2)]
        assert process.has_left_traces
        tidy(process)
        assert not process.has_left_traces
        codes.append(run_with_plugins(process, [tmp_path], 30, environment={})[1])

    assert codes == [0, 1, 0]
    assert not database.exists()
    database.parent.rmdir()
