"""What handlers do to files is undone."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
import pytest

from pytest_evosearch.sut.fixture_texts.state_text import files_fixture
from pytest_evosearch.sut.state import file_paths
from pytest_evosearch.sut.state import folder_copies
from pytest_evosearch.sut.state import written_files
from pytest_evosearch.sut.state.written_files import WrittenFiles
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with files of a user."""
    folder = tmp_path / "project"
    (folder / "docs" / "old").mkdir(parents=True)
    (folder / "app.py").write_text("app")
    (folder / "app.py").chmod(0o640)
    (folder / "docs" / "a.md").write_text("a")
    (folder / "docs" / "old" / "b.md").write_text("b")
    (folder / "link").symlink_to("app.py")
    (folder / "docs" / "back").symlink_to("..", target_is_directory=True)
    return folder


@pytest.fixture
def files(project: Path) -> Iterator[WrittenFiles]:
    age(project)
    with WrittenFiles(project).installed() as installed:
        yield installed
        installed.end()


def age(folder: Path) -> None:
    """Let everything in a folder be older than the run."""
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)


def inventory(folder: Path) -> dict[str, object]:
    """Return everything about the files of a folder that anybody may miss."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if path.is_symlink():
            found[str(path)] = path.readlink()
        elif path.is_dir():
            found[str(path)] = status.st_mode
        else:
            found[str(path)] = (path.read_bytes(), status.st_mode, status.st_mtime_ns)
    return found


def remove_then_write(folder: Path) -> None:
    (folder / "app.py").unlink()
    (folder / "app.py").write_text("other")


def replace_folder_by_file(folder: Path) -> None:
    shutil.rmtree(folder / "docs")
    (folder / "docs").write_text("no folder")


def move_and_change(folder: Path) -> None:
    (folder / "docs" / "a.md").write_text("changed")
    (folder / "docs").rename(folder / "texts")
    (folder / "texts" / "a.md").write_text("changed again")
    (folder / "texts" / "c.md").write_text("new")
    (folder / "docs").mkdir()
    (folder / "docs" / "a.md").write_text("another")


def make_many(folder: Path) -> None:
    (folder / "x" / "y").mkdir(parents=True)
    for number in range(3):
        (folder / "x" / "y" / f"{number}").write_text("new")


def change_by_descriptor(folder: Path) -> None:
    descriptor = os.open(folder / "app.py", os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, b"more")
    os.close(descriptor)


def through_link(folder: Path) -> None:
    with (folder / "link").open("a") as file:
        file.write("more")
    (folder / "link").unlink()
    (folder / "link").symlink_to("docs")


def save_atomically(folder: Path) -> None:
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
        file.write("saved")
    Path(file.name).replace(folder / "app.py")


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "app.py").write_text("harmed"),
        lambda folder: (folder / "app.py").unlink(),
        lambda folder: (folder / "app.py").chmod(0o600),
        lambda folder: os.truncate(folder / "app.py", 0),
        lambda folder: (folder / "app.py").rename(folder / "docs" / "a.md"),
        lambda folder: (folder / "copy").hardlink_to(folder / "app.py"),
        lambda folder: shutil.rmtree(folder),
        lambda folder: shutil.move(folder / "docs", folder / "moved"),
        remove_then_write,
        replace_folder_by_file,
        move_and_change,
        make_many,
        change_by_descriptor,
        through_link,
        save_atomically,
    ],
)
def test_files_come_back(
    harm: Callable[[Path], object], project: Path, files: WrittenFiles
) -> None:
    before = inventory(project)

    files.begin()
    harm(project)
    files.end()
    harmed = inventory(project)
    files.restore()

    assert harmed != before
    assert inventory(project) == before


def test_files_come_back_each_time(project: Path, files: WrittenFiles) -> None:
    before = inventory(project)
    for _ in range(2):
        files.begin()
        remove_then_write(project)
        files.end()
        files.restore()

        assert inventory(project) == before


def test_what_others_write_stays(project: Path, files: WrittenFiles) -> None:
    files.begin()
    files.end()
    (project / "generated.py").write_text("ours")
    files.restore()

    assert (project / "generated.py").read_text() == "ours"


def test_caches_of_tools_stay(project: Path, files: WrittenFiles) -> None:
    files.begin()
    (project / ".pytest_cache").mkdir()
    (project / ".pytest_cache" / "code").write_text("compiled")
    files.end()
    files.restore()

    assert (project / ".pytest_cache" / "code").read_text() == "compiled"


def test_what_is_too_large_to_be_put_back_is_not_changed(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_files, "LARGEST_FILE", 2)
    before = inventory(project)

    files.begin()
    with pytest.raises(PermissionError, match="protects files"):
        shutil.rmtree(project)
    with pytest.raises(PermissionError, match="protects files"):
        (project / "app.py").write_text("")
    files.end()

    assert inventory(project) == before


def test_large_files_of_the_run_are_nobodys(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_files, "LARGEST_FILE", 2)
    (project / "app.py").write_text("by a fixture")

    files.begin()
    (project / "app.py").write_text("other")
    files.end()
    files.restore()

    assert (project / "app.py").read_text() == "other"


def test_what_lies_outside_the_project_is_not_changed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "nowhere"))
    folder = project / "docs"
    note, old = folder / "a.md", folder / "old" / "b.md"
    age(project)
    before = inventory(project)

    with WrittenFiles(project / "elsewhere").installed() as files:
        files.begin()
        with pytest.raises(PermissionError, match="protects files"):
            note.write_text("harmed")
        with pytest.raises(PermissionError, match="protects files"):
            note.unlink()
        with pytest.raises(PermissionError, match="protects files"):
            folder.rename(project / "texts")
        with pytest.raises(PermissionError, match="protects files"):
            shutil.rmtree(folder)
        files.end()

    assert inventory(project) == before
    assert files.refusals == {f"change {note}": 2, f"change {folder}": 1, f"change {old}": 1}


def test_what_lies_outside_the_project_may_get_longer(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "nowhere"))
    age(project)
    before = inventory(project)

    with WrittenFiles(project / "elsewhere").installed() as files:
        files.begin()
        append(project)
        files.end()
        assert files.harms() == ()
        files.restore()

    assert inventory(project) == before


def append(folder: Path) -> None:
    with (folder / "app.py").open("a") as file:
        file.write("more")


@pytest.mark.parametrize(
    ("change", "harms"),
    [
        (lambda folder: (folder / "app.py").write_text("harmed"), ("change app.py",)),
        (lambda folder: (folder / "app.py").write_text("app"), ()),
        (lambda folder: (folder / "docs" / "a.md").unlink(), ("change docs/a.md",)),
        (lambda folder: (folder / "docs").rename(folder / "texts"), ("change docs",)),
        (
            lambda folder: shutil.rmtree(folder / "docs" / "old"),
            ("change docs/old/b.md", "change docs/old"),
        ),
        (through_link, ("change link",)),
        (save_atomically, ("change app.py",)),
        (append, ()),
        (make_many, ()),
    ],
)
def test_harm_is_told(
    change: Callable[[Path], object], harms: tuple[str, ...], project: Path, files: WrittenFiles
) -> None:
    for _ in range(2):
        files.begin()
        change(project)
        files.end()
        told = files.harms()
        files.restore()

        assert told == harms
        assert files.harms() == ()


def test_what_fixtures_have_made_may_be_changed(project: Path, files: WrittenFiles) -> None:
    (project / "app.py").write_text("by a fixture")

    files.begin()
    (project / "app.py").unlink()
    files.end()

    assert files.harms() == ()


@pytest.mark.parametrize("folder", ["flask_session", "instance/cache", "tmp"])
def test_what_applications_can_do_without_may_be_changed(
    folder: str, project: Path, files: WrittenFiles
) -> None:
    kept = project / folder / "2029240f"
    kept.parent.mkdir(parents=True)
    kept.write_text("1")
    age(project)
    before = inventory(project)

    files.begin()
    kept.write_text("2")
    files.end()

    assert files.harms() == ()
    files.restore()
    assert inventory(project) == before


def test_sessions_that_the_server_keeps_in_files_leave_nothing(
    project: Path, files: WrittenFiles
) -> None:
    """Flask-Session and cachelib write beside the old file, and move it into place."""
    flask_session = pytest.importorskip("flask_session")
    cachelib = pytest.importorskip("cachelib")
    before = inventory(project)

    files.begin()
    app = flask.Flask(__name__)
    cache = cachelib.FileSystemCache(str(project / "session_files"))
    app.config |= {"SESSION_TYPE": "cachelib", "SESSION_CACHELIB": cache}
    flask_session.Session(app)
    app.add_url_rule("/", "count", lambda: str(flask.session.setdefault("seen", 1)))
    client = app.test_client()
    assert [client.get("/").status_code for _ in range(2)] == [200, 200]
    assert inventory(project) != before
    files.end()

    assert files.harms() == ()
    files.restore()
    assert inventory(project) == before


def test_temporary_files_may_be_changed(tmp_path: Path, files: WrittenFiles) -> None:
    beside = tmp_path / "upload.txt"
    beside.write_text("a")
    age(tmp_path)

    files.begin()
    beside.write_text("b")
    files.end()

    assert files.harms() == ()
    files.restore()
    assert beside.read_text() == "a"


def test_a_block_that_is_over_hears_nothing(project: Path) -> None:
    with WrittenFiles(project).installed() as files:
        files.begin()
    (project / "app.py").unlink()
    files.restore()

    assert not (project / "app.py").exists()


def upload(folder: Path) -> None:
    (folder / "docs" / "[1].md").write_text("new")
    (folder / "data.json").write_text("{}")
    (folder / "docs" / "deep" / "er").mkdir(parents=True)
    (folder / "docs" / "deep" / "er" / "c.md").write_text("new")
    (folder / "uploads").mkdir()
    (folder / "uploads" / "d.md").write_text("new")
    (folder / "gone").write_text("new")
    (folder / "gone").unlink()


def test_created_files_are_named_by_their_folders(
    project: Path, files: WrittenFiles, tmp_path: Path
) -> None:
    files.begin()
    upload(project)
    (tmp_path / "elsewhere").write_text("new")
    files.end()

    assert files.created() == ("data.json", "docs/**/*", "uploads", "uploads/**/*")
    files.restore()
    assert files.created() == ()


def test_created_files_in_a_large_folder_are_named_by_themselves(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_paths, "MOST_NEIGHBOURS", 2)

    files.begin()
    (project / "docs" / "new.md").write_text("new")
    files.end()

    assert files.created() == ("docs/new.md",)


def test_a_file_in_a_folder_of_the_sandbox_alone_is_named_itself(
    project: Path, files: WrittenFiles, tmp_path: Path
) -> None:
    copy, original = tmp_path / "copy", project / "missing" / "new.md"
    files.begin()
    copy.write_text("new")
    files.end()

    assert files.created({str(copy): str(original)}.__getitem__) == ("missing/new.md",)


def test_files_in_a_sandbox_are_named_after_their_originals(
    project: Path, files: WrittenFiles, tmp_path: Path
) -> None:
    copy, original = tmp_path / "copy", project / "docs" / "new.md"
    files.begin()
    copy.write_text("new")
    files.end()

    assert files.created({str(copy): str(original)}.__getitem__) == ("docs/**/*",)


def test_folders_that_are_there_may_be_made(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project / "nowhere"))
    age(project)

    with WrittenFiles(project / "elsewhere").installed() as files:
        files.begin()
        (project / "docs").mkdir(exist_ok=True)
        with pytest.raises(FileExistsError):
            (project / "docs").symlink_to("app.py")
        files.end()

    assert files.refusals == {}


def test_created_files_beside_code_are_named_by_themselves(
    project: Path, files: WrittenFiles
) -> None:
    (project / "docs" / "code.py").write_text("code")

    files.begin()
    (project / "docs" / "[1].md").write_text("new")
    files.end()

    assert files.created() == ("docs/[[]1].md",)


@pytest.mark.parametrize("patterns", [["docs/**/*"], ["data.json", "docs/**/*", "uploads"]])
def test_written_fixture_removes_what_tests_create(patterns: list[str], project: Path) -> None:
    source = files_fixture(patterns, project, project / "tests" / "evosearch")
    assert source is not None
    namespace: dict[str, Any] = {"__file__": str(project / "tests" / "evosearch" / "conftest.py")}
    exec(source.partition("\n")[2], namespace)  # without its decorator
    before = inventory(project)
    around = namespace["restored_files"]()

    next(around)
    (project / "docs" / "deep").mkdir()
    (project / "docs" / "deep" / "c.md").write_text("new")
    with pytest.raises(StopIteration):
        next(around)

    assert inventory(project) == before


def test_nothing_is_removed_where_nothing_is_created(project: Path) -> None:
    assert files_fixture([], project, project / "evosearch") is None
    assert files_fixture(["docs"], project, project.parent) is None


def test_databases_are_left_to_who_knows_about_them(project: Path) -> None:
    path = project / "shop.db"
    with watched_connections(), WrittenFiles(project).installed() as files:
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE item (name)")

        before = path.read_bytes()

        files.begin()
        with pytest.raises(PermissionError, match="protects files"):
            path.write_bytes(b"garbled")
        with pytest.raises(PermissionError, match="protects files"):
            path.unlink()
        (project / "shop.db-journal").write_bytes(b"new")
        files.end()

        assert files.refusals == {"change shop.db": 2}
        assert files.created() == ()
        files.restore()
        assert path.read_bytes() == before
        assert (project / "shop.db-journal").exists()


def test_copy_for_the_first_connection_stays(project: Path, tmp_path: Path) -> None:
    path = project / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE item (name)")
    copies = tmp_path / "copies"
    with watched_connections(copies, project), WrittenFiles(project).installed() as files:
        files.begin()
        with closing(sqlite3.connect(path)):
            pass
        files.end()
        files.restore()

        assert len(list(copies.rglob("shop.db"))) == 1


WORK = """
import os, shutil
os.remove("pages/home.md")
os.mkdir("objects")
open("objects/ab", "w").write("new")
os.chmod("objects/ab", 0o444)
open("index", "w").write("longer than before")
shutil.rmtree("pages")
os.remove("latest")
os.symlink("objects", "latest")
"""


@pytest.fixture
def repository(tmp_path: Path, files: WrittenFiles) -> Path:
    """Return a folder that a fixture of the run has made."""
    folder = tmp_path / "repository"
    (folder / "pages").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "pages" / "home.md").write_text("home")
    (folder / "index").write_text("before")
    (folder / "latest").symlink_to("index")
    return folder


def work_in(folder: Path, work: str = WORK) -> None:
    subprocess.run([sys.executable, "-c", work], cwd=folder, check=True)


def test_a_folder_in_which_a_process_worked_comes_back(
    repository: Path, files: WrittenFiles
) -> None:
    before = inventory(repository)
    for _ in range(2):
        files.begin()
        (repository / "pages" / "new.md").write_text("written by the application itself")
        work_in(repository)
        (repository / "objects" / "cd").write_text("also")
        files.end()
        assert inventory(repository) != before

        files.restore()

        assert inventory(repository) == before


def test_a_process_in_a_folder_of_a_repository_may_change_all_of_it(
    repository: Path, files: WrittenFiles
) -> None:
    before = inventory(repository)
    files.begin()
    work_in(repository / "pages", "open('../index', 'w').write('x')")
    files.end()
    files.restore()

    assert inventory(repository) == before


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "LARGEST_COPY", "age", "pipe"])
def test_a_folder_that_is_large_old_or_strange_is_left_alone(
    limit: str, repository: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit == "age":
        monkeypatch.setattr(files._copies, "_since", files._copies._since + 1000)
    elif limit == "pipe":
        os.mkfifo(repository / "pipe")
    else:
        monkeypatch.setattr(folder_copies, limit, 3)
    for _ in range(2):
        files.begin()
        work_in(repository, "open('index', 'a').write('more')")
        files.end()
        files.restore()

    assert (repository / "index").read_text() == "beforemoremore"


def test_a_process_without_a_folder_is_nobodys_affair(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    files.begin()
    subprocess.run([sys.executable, "-c", "open('a.txt', 'w').write('x')"], cwd=None, check=True)
    files.end()
    files.restore()

    assert Path("a.txt").exists()


def remove_one_by_one(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        shutil.rmtree(path, ignore_errors=True)


@pytest.mark.parametrize(
    "remove",
    [
        lambda folder: shutil.rmtree(folder, ignore_errors=True),
        lambda folder: shutil.rmtree(folder.parent, ignore_errors=True),
        remove_one_by_one,
        lambda folder: (folder / "theirs" / "a").unlink(),
        lambda folder: (folder / "theirs" / "a").rename(folder / "b"),
        lambda folder: (folder / "evosearch-sandbox-1" / ".owner").unlink(),
        lambda folder: (folder / "evosearch-sandbox-1").rmdir(),
    ],
)
def test_nothing_of_others_is_removed_from_the_temporary_folder(
    remove: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "above" / "temporary"
    (temporary / "theirs").mkdir(parents=True)
    (temporary / "theirs" / "a").write_text("a")
    age(temporary)
    (temporary / "evosearch-sandbox-1").mkdir()
    (temporary / "evosearch-sandbox-1" / ".owner").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = inventory(temporary)
    with WrittenFiles(tmp_path / "project").installed() as files:
        files.begin()
        with pytest.raises(PermissionError, match="protects files"):
            remove(temporary)
        files.end()
        files.restore()
    assert inventory(temporary) == before
    assert all(attempt.startswith("remove ") for attempt in files.refusals)


def test_what_an_application_keeps_in_the_temporary_folder_is_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    (temporary / "shop_cache").mkdir(parents=True)
    old, log = temporary / "shop_cache" / "old", temporary / "shop.log"
    old.write_text("old")
    log.write_text("log")
    age(temporary)
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with WrittenFiles(tmp_path / "project").installed() as files:
        files.begin()
        old.unlink()
        log.write_text("again")
        fresh = temporary / "fresh"
        fresh.write_text("made by the run")
        fresh.unlink()
        files.end()
        files.restore()
    assert (files.refusals, old.read_text(), log.read_text()) == ({}, "old", "log")


def test_a_new_folder_goes_with_the_sockets_in_it(project: Path, files: WrittenFiles) -> None:
    folder = project / "new"
    files.begin()
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(folder / "listener"))
    files.end()
    files.restore()
    assert not folder.exists()


def rebuild_database(project: Path) -> None:
    (project / "dev.db").write_text("made anew")


def remove_uploads(project: Path) -> None:
    (project / "uploads").mkdir()
    shutil.rmtree(project / "uploads")


def write_temporarily(project: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "data").write_text("a")


def compile_a_module(project: Path) -> None:
    (project / "__pycache__").mkdir()
    (project / "__pycache__" / "app.pyc").write_bytes(b"")


def write_a_log(project: Path) -> None:
    with (project / "app.log").open("a") as file:
        file.write("here")


def write_without_a_name(project: Path) -> None:
    (project / "tests").mkdir()
    with tempfile.TemporaryFile(dir=project / "tests") as file:
        file.write(b"a")


def remove_below_another_folder(project: Path) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.chdir(project)
        Path(folder, "uploads").mkdir()
        opened = os.open(folder, os.O_RDONLY)
        os.rmdir("uploads", dir_fd=opened)
        os.close(opened)


@pytest.mark.parametrize(
    ("act", "is_common"),
    [
        (rebuild_database, True),
        (remove_uploads, True),
        (write_temporarily, False),
        (compile_a_module, False),
        (write_a_log, False),
        (write_without_a_name, False),
        (remove_below_another_folder, False),
    ],
)
def test_fixtures_that_rebuild_files_of_the_project_are_noticed(
    project: Path, files: WrittenFiles, act: Callable[[Path], None], is_common: bool
) -> None:
    act(project)

    assert files.changes_common_files == is_common


def test_what_the_search_itself_writes_is_no_file_of_the_project(project: Path) -> None:
    (project / "report").mkdir()
    with WrittenFiles(project, own=project / "report").installed() as files:
        (project / "report" / "unfinished.call").write_bytes(b"GET /")
        assert not files.changes_common_files
        (project / "reports.txt").write_text("of the project")
        assert files.changes_common_files


def test_calls_that_change_files_of_the_project_are_noticed(
    project: Path, files: WrittenFiles
) -> None:
    files.begin()
    files.end()
    rebuild_database(project)  # by the run, between two calls
    assert not files.changes_common_files

    files.begin()
    rebuild_database(project)
    files.end()
    assert files.changes_common_files
