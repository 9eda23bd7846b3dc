"""A search leaves the files of a project as they were, also where it runs with its own fixtures."""

from __future__ import annotations

from pathlib import Path

import pytest

SHELF = """
from pathlib import Path

from flask import Flask, abort, request

NOTES = Path(__file__).with_name("notes")


def create_app():
    app = Flask(__name__)

    @app.get("/notes/<path:name>")
    def read(name):
        note = NOTES / name
        return note.read_text() if note.is_file() else abort(404)

    @app.put("/notes/<path:name>")
    def write(name):
        note = NOTES / name
        known = note.exists()
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(request.get_data(as_text=True))
        return {"known": known}, 200 if known else 201

    @app.delete("/notes/<path:name>")
    def delete(name):
        note = NOTES / name
        if not note.is_file():
            abort(404)
        note.unlink()
        return "", 204

    return app
"""

CONFTEST = """
import pytest

from shelf import create_app


@pytest.fixture
def client():
    return create_app().test_client()
"""

OWN_TEST = """
def test_read(client):
    assert client.get("/notes/today.md").text == "precious"
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_notes_of_the_user_stay(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(shelf=SHELF, conftest=CONFTEST, test_shelf=OWN_TEST)
    notes = Path(project.path, "notes")
    notes.mkdir()
    today = notes / "today.md"
    today.write_text("precious")
    before = today.stat().st_mtime_ns

    result = project.run("--evosearch=250x", "--evosearch-seed=1", subprocess=True)

    assert result.ret == 0
    written = "\n".join(path.read_text() for path in Path(project.path, "evosearch").glob("*.py"))
    assert "client.delete(" in written
    assert "restored_files" in written
    result.stdout.no_fnmatch_line("*fails in a fresh interpreter*")
    assert [path.name for path in notes.iterdir()] == ["today.md"]
    assert (today.read_text(), today.stat().st_mtime_ns) == ("precious", before)


@pytest.mark.slow("whole commands run")
def test_application_in_the_sandbox_leaves_nothing_behind_either(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(app=f"{SHELF}\n\napp = create_app()\n")
    notes = Path(project.path, "notes")
    notes.mkdir()
    (notes / "today.md").write_text("precious")

    result = project.run("--evosearch=250x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    folder = next(project.path.rglob("test_evosearch_notes.py")).parent
    assert "restored_files" in (folder / "conftest.py").read_text()
    result.stdout.no_fnmatch_line("*fails in a fresh interpreter*")
    assert [path.name for path in notes.iterdir()] == ["today.md"]
