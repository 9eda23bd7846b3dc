from __future__ import annotations

import pytest


def test_plan_prints_the_block_and_stops(shop) -> None:
    result = shop.search("--evosearch-plan", script="load")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            (
                'evosearch: app      shop.create_app()              fixture "app" (conftest.py:*), '
                "function scope"
            ),
            '           client   fixture "client"',
        ]
    )
    result.stdout.no_fnmatch_line("*%*")
    result.stdout.no_fnmatch_line("*= evosearch =*")


def test_plan_alone_is_enough(shop) -> None:
    assert shop.run("--evosearch-plan", "--evosearch-level=0").ret == 0
    assert shop.told["settings"]["plan"] is True


def test_plan_is_shown_when_quiet(shop) -> None:
    result = shop.search("--evosearch-plan", "-q", script="load")
    result.stdout.fnmatch_lines(["evosearch: app *"])


def test_collect_only_lists_endpoints_and_spends_nothing(shop) -> None:
    result = shop.search("--collect-only")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["GET /  (page, size)", "1 endpoint, 12 targets known"])
    assert shop.told["settings"]["plan"] is True
    result.stdout.no_fnmatch_line("*test_index*")


TODO = """
from flask import Flask

app = Flask(__name__)


@app.get("/")
def index():
    return "nothing to do"
"""


def plan_below(project, monkeypatch, *arguments: str, module: str = "app") -> str:
    """Ask for the plan in a folder with an application of its own."""
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(library=TODO.replace("app", "server"), **{f"examples__todo__{module}": TODO})
    monkeypatch.chdir(project.path / "examples" / "todo")
    result = project.run("--evosearch=5x", "--evosearch-plan", *arguments, subprocess=True)
    assert result.ret == 0
    return result.stdout.str()


def test_an_application_beside_which_pytest_is_started_is_meant(project, monkeypatch) -> None:
    shown = plan_below(project, monkeypatch)
    assert "app      app:app" in shown
    assert "source   app (1 module" in shown
    assert "output   evosearch/" in shown


@pytest.mark.slow("whole commands run")
def test_an_application_that_is_packaged_by_itself_is_meant(project, monkeypatch) -> None:
    folder = project.path / "examples" / "todo"
    folder.mkdir(parents=True)
    (folder / "pyproject.toml").write_text("[project]\nname = 'todo'\n")
    assert "app      main:app" in plan_below(project, monkeypatch, module="main")


@pytest.mark.slow("whole commands run")
@pytest.mark.parametrize("said", ["--rootdir=../..", "conftest.py"])
def test_a_root_that_is_given_or_has_a_say_stays(project, monkeypatch, said: str) -> None:
    if said == "conftest.py":
        project.write(conftest="")
    shown = plan_below(project, monkeypatch, *([said] if said.startswith("--") else []))
    assert "app      library:server" in shown


KEPT = """
from flask import Flask, abort, jsonify, request

app = Flask(__name__)
app.anglers = {"wade": "heron-feather-88"}


@app.get("/ponds/<int:number>")
def pond(number):
    given = request.authorization
    if given is None or app.anglers.get(given.username) != given.password:
        abort(401)
    return jsonify(number=number)
"""


def rows_of(project, *arguments: str, source: str = KEPT) -> list[str]:
    """Return the rows of the plan that tell of users."""
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(ponds=source)
    result = project.run("--evosearch-seed=1", *arguments, subprocess=True)
    assert result.ret == 0
    assert "heron-feather-88" not in result.stdout.str()
    return [line.strip() for line in result.outlines if line.strip().startswith("users ")]


def test_a_plan_names_who_would_be_let_in_and_by_which_door(project) -> None:
    rows = rows_of(project, "--evosearch-plan")
    assert rows == ['users    wade (HTTP Basic, app.anglers["wade"])']


@pytest.mark.slow("whole commands run")
def test_a_plan_says_what_is_compared_where_no_one_would_be_let_in(project) -> None:
    closed = KEPT.replace("app.anglers.get(given.username)", "hash(str(given.username))")
    rows = rows_of(project, "--evosearch-plan", source=closed)
    assert len(rows) == 1
    assert rows[0].startswith("users    no one was let in (1 of 1 endpoint")


@pytest.mark.slow("whole commands run")
def test_listing_endpoints_asks_for_no_users(project) -> None:
    assert rows_of(project, "--evosearch", "--collect-only") == []


STORE = """
from flask import Flask, request

app = Flask(__name__)
STOCK = {"tea": 3}


@app.get("/stock")
def stock():
    try:
        return {"stock": STOCK[request.args["name"]]}
    except KeyError:
        return {"error": "unknown"}, 404
"""


@pytest.mark.slow("whole commands run")
def test_what_a_single_endpoint_filters_by_is_no_key(project) -> None:
    assert rows_of(project, "--evosearch-plan", source=STORE) == []


OPEN_PAGES = """
from flask import Flask, request

app = Flask(__name__)
OPEN_PAGES = {"welcome_page"}


@app.before_request
def check():
    is_known = hash(request.headers.get("X-Pass", "")) == 4711
    if request.endpoint not in OPEN_PAGES and not is_known:
        return {"error": "pass"}, 401


@app.get("/")
def welcome_page():
    return "welcome"


@app.get("/harbours")
def all_the_harbours():
    return {"near": request.args.get("near", "")}


@app.post("/boats")
def new_boat():
    return {"boat": str(request.get_json())}, 201
"""


@pytest.mark.slow("whole commands run")
def test_a_value_that_lets_in_whatever_is_sent_is_no_key(project) -> None:
    rows = rows_of(project, "--evosearch-plan", source=OPEN_PAGES)
    assert len(rows) == 1
    assert rows[0].startswith("users    no one was let in (2 of 3 endpoints refuse)")
