from __future__ import annotations

import json
from pathlib import Path

from benchmarks.mutation import application_files
from benchmarks.mutation import keep
from benchmarks.mutation import row
from benchmarks.mutation import status_only
from benchmarks.mutation import without_bodies
from benchmarks.mutation import written_lines

WRITTEN = """
def test_get_note_returns_it(client):
    created = client.post("/notes", json={"text": "a"})
    assert created.status_code == 201
    assert created.json == {"id": 1}

    found = client.get("/notes/1")
    assert found.status_code == 200
    assert "a" in found.text


def test_only_a_body(client):
    with client:
        assert client.get("/").text == "hello"
"""


def test_status_only_keeps_every_call_and_every_status():
    kept = status_only(WRITTEN)

    assert kept.count("assert ") == 2
    assert "assert created.status_code == 201" in kept
    assert "assert found.status_code == 200" in kept
    assert 'client.post("/notes"'.replace('"', "'") in kept
    compile(kept, "kept", "exec")


def test_fault_that_its_status_does_not_show_is_left_out():
    mark = "@pytest.mark.xfail(raises=AssertionError, strict=True)\n"
    escaped = f"{mark}def test_escapes(client):\n    assert '<b>' not in client.get('/').text\n"
    crashed = f"{mark}def test_crash(client):\n    assert client.get('/').status_code < 500\n"

    kept = status_only(escaped + crashed)

    assert "test_escapes" not in kept
    assert "test_crash" in kept


def test_status_only_copy_stands_beside_the_written_suite(tmp_path: Path):
    written = tmp_path / "tests" / "evosearch"
    written.mkdir(parents=True)
    (written / "conftest.py").write_text("x = 1\n")
    (written / "test_evosearch_notes.py").write_text(WRITTEN)

    without_bodies(tmp_path)

    copy = tmp_path / "tests" / "evosearch_status"
    assert (copy / "conftest.py").read_text() == "x = 1\n"
    assert "found.text" not in (copy / "test_evosearch_notes.py").read_text()
    assert (written / "test_evosearch_notes.py").read_text() == WRITTEN


def test_tests_and_set_up_are_no_application(tmp_path: Path):
    for name in ("notes/views.py", "tests/test_notes.py", "setup.py", "wsgi.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")

    names = [path.relative_to(tmp_path).as_posix() for path in application_files(tmp_path)]

    assert names == ["notes/views.py", "wsgi.py"]


def test_a_row_says_what_could_not_be_measured():
    result = {
        "application": "notes",
        "mutants": 40,
        "population": 300,
        "written": {"killed": 30},
        "status": {"killed": 13},
        "own": "the tests fail without any change",
    }

    assert row(result) == "| notes | 40 of 300 | 30 (75 %) | 13 (32 %) | - |"


def test_each_sample_has_a_file_of_its_own(tmp_path: Path):
    for seed in (1, 2):
        keep({"application": "notes", "sample": seed}, tmp_path / "results")

    names = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert names == ["notes-1.json", "notes-2.json"]
    assert json.loads((tmp_path / "results" / names[1]).read_text())["sample"] == 2


def test_only_lines_of_test_modules_are_counted(tmp_path: Path):
    written = tmp_path / "tests" / "evosearch"
    written.mkdir(parents=True)
    (written / "conftest.py").write_text("x = 1\n")
    (written / "test_evosearch_notes.py").write_text("a = 1\nb = 2\n")

    assert written_lines(tmp_path) == 2
