"""Every folder of conftest_examples works without the plugin and can be searched with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "conftest_examples"
UNMEASURED = REPOSITORY / "tests" / "plugin" / "unmeasured"
TOPICS = sorted(folder.name for folder in EXAMPLES.iterdir() if (folder / "pytest.ini").exists())

NEEDED = {
    "factory_flask_sqlalchemy": "flask_sqlalchemy",
    "session_app_with_rollback": "flask_sqlalchemy",
}
TIME_LIMIT = 120  # seconds; a search of 150 evaluations takes a few


@pytest.fixture(params=TOPICS)
def project(request, tmp_path):
    """A copy of an example, so that nothing is written into the repository."""
    if request.param in NEEDED:
        pytest.importorskip(NEEDED[request.param])
    copy = tmp_path / request.param
    shutil.copytree(
        EXAMPLES / request.param,
        copy,
        ignore=shutil.ignore_patterns("__pycache__", ".*", "evosearch", "instance"),
    )
    return copy


def run_pytest(project, *arguments):
    """Run pytest in a project, with no plugin but those named in the arguments."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV_"))
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (UNMEASURED, REPOSITORY)))
    command = [sys.executable, "-m", "pytest", "-W", "error", *arguments]
    return subprocess.run(
        command,
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def written_modules(project):
    return sorted(project.rglob("evosearch/test_*.py"))


def test_there_are_examples_for_the_topics_of_the_index():
    index = (EXAMPLES / "README.md").read_text(encoding="utf-8")

    assert len(TOPICS) >= 5
    assert [topic for topic in TOPICS if f"]({topic})" not in index] == []


@pytest.mark.slow("a whole command for each example")
def test_own_tests_pass_without_the_plugin(project):
    finished = run_pytest(project, "-q")

    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.slow("a whole command for each example")
def test_search_writes_a_suite_that_passes_without_the_plugin(project):
    search = ["--evosearch=150x", "--evosearch-seed=1"]
    once = ["--evosearch-set", "plan.circumstances=first"]  # they are run once more below
    searched = run_pytest(project, "-p", "pytest_evosearch.plugin", *search, *once)
    assert searched.returncode == 0, searched.stdout + searched.stderr

    modules = written_modules(project)
    assert modules, searched.stdout
    finished = run_pytest(project, "-q", *map(str, modules))

    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "passed" in finished.stdout
