from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pytest_evosearch.core.failing.putting_back import CREATED
from pytest_evosearch.core.failing.putting_back import REPLACED
from pytest_evosearch.core.failing.putting_back import Entry
from pytest_evosearch.core.failing.putting_back import place_below
from pytest_evosearch.core.failing.putting_back import put_back_all
from pytest_evosearch.core.safekeeping import Safekeeping

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "first").write_text("the first")
    return tmp_path


def die_after(root: Path, change: Callable[[Safekeeping], object]) -> None:
    """Let a child keep and change something, and be killed."""
    child = os.fork()
    if child == 0:
        with Safekeeping(root).opened() as safe:
            change(safe)
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def put_back(root: Path) -> list[str]:
    return [os.path.relpath(path, root) for path in put_back_all(place_below(root))]


def test_a_file_comes_back_and_what_stood_there_is_set_aside(root: Path) -> None:
    first = root / "notes" / "first"
    os.utime(first, ns=(1_000, 2_000))
    first.chmod(0o640)

    def change(safe: Safekeeping) -> None:
        assert safe.keep_file(first)
        first.write_text("changed")

    die_after(root, change)
    assert first.read_text() == "changed"
    assert put_back(root) == ["notes/first"]
    assert first.read_text() == "the first"
    assert (first.stat().st_mode & 0o777, first.stat().st_mtime_ns) == (0o640, 2_000)
    assert (place_below(root).parent / REPLACED / "first").read_text() == "changed"
    assert not place_below(root).exists()
    assert put_back(root) == []


def test_a_database_comes_back_without_the_journal_of_an_open_transaction(root: Path) -> None:
    path = root / "data.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    before = path.read_bytes()

    def change(safe: Safekeeping) -> None:
        assert safe.keep_database(path)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("DELETE FROM t")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 2000,) for _ in range(200)])

    die_after(root, change)
    assert (root / "data.sqlite-journal").exists()  # hot: half of a transaction is in the file
    assert put_back(root) == ["data.sqlite-journal", "data.sqlite"]
    assert path.read_bytes() == before
    assert sorted(one.name for one in root.glob("data*")) == ["data.sqlite"]


def test_rows_in_a_write_ahead_log_come_back(root: Path) -> None:
    path = root / "data.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    connection.execute("INSERT INTO t VALUES (1)")
    connection.commit()
    kept = {one.name: one.read_bytes() for one in root.glob("data.sqlite*")}
    assert "data.sqlite-wal" in kept

    def change(safe: Safekeeping) -> None:
        assert safe.keep_database(path)
        for name in kept:
            (root / name).write_bytes(b"")

    die_after(root, change)
    put_back(root)
    for name in ("data.sqlite", "data.sqlite-wal"):
        assert (root / name).read_bytes() == kept[name]
    connection.close()


def test_what_the_present_test_has_done_is_undone_the_last_first(root: Path) -> None:
    def change(safe: Safekeeping) -> None:
        safe.note_call(Entry("nothing", str(root / "new")))
        (root / "new").write_text("")
        safe.note_call(Entry("moved", str(root / "notes"), str(root / "moved")))
        (root / "notes").rename(root / "moved")

    die_after(root, change)
    put_back(root)
    assert sorted(one.name for one in root.iterdir()) == [".pytest_cache", "notes"]
    assert (root / "notes" / "first").read_text() == "the first"


def test_what_is_undone_is_forgotten(root: Path) -> None:
    def change(safe: Safekeeping) -> None:
        safe.note_call(Entry("nothing", str(root / "mine")))
        safe.forget_call()

    die_after(root, change)
    (root / "mine").write_text("made by the user later")
    assert put_back(root) == []
    assert (root / "mine").exists()


def test_moves_that_were_noted_are_brought_to_an_end(root: Path) -> None:
    stage = root / ".evosearch-unverified"

    def change(safe: Safekeeping) -> None:
        safe.keep_scratch(stage)
        stage.mkdir()
        (stage / "test_a.py").write_text("new")
        (root / "test_b.py").write_text("old")
        safe.keep_moves([(stage / "test_a.py", root / "test_a.py")], [root / "test_b.py"])

    die_after(root, change)
    assert put_back(root) == []
    assert (root / "test_a.py").read_text() == "new"
    assert not (root / "test_b.py").exists()
    assert not stage.exists()


def test_a_file_that_was_edited_after_the_death_is_neither_replaced_nor_removed(root: Path) -> None:
    stage, old, obsolete = root / ".stage", root / "test_a.py", root / "test_b.py"
    stage.mkdir()
    for path in (stage / "test_a.py", stage / "conftest.py", old, obsolete):
        path.write_text("of a run")

    def begin(safe: Safekeeping) -> None:
        moves = [(stage / name, root / name) for name in ("conftest.py", "test_a.py")]
        safe.keep_moves(moves, [obsolete])

    die_after(root, begin)
    for path in (root / "conftest.py", old, obsolete):
        path.write_text("edited by hand")
    put_back(root)

    assert {path.read_text() for path in (root / "conftest.py", old, obsolete)} == {
        "edited by hand"
    }


def test_what_verification_created_is_removed(root: Path) -> None:
    def change(safe: Safekeeping) -> None:
        assert safe.folder is not None
        (root / "made").mkdir()
        (root / "made" / "file").write_text("")
        names = (os.fsencode(root / "made"), os.fsencode(root / "made" / "file"))
        (safe.folder / CREATED).write_bytes(b"".join(name + b"\0" for name in names))

    die_after(root, change)
    put_back(root)
    assert not (root / "made").exists()


def test_a_copy_of_the_project_changes_nothing_in_the_project(root: Path) -> None:
    project, copy = root / "project", root / "copy"
    (project / "stage").mkdir(parents=True)
    (project / "rows").write_text("former")

    def change(safe: Safekeeping) -> None:
        safe.keep_scratch(project / "stage")
        safe.keep_file(project / "rows")
        (project / "rows").write_text("new")

    die_after(project, change)
    shutil.copytree(project, copy)

    assert put_back(copy) == []
    assert not place_below(copy).exists()
    assert (project / "stage").exists()
    assert (project / "rows").read_text() == "new"
    assert put_back(project) == ["rows"]


def test_a_run_that_lives_keeps_what_it_has(root: Path) -> None:
    first = root / "notes" / "first"
    with Safekeeping(root).opened() as safe:
        assert safe.keep_file(first)
        first.write_text("changed")
        command = (
            "from pytest_evosearch.core.failing.putting_back import *; from pathlib import Path; "
        )
        command += f"print(put_back_all(place_below(Path({str(root)!r}))))"
        other = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
        assert other.stdout.strip() == b"[]"
        assert put_back(root) == []  # nor by another part of this process
        assert first.read_text() == "changed"
    assert not place_below(root).exists()


def test_a_child_that_dies_is_undone_by_its_parent(root: Path) -> None:
    with Safekeeping(root).opened() as safe:
        child = os.fork()
        if child == 0:
            safe.note_call(Entry("nothing", str(root / "new")))
            (root / "new").write_text("")
            os._exit(0)
        os.waitpid(child, 0)
        safe.undo_call()
        assert not (root / "new").exists()


def test_without_a_place_to_write_to_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / ".pytest_cache").write_text("a file")
    with Safekeeping(tmp_path).opened() as safe:
        assert safe.keep_file(tmp_path / ".pytest_cache") is None
        safe.note_call(Entry("nothing", "new"))
        safe.forget_call()
