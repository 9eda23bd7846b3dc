from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.tidying import tidied

REFUSED = {"failed"}


def outcomes(project: Path, test: str, runs: int = 1) -> set[object]:
    """Return how the test called `test_it` ended, after what the plugins say of it."""
    (project / "test_it.py").write_text(f"import os\nfrom pathlib import Path\n{test}")
    entries = []
    with tidied(PytestProcess(project)) as process:
        for _ in range(runs):
            entries, code, output = run_with_plugins(process, [project], 30, environment={})
            assert code == 0, output
    blamed = [one for one in entries if "run for real it changes" in str(one.get("reason"))]
    return {one["outcome"] for one in blamed}


@pytest.mark.parametrize(
    "change",
    [
        'Path("books.txt").write_text("changed")',
        'Path("books.txt").open("a").write("more")',
        'os.remove("books.txt")',
        'os.rename("books.txt", "novels.txt")',
        'Path("new.txt").write_text("new"); os.replace("new.txt", "books.txt")',
    ],
)
def test_a_file_that_a_test_changes_is_put_back(tmp_path: Path, change: str) -> None:
    books = tmp_path / "books.txt"
    books.write_text("as it was")
    books.chmod(0o640)
    os.utime(books, ns=(10**18, 10**18))

    assert outcomes(tmp_path, f"def test_it():\n    {change}\n", runs=2) == REFUSED

    assert books.read_text() == "as it was"
    assert books.stat().st_mode & 0o777 == 0o640
    assert books.stat().st_mtime_ns == 10**18
    assert not (tmp_path / "novels.txt").exists()


@pytest.mark.parametrize(
    "change",
    [
        'Path("books.txt").read_text()',
        'Path("books.txt").write_text("as it was")',
        'Path("upload.txt").write_text(str(os.getpid()))',
        'Path("instance/sessions/a.txt").write_text("changed")',
    ],
)
def test_what_is_no_change_of_the_project_is_left_alone(tmp_path: Path, change: str) -> None:
    (tmp_path / "books.txt").write_text("as it was")
    (tmp_path / "instance" / "sessions").mkdir(parents=True)
    (tmp_path / "instance" / "sessions" / "a.txt").write_text("as it was")

    assert outcomes(tmp_path, f"def test_it():\n    {change}\n", runs=2) == set()


def test_what_fixtures_change_is_theirs(tmp_path: Path) -> None:
    (tmp_path / "books.txt").write_text("as it was")
    fixture = """
import pytest

@pytest.fixture
def books():
    Path("books.txt").write_text("changed")
    yield
    Path("books.txt").write_text("changed again")

def test_it(books):
    assert Path("books.txt").read_text() == "changed"
"""
    assert outcomes(tmp_path, fixture) == set()
    assert (tmp_path / "books.txt").read_text() == "changed again"
