"""Lots of the field: drawn by seed, set up by rule, read out of reports, and compared."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from benchmarks import clones
from benchmarks import field
from benchmarks import field_outcomes
from benchmarks import field_projects
from benchmarks import field_requirements as requirements
from benchmarks import field_runs
from benchmarks.compatibility_rows import Run
from benchmarks.field_projects import FieldProject

GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")

APP = """from flask import Flask
app = Flask(__name__)

@app.route("/")
def index(): return ""

@app.post("/items")
def add(): return ""
"""


LINES = """-r more.txt
--index-url https://example.org
Flask==3.0.0  # pinned
git+https://example.org/a/b.git#egg=flask-thing
six @ file:///build/six
pywin32==300
psycopg2==2.9.9
./local
"""


def projects(count: int) -> list[FieldProject]:
    """Return some rows."""
    return [
        FieldProject(f"owner/p{number}", "c", ".", "3.11", "imports", 2) for number in range(count)
    ]


@pytest.fixture
def repository(tmp_path):
    """Return a function that commits files and returns the clone."""

    def commit(files: dict[str, str]) -> clones.Clone:
        folder = tmp_path / "clones" / "owner+shop"
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        subprocess.run([*GIT, "add", "."], cwd=folder, check=True)
        subprocess.run([*GIT, "commit", "-q", "-m", "a"], cwd=folder, check=True)
        found = clones.find_git_directory("owner/shop", tmp_path / "clones")
        return clones.Clone.newest(found)

    return commit


def record(**changes: Any) -> dict[str, Any]:
    """Return the outcome of a run where everything is fine."""
    fine = {
        "project": "owner/shop",
        "project_commit": "0123456789",
        "commit": "new",
        "budget": "30s",
        "set_up": "as stated",
        "started": True,
        "exit": 0,
        "seconds": 35.0,
        "late": False,
        "internal": "",
        "endpoints": [4, 4],
        "lines": [90, 100],
        "branches": [20, 40],
        "targets": 120,
        "kept": 8,
        "dropped": 0,
        "faults": 1,
        "minor_faults": 0,
        "users": {"log_in": True, "known": "", "let_in": 1, "shut_out": False},
        "reruns": {"alone": "8 passed"},
        "passing": True,
        "empty": False,
    }
    return {**fine, **changes}


def test_a_lot_has_new_projects_and_three_that_ran():
    """The same seed draws the same lot, and three of it ran before."""
    table = projects(30)
    ran = [project.name for project in table[:10]]
    lot = field_projects.draw(table, ran, 7, 12)
    assert lot == field_projects.draw(table, ran, 7, 12)
    assert lot != field_projects.draw(table, ran, 8, 12)
    assert sum(project.name in ran for project in lot) == 3
    assert len({project.name for project in lot}) == 12


def test_where_too_few_are_new_others_stand_in():
    """A lot has as many projects as were asked for while there are any."""
    table = projects(10)
    assert len(field_projects.draw(table, [one.name for one in table], 1, 6)) == 6
    assert len(field_projects.draw(table, [], 1, 6)) == 6
    assert len(field_projects.draw(table, [], 1, 60)) == 10


def test_the_table_comes_back_as_it_was_written(tmp_path):
    """Rows are sorted by name and read as they were."""
    path = tmp_path / "field.tsv"
    field_projects.write_table(reversed(projects(4)), path)
    assert field_projects.read_table(path) == projects(4)


def test_the_committed_table_has_two_hundred_projects_and_names_no_host():
    """What is in git are names, commits and how to set up."""
    rows = field_projects.read_table()
    assert len(rows) >= 200
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.name.count("/") == 1 and row.routes >= 2 for row in rows)
    assert "://" not in field_projects.TABLE.read_text(encoding="utf-8")


def test_a_project_is_examined_by_what_it_holds(repository):
    """Its routes are counted, and where and how it is set up is read from its files."""
    clone = repository({"api/app.py": APP, "api/requirements.txt": "Flask==3.0.0\n"})
    row = field_projects.examine("owner/shop", clone, "")
    assert row == FieldProject("owner/shop", clone.commit, "api", "3.11", "api/requirements.txt", 2)


@pytest.mark.parametrize(
    ("files", "named", "reason"),
    [
        ({"app.py": APP}, "see owner/shop, too", "is named"),
        ({"app.py": "import django"}, "", "does not import Flask"),
        ({"app.py": APP.replace("@app.post", "# ")}, "", "fewer than two routes"),
        ({"flask_shop/app.py": APP, "setup.py": ""}, "", "is an extension"),
    ],
)
def test_a_rule_leaves_a_project_out(repository, files, named, reason):
    """Each rule says why."""
    found = field_projects.examine("owner/shop", repository(files), named)
    assert isinstance(found, str)
    assert reason in found


def test_a_clone_without_a_large_file_is_written_without_it(repository, tmp_path):
    """A stored copy lacks large files, which must not stop a run."""
    clone = repository({"app.py": APP, "large.bin": "much"})
    lost = next(entry for entry in clone.entries() if entry.path == "large.bin")
    name = lost.object_name
    (clone.git_directory / "objects" / name[:2] / name[2:]).unlink()
    assert clone.export(tmp_path / "work") == ["large.bin"]
    assert (tmp_path / "work" / "app.py").read_text() == APP


def test_a_missing_clone_is_told(tmp_path):
    """The name stands in the message."""
    with pytest.raises(FileNotFoundError, match="owner/shop"):
        clones.find_git_directory("owner/shop", tmp_path)


def test_lines_of_requirements_lead_to_the_index_only():
    """Addresses, options and local files are reduced to names, or left out."""
    texts = {
        "requirements.txt": LINES,
        "more.txt": "requests>=2",
    }
    found = requirements.stated(["requirements.txt"], lambda path: texts.get(path, ""), {})
    assert found == ["requests>=2", "Flask==3.0.0", "flask-thing", "six", "psycopg2-binary==2.9.9"]


def test_the_dependencies_of_a_pyproject_and_a_pipfile_are_read():
    """Poetry's caret becomes bounds, and groups for tests are taken."""
    pytest.importorskip("tomllib")
    pyproject = (
        '[project]\ndependencies = ["flask>=3"]\n[project.optional-dependencies]\n'
        'dev = ["pytest"]\ndocs = ["sphinx"]\n[tool.poetry.dependencies]\n'
        'python = "^3.11"\nredis = "^5.0"\n'
    )
    pipfile = '[packages]\nflask = "*"\nredis = "==5.0"\n'
    assert requirements.of_pyproject(pyproject) == ["flask>=3", "pytest", "redis>=5.0,<6"]
    assert requirements.stated(["Pipfile"], lambda _path: pipfile, {}) == ["flask", "redis==5.0"]


def test_imports_that_are_known_stand_for_missing_requirements():
    """Nothing is guessed: an unknown module is not looked for."""
    modules = {"app.py": "from flask_login import x\nimport jwt\nimport unknown_thing\n"}
    assert requirements.stated(["imports"], str, modules) == ["flask", "flask-login", "pyjwt"]
    named = requirements.stated(["requirements.txt"], lambda _path: "PyJWT==2.9", modules)
    assert named == ["PyJWT==2.9", "flask", "flask-login"]


def test_a_project_starts_outside_of_its_package():
    """Without stated requirements the package's parent is the place to start."""
    paths = ["site/shop/__init__.py", "site/shop/views.py"]
    assert requirements.place({}, ["site/shop/views.py"], paths) == ("site", [])
    part = {"setup.py": "", "web/requirements-webapp.txt": "Flask\n"}
    assert requirements.place(part, [], paths) == ("web", ["web/requirements-webapp.txt"])


@pytest.mark.parametrize(
    ("lines", "old"),
    [
        (["Flask==1.1.2"], True),
        (["flask~=2.0"], True),
        (["Flask==2.2.5"], False),
        (["a", "pytest<4.0"], True),
        (["pytest<10"], False),
        (["pytest-flask==1.0"], False),
    ],
)
def test_what_is_too_old_is_known_by_its_pin(lines, old):
    """Such pins are not tried: no search runs there."""
    assert requirements.pins_too_old(lines) is old


def test_what_no_newest_version_can_do_gets_the_versions_of_its_day(tmp_path, monkeypatch):
    """The plugin's own needs stay the newest ones, and no Flask is too old for a search."""
    added = []

    def add(_place, lines, _limit, day=""):
        added.append((list(lines), day))
        return ""

    monkeypatch.setattr(field_runs, "_make_environment", lambda _project, _place: None)
    monkeypatch.setattr(field_runs, "_add", add)
    monkeypatch.setattr(field_runs.shutil, "which", lambda _name: "uv")
    monkeypatch.setattr(field_runs.Clone, "day", lambda _clone: "2021-05-06")
    clone = field_runs.Clone(tmp_path, "0123")
    place = field_runs.Place(tmp_path)
    wanted = ["flask-uploads", "pytest"]
    how = field_runs._install_of_its_time(projects(1)[0], clone, place, wanted, 1e12)
    day = field_runs.FIRST_DAY
    assert how == f"versions of {day}"
    assert added == [
        (["flask>=2.2", "flask-uploads"], day),
        ([*field_runs.TOOLS, "pytest>=7.4"], ""),
    ]


def test_what_must_be_importable_comes_from_elsewhere():
    """Own modules, the standard library and what starts commands do not count."""
    modules = {"a.py": "import flask\nimport os\nimport shop.b\nimport redis\n  import jwt\n"}
    assert requirements.needed(modules, ["a.py", "shop/b.py"]) == ["flask", "redis"]


def test_a_program_for_python_2_is_told_by_its_line():
    """Only modules with Flask count."""
    modules = {"tool.py": 'print "a"\n', "app.py": "import flask\nprint 'a'\n"}
    assert requirements.python_2(modules) == "app.py:2"
    assert requirements.python_2({"tool.py": 'print "a"\n'}) == ""


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("runtime.txt", "python-3.12.1", "3.12"),
        (".python-version", "3.6.8", "3.11"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.13"\n', "3.13"),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.8"\n', "3.11"),
    ],
)
def test_the_python_that_a_project_names_is_taken(name, text, version):
    """Where it cannot be had, the usual one stands in."""
    assert requirements.python_version(".", [name], lambda _path: text) == version


def test_an_outcome_is_read_from_a_report():
    """Counts, users and re-runs stand in it."""
    report = {
        "run": {"evaluations": 7, "findings": {"auth": "none"}},
        "endpoints": [
            {"endpoint": "POST /login", "statuses": [200]},
            {"endpoint": "GET /a", "statuses": []},
        ],
        "coverage": None,
        "targets": {"covered": 5},
        "tests": [{}],
        "dropped": [{"reason": "r"}, {"reason": "r"}],
        "unverified": [],
        "faults": [{"rank": "fault", "test": None, "user": "ann"}],
        "notices": ["a keeper failed"],
    }
    found = {"exit": 0, "seconds": 30.0, "terminal": "", "report": report}
    result = field_outcomes.outcome(found, {"alone": Run(0, "1 passed", ())}, "30s", 2)
    assert result["endpoints"] == [1, 2]
    assert result["dropped_because"] == {"r": 2}
    assert result["users"] == {"log_in": True, "known": "", "let_in": 1, "shut_out": False}
    assert (result["passing"], result["late"], result["empty"]) == (True, False, False)
    assert result["notices"] == ["a keeper failed"]


@pytest.mark.parametrize(
    ("seconds", "budget", "late"),
    [(99.0, "30s", True), (40.0, "30s", False), (99.0, "300x", False)],
)
def test_a_budget_of_evaluations_is_never_late(seconds, budget, late):
    """What a command may take is the rule of `benchmarks.timekeeping`."""
    assert field_outcomes.is_late(seconds, budget, 2) is late


def test_a_search_is_ended_well_beyond_its_budget():
    """One of evaluations has no time, so it gets more."""
    assert field_runs.limit_of("30s") == 30 + field_runs.BEYOND
    assert field_runs.limit_of("300x") == field_runs.WITHOUT_TIME


def test_the_committed_faults_have_a_commit_before_their_report():
    """Names and commits, and what the report says: no address."""
    text = field_projects.TABLE.with_name("field_faults.tsv").read_text(encoding="utf-8")
    head, *rows = [line.split("\t") for line in text.splitlines()]
    assert len(rows) >= 25
    assert all(len(row) == len(head) and len(row[4]) == 40 for row in rows)
    assert "://" not in text.replace("next=https://example.org", "")


def test_a_command_without_a_report_says_why():
    """The line of the error is the reason."""
    found = {"exit": 4, "seconds": 3.0, "terminal": "a\nERROR: evosearch: no app\n"}
    result = field_outcomes.outcome(found, {}, "30s", 2)
    assert not result["started"]
    assert result["reason"] == "ERROR: evosearch: no app"
    cut = field_outcomes.outcome({**found, "exit": -1, "terminal": "20 %\n"}, {}, "30s", 2)
    assert cut["reason"] == "ended from outside, at: 20 %"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"late": True, "seconds": 99.0}, "late: 99.0 s after 35.0 s"),
        ({"started": False, "reason": "x"}, "does not start any more: x"),
        ({"internal": "KeyError"}, "internal error: KeyError"),
        ({"kept": 0, "empty": True}, "nothing kept although 120 targets were found"),
        ({"passing": False}, "what was written fails: {'alone': '8 passed'}"),
        ({"branches": [10, 40]}, "fewer branches: 10 after 20"),
        ({"endpoints": [2, 4]}, "fewer endpoints: 2 after 4"),
        ({"kept": 3}, "fewer tests: 3 after 8"),
        (
            {"users": {"log_in": True, "known": "", "let_in": 0, "shut_out": True}},
            "nobody let in any more",
        ),
    ],
)
def test_what_became_worse_is_told(changes, told):
    """Each way to become worse has its line."""
    assert told in field_outcomes.worse(record(commit="old"), record(**changes))


def test_nothing_is_told_where_nothing_became_worse():
    """Chance takes or gives a few branches."""
    assert field_outcomes.worse(record(commit="old"), record(branches=[17, 40])) == []
    assert field_outcomes.worse(None, record()) == []


def test_an_outcome_is_compared_with_the_last_one_of_another_commit(tmp_path):
    """Other budgets and projects do not count."""
    path = tmp_path / "results.jsonl"
    for one in (record(commit="a"), record(commit="b"), record(commit="b", budget="60s")):
        field_outcomes.record_outcome(one, path)
    records = field_outcomes.read_outcomes(path)
    assert field_outcomes.earlier(records, record())["commit"] == "b"
    assert field_outcomes.earlier(records, record(commit="b"))["commit"] == "a"
    assert field_outcomes.earlier(records, record(project="other/one")) is None


def test_the_table_shows_every_project():
    """Also what could not be set up, with the reason."""
    records = [
        record(commit="old", kept=1),
        record(),
        {"project": "a/b", "project_commit": "12345678", "commit": "old", "budget": "30s"}
        | {"set_up": "", "reason": "no Python 3: app.py:1"},
    ]
    lines = field_outcomes.table(records, "old").splitlines()
    assert lines[2].startswith("| a/b | 12345678 | no | no Python 3: app.py:1 |")
    assert "1 kept" in lines[3]
    assert "8 kept" in lines[3]
    totals = field_outcomes.totals(records)
    assert totals["drawn"] == "2"
    assert totals["started"] == "1 of 1"
    assert totals["median branch coverage"] == "50%"


def test_a_project_without_a_clone_is_told_and_the_lot_goes_on(tmp_path, capsys, monkeypatch):
    """Nothing is recorded of it."""
    monkeypatch.setattr(field_projects, "read_table", lambda: projects(2))
    results = tmp_path / "results.jsonl"
    arguments = ["--clones", str(tmp_path), "--cache", str(tmp_path), "--results", str(results)]
    assert field.main([*arguments, "--count", "2"]) == 0
    assert "no clone of owner/p1" in capsys.readouterr().out
    assert not results.exists()


def test_a_commit_that_a_clone_lacks_is_told_and_the_lot_goes_on(
    repository, tmp_path, capsys, monkeypatch
):
    """A stored copy may have another history than the one that the table names."""
    repository({"app.py": APP})
    monkeypatch.setattr(
        field_projects,
        "read_table",
        lambda: [FieldProject("owner/shop", "0" * 40, ".", "3.11", "imports", 2)],
    )
    where = ["--clones", str(tmp_path / "clones"), "--cache", str(tmp_path), "--count", "1"]
    assert field.main([*where, "--results", str(tmp_path / "results.jsonl")]) == 0
    assert f"the clone of owner/shop lacks commit {'0' * 40}" in capsys.readouterr().out
