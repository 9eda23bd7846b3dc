"""Whether a project starts by itself: what is started, with what, and what is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import field_requirements
from benchmarks import field_starts
from benchmarks.field_starts import INCOMPLETE
from benchmarks.field_starts import Entry

SERVED = """import os
from flask import Flask

app = Flask(__name__)
app.config["WIDTH"] = int(os.environ["WIDTH"])

@app.get("/")
def index():
    return ""
"""
FACTORY = "from flask import Flask\ndef create_app():\n    app = Flask(__name__)\n    return app\n"
PROGRAM = "from shop import create_app\nif __name__ == '__main__':\n    create_app().run(port=1)\n"


def contained(command, folder, home, limit, variables):
    """Run a command as it is."""
    environment = {**os.environ, **variables}
    found = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=limit
    )
    return found, 0.0


def trouble(folder: Path, **files: str) -> str:
    """Return why a project of these files does not start."""
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return field_starts.trouble(folder, folder, Path(sys.executable), contained, 20)


def test_what_the_texts_name_comes_first_then_what_flask_finds_then_programs(tmp_path):
    """A program is started in its own folder, then in that of the project."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text(FACTORY)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "serve.py").write_text(PROGRAM)
    (tmp_path / "app.py").write_text(SERVED)
    (tmp_path / "README.md").write_text("export FLASK_APP=video.py\nflask run\n")
    (tmp_path / "Procfile").write_text("web: gunicorn -w 4 wsgi:app\n")
    assert field_starts.entries(tmp_path) == [
        Entry("flask", "video.py", tmp_path, is_named=True),
        Entry("flask", "wsgi:app", tmp_path, is_named=True),
        Entry("flask", "", tmp_path),
        Entry("python", "serve.py", tmp_path / "tools"),
        Entry("python", "tools/serve.py", tmp_path),
        Entry("flask", "shop", tmp_path),
    ]


def test_what_a_readme_exports_is_set_for_the_start(tmp_path):
    """Without it the project is not configured, which is no matter of packages."""
    assert trouble(tmp_path, app__py=SERVED) == "KeyError: 'WIDTH'"
    assert not trouble(tmp_path, README__md="    export WIDTH='1280'\n")


def test_a_program_is_started_up_to_its_server(tmp_path):
    """The server itself is not started."""
    assert not trouble(tmp_path, shop__py=FACTORY, run__py=PROGRAM)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import not_installed\n", "ModuleNotFoundError: No module named 'not_installed'"),
        ("app = = 1\n", "SyntaxError: "),
        ("import pytest\npytest.was_removed()\n", "AttributeError: "),
    ],
)
def test_packages_and_files_that_are_missing_are_told_from_configuration(tmp_path, text, reason):
    """What an installed package lacks, another version has."""
    found = trouble(tmp_path, app__py=f"from flask import Flask\n{text}")
    assert found.startswith(f"{INCOMPLETE}{reason}")


def test_how_fails_what_a_text_names_is_the_reason(tmp_path):
    """Another program may fail for want of arguments."""
    files = {"app__py": "import not_installed\n", "tool__py": PROGRAM.replace("port=1", "[][1]")}
    found = trouble(tmp_path, shop__py=FACTORY, Procfile="web: gunicorn app:app\n", **files)
    assert found.startswith(f"{INCOMPLETE}ModuleNotFoundError")


def test_what_waits_is_told(tmp_path):
    """It needs a service."""
    slow = "import time\nfrom flask import Flask\ntime.sleep(60)\n"
    (tmp_path / "app.py").write_text(slow)
    found = field_starts.trouble(tmp_path, tmp_path, Path(sys.executable), contained, 1)
    assert found == f"{field_starts.SLOW} after 1 s"


@pytest.mark.parametrize(
    ("message", "packages"),
    [
        ("ModuleNotFoundError: No module named 'MySQLdb'", ["mysqlclient"]),
        ("ImportError: email-validator is not installed, run `pip install`", ["email-validator"]),
        ("Exception: Install 'email_validator' for email validation", ["email-validator"]),
        ("ModuleNotFoundError: No module named 'their_own'", []),
    ],
)
def test_what_a_start_says_is_missing_is_added_where_it_is_known(message, packages):
    """So does a user who reads it."""
    found = field_requirements.said_to_be_missing(message)
    assert [field_requirements.normalized(one) for one in found] == packages


def test_module_of_the_project_in_another_folder_is_nothing_that_is_missing(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "run.py").write_text(
        "from flask import Flask\n"
        "from shop.models import Item\n"
        "app = Flask(__name__)\n"
        "if __name__ == '__main__':\n"
        "    app.run()\n"
    )

    assert trouble(tmp_path) == "ModuleNotFoundError: No module named 'shop'"
