"""Real projects are exported from their commit, measured, and judged by what was measured."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from contextlib import closing
from typing import Any

import pytest

from benchmarks import compatibility
from benchmarks import compatibility_rows as rows
from benchmarks.real_projects import ALL
from benchmarks.real_projects import Project

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def checkouts(tmp_path):
    """A folder with one clone of a repository with two commits."""
    folder = tmp_path / "checkouts" / "owner+shop"
    (folder / "examples").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for number in ("1", "2"):
        (folder / "examples" / "app.py").write_text(f"number = {number}\n")
        (folder / "wanted.txt").write_text("flask==3.1.3  # pinned\npsycopg2==2.9\n\n")
        subprocess.run([*GIT, "add", "."], cwd=folder, check=True)
        subprocess.run([*GIT, "commit", "-q", "-m", number], cwd=folder, check=True)
        subprocess.run([*GIT, "tag", f"v{number}"], cwd=folder, check=True)
    return tmp_path / "checkouts"


def shop(**fields: Any) -> Project:
    """Return a project of that repository."""
    return Project("shop", "sold", (), "owner/shop", "v1", **fields)


def result(**changes: Any) -> dict[str, Any]:
    """Return what `measure` returns of a project where everything is fine."""
    passed = {"exit_code": 0, "summary": "2 passed in 0.1s", "trouble": ()}
    report = {
        "endpoints": [
            {"endpoint": "GET /", "statuses": [200]},
            {"endpoint": "GET /{id}", "statuses": [404]},
        ],
        "notices": [],
        "run": {"findings": {"app": "shop:app", "client": "app.test_client()"}},
        "coverage": {
            "covered_lines": 9,
            "total_lines": 10,
            "covered_branches": 0,
            "total_branches": 0,
        },
        "tests": [1, 2],
        "faults": [],
    }
    ways = ("alone", "random", "test_evosearch_a.py", "together")
    return {
        "report": report,
        "own": passed,
        "reruns": dict.fromkeys(ways, passed),
        "databases": {"before": 1, "changed": []},
        "versions": {"flask": "3.1.3"},
        "terminal": "",
        "budget": "60s",
        "revision": "abc1234",
        "load": 0.5,
        **changes,
    }


def test_the_named_commit_is_exported(checkouts, tmp_path):
    """The newest files of the clone are another matter."""
    project = shop(folder="examples")

    folder = compatibility.export(
        project, compatibility.find_checkout(project, checkouts), tmp_path / "copy"
    )

    assert (folder / "app.py").read_text() == "number = 1\n"


def test_a_single_module_gets_a_folder_of_its_own(checkouts, tmp_path):
    """Its neighbours belong to other examples."""
    project = shop(folder="examples/app.py")

    folder = compatibility.export(
        project, compatibility.find_checkout(project, checkouts), tmp_path / "copy"
    )

    assert [path.name for path in folder.iterdir()] == ["app.py"]


def test_stated_requirements_without_what_cannot_be_had(checkouts):
    """Comments and empty lines are no requirements either."""
    project = shop(stated="wanted.txt", without=("psycopg2",))

    checkout = compatibility.find_checkout(project, checkouts)

    assert compatibility.stated_requirements(project, checkout) == ["flask==3.1.3"]


def test_a_missing_checkout_is_named(tmp_path):
    """Fetching it is the user's part."""
    with pytest.raises(FileNotFoundError, match="owner/shop"):
        compatibility.find_checkout(shop(), tmp_path)


def test_databases_are_known_by_their_content(tmp_path):
    """Names of database files are anybody's guess."""
    with closing(sqlite3.connect(tmp_path / "state.bin")) as connection:
        connection.execute("create table a (b)")
    (tmp_path / "other.db").write_text("text")

    before = compatibility.database_digests(tmp_path)
    with closing(sqlite3.connect(tmp_path / "state.bin")) as connection:
        connection.execute("create table c (d)")

    assert list(before) == ["state.bin"]
    assert compatibility.database_digests(tmp_path) != before


def test_all_is_fine():
    """The row says so in figures."""
    assert rows.describe_verdict(result()) == "fine"
    row = rows.markdown_row(shop(folder="examples"), result())
    assert "2 of 2, 1 with success" in row
    assert "90 %, -" in row
    assert "1 of 1 modules" in row
    assert row.endswith("| 60s, abc1234, 0.5 | fine |")
    assert row.count(" | ") == rows.markdown_head().partition("\n")[0].count(" | ")


def test_a_test_that_fails_in_one_way_counts():
    """All ways of running have to pass."""
    failed = {"exit_code": 1, "summary": "1 failed", "trouble": ("evosearch/test_evosearch_a.py",)}
    measured = result()
    measured["reruns"] = {**measured["reruns"], "random": failed}

    assert rows.describe_verdict(measured) == "not passing (random)"


def test_what_fails_in_the_own_suite_alone_may_fail_again():
    """A written test that fails beside it may not."""
    own = {"exit_code": 1, "summary": "1 failed", "trouble": ("tests/test_own.py",)}
    both = {**own, "trouble": ("tests/test_own.py", "tests/evosearch/test_evosearch_a.py")}
    measured = result(own=own)

    measured["reruns"] = {**measured["reruns"], "together": own}
    assert rows.describe_verdict(measured) == "fine"
    measured["reruns"] = {**measured["reruns"], "together": both}
    assert rows.describe_verdict(measured) == "not passing (together)"


def test_a_state_that_did_not_come_back_counts():
    """The notice of the search is what tells."""
    measured = result()
    measured["report"]["notices"] = ["the application's state did not come back (GET /): cure"]

    assert rows.describe_verdict(measured) == "not restored"


def test_a_project_that_is_not_found_gets_the_reason():
    """Every other column stays empty."""
    measured = result(report=None, reruns={}, terminal="x\nERROR: no application\n")

    assert rows.describe_verdict(measured).startswith("not found")
    row = rows.markdown_row(shop(), measured)
    assert "none: ERROR: no application" in row
    assert row.count("|") == rows.markdown_head().partition("\n")[0].count("|")


def test_rows_are_printed_again_without_running(tmp_path, capsys):
    """From the JSON files of earlier runs."""
    (tmp_path / "todo-9s.json").write_text(json.dumps(result()))

    compatibility.main(["--summary-only", "--budget=9s", f"--results={tmp_path}"])

    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3
    assert "examples/todo" in printed[-1]


def test_the_table_has_every_shape_once_under_its_name():
    """Results are kept by name."""
    assert len({project.name for project in ALL}) == len(ALL) >= 18
    assert all(project.commit for project in ALL if project.repository)
