"""Two applications in one project, each with written tests, and one run of pytest for all."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
from flask import Flask

app = Flask(__name__)


@app.get("/users/<int:number>")
def user(number):
    return {"name": "NAME"} if number else ("", 404)
"""

TESTS = """
import pytest
from NAME import app


@pytest.fixture
def client():
    return app.test_client()
"""


def test_modules_of_two_folders_run_together(project):
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.pytester.syspathinsert()
    for name in ("shop", "blog"):
        project.write(**{name: APPLICATION.replace("NAME", name)})
        folder = project.pytester.path / f"{name}_tests"
        folder.mkdir()
        (folder / "conftest.py").write_text(TESTS.replace("NAME", name))
        found = project.run("--evosearch=40x", "--evosearch-seed=1", folder.name)
        assert found.ret == pytest.ExitCode.OK

    written = sorted(path.name for path in project.pytester.path.rglob("test_evosearch_*.py"))
    assert len(written) == len(set(written)) > 1
    together = project.pytester.runpytest_subprocess("-p", "no:evosearch", "-q")
    assert together.ret == pytest.ExitCode.OK
