from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import run_with_plugins
from pytest_evosearch.write.verification.tidying import tidied

CHANGING = (
    'books.write_text("changed")',
    'books.open("a").write("more")',
    "os.remove(books)",
    'os.rename(books, HERE / "novels.txt")',
    '(HERE / "new.txt").write_text("new"); os.replace(HERE / "new.txt", books)',
)
HARMLESS = (
    "books.read_text()",
    'books.write_text("as it was")',
    '(HERE / "upload.txt").write_text(str(os.getpid()))',
    '(HERE / "instance/sessions/a.txt").write_text("changed")',
)
TEST = """
import os
from pathlib import Path

HERE = Path(__file__).parent

def test_it():
    books = HERE / "books.txt"
    {}
"""


def blamed(project: Path, runs: int = 1) -> dict[str, object]:
    """Run the tests of a project; return which change something, by module, and how they end."""
    entries = []
    with tidied(PytestProcess(project)) as process:
        for _ in range(runs):
            entries, code, output = run_with_plugins(process, [project], 60, environment={})
            assert code == 0, output
    told = [one for one in entries if "in a real run it changes" in str(one.get("reason"))]
    return {str(one["report"]).partition("::")[0]: one["outcome"] for one in told}


def place_of(statement: str) -> str:
    """Return the folder in which a statement is tried."""
    return f"case{(*CHANGING, *HARMLESS).index(statement)}"


def module_of(statement: str) -> str:
    place = place_of(statement)
    return f"{place}/test_{place}.py"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a test for each statement, beside files of its own."""
    project = tmp_path_factory.mktemp("project")
    for statement in (*CHANGING, *HARMLESS):
        folder = project / place_of(statement)
        (folder / "instance" / "sessions").mkdir(parents=True)
        (folder / "instance" / "sessions" / "a.txt").write_text("as it was")
        books = folder / "books.txt"
        books.write_text("as it was")
        books.chmod(0o640)
        os.utime(books, ns=(10**18, 10**18))
        (project / module_of(statement)).write_text(TEST.format(statement))
    return project


@pytest.fixture(scope="module")
def told(project: Path) -> dict[str, object]:
    """Run all of them twice: what the first run leaves is there in the second."""
    return blamed(project, runs=2)


@pytest.mark.parametrize("change", CHANGING)
def test_a_file_that_a_test_changes_is_put_back(project: Path, told, change: str) -> None:
    assert told[module_of(change)] == "failed"

    books = project / place_of(change) / "books.txt"
    assert books.read_text() == "as it was"
    assert books.stat().st_mode & 0o777 == 0o640
    assert books.stat().st_mtime_ns == 10**18
    assert not books.with_name("novels.txt").exists()


@pytest.mark.parametrize("harmless", HARMLESS)
def test_what_is_no_change_of_the_project_is_left_alone(told, harmless: str) -> None:
    assert module_of(harmless) not in told


def test_what_fixtures_change_is_theirs(tmp_path: Path) -> None:
    (tmp_path / "books.txt").write_text("as it was")
    fixture = """
from pathlib import Path

import pytest

@pytest.fixture
def books():
    Path("books.txt").write_text("changed")
    yield
    Path("books.txt").write_text("changed again")

def test_it(books):
    assert Path("books.txt").read_text() == "changed"
"""
    (tmp_path / "test_it.py").write_text(fixture)
    assert blamed(tmp_path) == {}
    assert (tmp_path / "books.txt").read_text() == "changed again"
