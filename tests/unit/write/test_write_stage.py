from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from pytest_evosearch.core.atomic import move
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.errors import StopAtOnce
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.stage import our_files
from pytest_evosearch.write.stage import place_of
from pytest_evosearch.write.stage import staged

MODULE = "test_evosearch_a.py"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "tests" / "evosearch"
    folder.mkdir(parents=True)
    (folder / MODULE).write_text("before")
    (folder / "test_evosearch_old.py").write_text("obsolete")
    (folder / "helper.py").write_text("theirs")
    return folder


def test_tests_are_written_beside_and_moved_in_the_end(tmp_path: Path, place: Path) -> None:
    with staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        assert stage.folder == place.with_name(".evosearch-unverified")
        assert place_of(stage.folder) == place
        assert (stage.folder / "helper.py").read_text() == "theirs"
        (stage.folder / MODULE).write_text("after")
        (stage.folder / "test_evosearch_old.py").unlink()
        (stage.folder / "conftest.py").write_text("fixtures")
        assert (place / MODULE).read_text() == "before"
        assert stage.settle() == []

    assert our_files(place) == {MODULE: b"after", "conftest.py": b"fixtures"}
    assert (place / "helper.py").exists()
    assert [one.name for one in place.parent.iterdir()] == ["evosearch"]


def test_whatever_interrupts_leaves_the_place_as_it_was(tmp_path: Path, place: Path) -> None:
    before = our_files(place)
    with suppress(KeyboardInterrupt), staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        (stage.folder / MODULE).write_text("after")
        raise KeyboardInterrupt
    assert our_files(place) == before
    assert [one.name for one in place.parent.iterdir()] == ["evosearch"]


def test_a_folder_that_was_not_there_is_not_made_for_nothing(tmp_path: Path) -> None:
    with staged(tmp_path / "tests" / "evosearch", tmp_path, Safekeeping(tmp_path)) as stage:
        assert stage.folder.is_dir()
        stage.settle()
    assert list(tmp_path.iterdir()) == []


def test_what_stands_where_the_stage_was_removed_is_not_moved(tmp_path: Path, place: Path) -> None:
    before = our_files(place)
    with staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        shutil.rmtree(stage.folder)
        stage.folder.mkdir()
        (stage.folder / MODULE).write_text("was never run")
        with pytest.raises(FileNotFoundError):
            stage.settle()
    assert our_files(place) == before


def test_in_a_package_the_folder_beside_can_be_imported(tmp_path: Path, place: Path) -> None:
    (place.parent / "__init__.py").write_text("")
    with staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        assert stage.folder.name == "evosearch_unverified"


def test_what_is_edited_meanwhile_stays(tmp_path: Path, place: Path) -> None:
    with staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        (stage.folder / MODULE).write_text("after")
        (place / MODULE).write_text("edited")
        assert stage.settle() == [MODULE]
    assert (place / MODULE).read_text() == "edited"


def test_in_the_project_itself_tests_are_written_in_place_and_undone(tmp_path: Path) -> None:
    (tmp_path / MODULE).write_text("before")
    with suppress(KeyboardInterrupt), staged(tmp_path, tmp_path, Safekeeping(tmp_path)) as one:
        assert one.folder == tmp_path
        (tmp_path / MODULE).write_text("after")
        (tmp_path / "conftest.py").write_text("new")
        raise KeyboardInterrupt
    assert our_files(tmp_path) == {MODULE: b"before"}


def test_fixtures_are_in_place_before_the_tests_that_need_them(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[str] = []
    monkeypatch.setattr("pytest_evosearch.write.stage.move", lambda _, to: moved.append(to.name))
    with staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        for name in (MODULE, "test_evosearch_b.py", "conftest.py", "__init__.py", LEDGER):
            (stage.folder / name).write_text("after")
        stage.settle()
    assert moved == ["__init__.py", "conftest.py", MODULE, "test_evosearch_b.py", LEDGER]


def test_moves_that_have_begun_are_completed(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(source: Path, target: Path) -> None:
        move(source, target)
        if target.name == "conftest.py":
            raise StopAtOnce

    monkeypatch.setattr("pytest_evosearch.write.stage.move", interrupted)
    with suppress(StopAtOnce), staged(place, tmp_path, Safekeeping(tmp_path)) as stage:
        (stage.folder / MODULE).write_text("after")
        (stage.folder / "conftest.py").write_text("fixtures")
        (stage.folder / "test_evosearch_old.py").unlink()
        stage.settle()
        pytest.fail("the interruption was lost")

    assert our_files(place) == {MODULE: b"after", "conftest.py": b"fixtures"}
