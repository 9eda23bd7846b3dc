"""What handlers do to files is undone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.sut import written_files
from pytest_evosearch.sut.written_files import WrittenFiles


@pytest.fixture
def files() -> Iterator[WrittenFiles]:
    with WrittenFiles().installed() as installed:
        yield installed
        installed.end()


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
    files.close()

    assert (project / "generated.py").read_text() == "ours"


def test_caches_of_tools_stay(project: Path, files: WrittenFiles) -> None:
    files.begin()
    (project / ".pytest_cache").mkdir()
    (project / ".pytest_cache" / "code").write_text("compiled")
    files.end()
    files.restore()

    assert (project / ".pytest_cache" / "code").read_text() == "compiled"


def test_what_is_too_large_to_be_put_back_is_not_changed(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(written_files, "LARGEST_FILE", 2)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path / "elsewhere"))
    before = inventory(project)

    files.begin()
    with pytest.raises(PermissionError, match="could not put back"):
        shutil.rmtree(project)
    with pytest.raises(PermissionError, match="could not put back"):
        (project / "app.py").write_text("")
    files.end()

    assert inventory(project) == before


def test_large_files_in_the_temporary_folder_are_nobodys(
    project: Path, files: WrittenFiles, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(written_files, "LARGEST_FILE", 2)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))

    files.begin()
    (project / "app.py").write_text("other")
    files.end()
    files.restore()

    assert (project / "app.py").read_text() == "other"


def test_a_block_that_is_over_hears_nothing(project: Path) -> None:
    with WrittenFiles().installed() as files:
        files.begin()
    (project / "app.py").unlink()
    files.restore()

    assert not (project / "app.py").exists()
