from __future__ import annotations

from pathlib import Path

from pytest_evosearch.write.verification.additions import Additions

WARNING = "RuntimeWarning: coroutine 'reset' was never awaited"


def test_garbage_is_collected_once_and_then_told(tmp_path: Path) -> None:
    conftest = tmp_path / "conftest.py"
    additions = Additions(conftest)
    assert additions.notice("") == ""
    assert additions.collect(WARNING)
    assert "def collected_garbage" in conftest.read_text()
    assert not additions.collect(WARNING)
    assert additions.notice("") == f"calls leave objects whose warnings become errors: {WARNING}"
    assert additions.notice(WARNING).startswith("every test passes, but pytest ends with an error")


def test_a_lock_that_does_not_help_is_taken_out_again(tmp_path: Path) -> None:
    conftest = tmp_path / "conftest.py"
    additions = Additions(conftest)
    assert additions.lock()
    assert "fcntl" in conftest.read_text()
    assert additions.lock()
    assert not conftest.exists()
    assert not additions.lock()


def test_a_lock_stays_where_another_fixture_came_later(tmp_path: Path) -> None:
    additions = Additions(tmp_path / "conftest.py")
    assert additions.lock()
    assert additions.collect(WARNING)
    assert not additions.lock()
    assert "fcntl" in (tmp_path / "conftest.py").read_text()


def test_nothing_is_added_to_what_a_person_wrote() -> None:
    additions = Additions(None)
    assert not additions.lock()
    assert not additions.collect(WARNING)
