"""Whole searches of a small application: options, repetition, interruption, what is written."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pytest_evosearch.settings.options import ALGORITHMS

TIMEOUT_SECONDS = 150.0

ITEMS = """
from flask import Flask, abort, jsonify, request

app = Flask(__name__)
items = {1: "first"}


@app.get("/items/<int:number>")
def show(number):
    if number not in items:
        abort(404)
    return jsonify(id=number, name=items[number])


@app.post("/items")
def create():
    name = request.form.get("name", "")
    if len(name) > 3:
        number = max(items) + 1
        items[number] = name
        return jsonify(id=number), 201
    return jsonify(error="too short"), 400


@app.get("/ratio")
def ratio():
    return jsonify(ratio=10 / int(request.args.get("by", "0")))


@app.get("/root")
def root():
    return jsonify(root=int(request.args.get("of", "0")) ** 0.5 // 0)
"""


@pytest.fixture
def items(project):
    """A project with an application, and the real engine to search it."""
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(items=ITEMS)
    project.pytester.syspathinsert()
    return project


def search(items, *arguments: str, budget: str = "60x", **options: object) -> pytest.RunResult:
    given = [f"--evosearch={budget}", "--evosearch-seed=1", "--evosearch-app=items:app"]
    options.setdefault("forks", not options.get("once"))
    result: pytest.RunResult = items.run(*given, *arguments, **options)
    return result


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    found = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return {name: data for name, data in found.items() if "__pycache__" not in name}


def written(items, name: str = "test_*.py") -> str:
    return "\n".join(path.read_text() for path in sorted((items.path / "evosearch").glob(name)))


def run_written(items, *arguments: str) -> pytest.RunResult:
    result: pytest.RunResult = items.pytester.runpytest_subprocess("evosearch", *arguments)
    return result


def outcomes(items, *arguments: str) -> dict[str, int]:
    result = run_written(items, *arguments)
    assert result.ret == 0, result.stdout.str()
    return result.parseoutcomes()


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
@pytest.mark.parametrize(
    ("algorithm", "level"),
    [*zip(ALGORITHMS, [3, 2, 3, 1, 2, 0, 1], strict=True)],
)
def test_every_algorithm_and_level(items, algorithm: str, level: int) -> None:
    chosen = [f"--evosearch-algorithm={algorithm}", f"--evosearch-level={level}"]
    result = search(items, *chosen, once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*4 of 4 endpoints reached*", "*= * generated in *"])
    assert "def test_post_items_" in written(items)
    assert "def test_get_item_" in written(items)


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_same_seed_and_evaluations_give_the_same_bytes(items) -> None:
    folders = []
    for hash_seed in ("1", "4242"):
        items.monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        folder = items.path / f"written{hash_seed}"
        result = search(items, f"--evosearch-output={folder}", budget="100x", subprocess=True)
        assert result.ret == 0
        folders.append(contents(folder))
        shutil.rmtree(folder)  # modules of the same name cannot stand in two folders
    assert folders[0] == folders[1]
    assert "test_evosearch_items.py" in folders[0]


def test_written_tests_hold_alone_and_survive_a_second_run(items) -> None:
    items.measure()
    result = search(items)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*the written tests cover * of * lines *"])
    alone = outcomes(items)
    assert alone["passed"] >= 4
    assert alone["xfailed"] >= 1
    assert outcomes(items, "-p", "randomly", "-p", "no:cacheprovider") == alone
    assert outcomes(items, "-p", "xdist", "-n", "2") == alone
    edit_by_hand(items)
    before = contents(items.path / "evosearch")
    assert search(items).ret == 0
    assert contents(items.path / "evosearch") == before


def edit_by_hand(items) -> None:
    path = items.path / "evosearch" / "test_evosearch_items.py"
    text = path.read_text()
    assert text.count("status_code == 404") == 1
    path.write_text(text.replace("status_code == 404", "status_code == 404  # mine"))


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_first_fault_stops_the_search_and_may_be_a_passing_test(items) -> None:
    result = search(items, "-x", "--evosearch-faults=raises", budget="5000x", once=True)
    result.stdout.fnmatch_lines(["faults: 1"])
    evaluations = int(result.stdout.str().partition(" evaluations")[0].split()[-1])
    assert evaluations < 100
    assert result.ret == 0
    assert "status_code >= 500" in written(items, "test_evosearch_faults.py")
    assert set(outcomes(items)) == {"passed"}


def dropped_for_more_than_a_bare_status(result: pytest.RunResult) -> list[str]:
    """Return the reasons why tests were dropped that say enough."""
    reasons = [line for line in result.outlines if re.match(r"  \d+ because", line)]
    return [line for line in reasons if "bare status" not in line]


WAITS_FOR_EVER = """

import threading


class Scheduler(threading.Thread):
    def run(self):
        threading.Event().wait()


Scheduler().start()
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_a_thread_of_the_application_that_is_no_daemon_keeps_nobody_from_ending(items) -> None:
    items.write(items=ITEMS + WAITS_FOR_EVER)

    result = search(items, subprocess=True, once=True)

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["notice: the application leaves threads running that keep pytest from ending: Scheduler*"]
    )
    assert dropped_for_more_than_a_bare_status(result) == []
    assert "def test_post_items_" in written(items)


SERVES_BESIDE = """
import threading

import pytest

from items import app


@pytest.fixture(scope="session")
def identity_provider():
    stopped = threading.Event()
    server = threading.Thread(target=stopped.wait)
    server.start()
    yield server
    stopped.set()
    server.join()


@pytest.fixture
def client(identity_provider):
    return app.test_client()
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_a_thread_that_ends_with_the_fixtures_is_not_told(items) -> None:
    items.write(conftest=SERVES_BESIDE, test_own="def test_own(client): pass")

    result = items.run("--evosearch=60x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    result.stdout.no_fnmatch_line("*keep pytest from ending*")
    assert "def test_post_items_" in written(items)


CATCH_ALL = """

@app.before_request
def prefer():
    request.preference = request.args.get("preferred", "any")[0]


@app.errorhandler(Exception)
def apologise(error):
    return jsonify(error="sorry"), getattr(error, "code", 500)
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_what_an_error_handler_answers_with_500_is_told_like_a_crash(items) -> None:
    items.write(items=ITEMS + CATCH_ALL)

    result = search(items, budget="300x", once=True)

    result.stdout.fnmatch_lines(
        ["*items.py:*: ZeroDivisionError:*", "*items.py:*: IndexError: string index out of range*"]
    )
    result.stdout.no_fnmatch_line("*answered 500*")
    faults = written(items, "test_*faults.py")
    assert faults.count("string index out of range") == 1  # four endpoints share it
    assert "assert response.status_code < 500" in faults
    assert outcomes(items)["xfailed"] == faults.count("def test_")


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_faults_fail_the_run_and_their_tests_on_demand(items) -> None:
    arguments = ["--evosearch-fail-on=fault", "--evosearch-faults=fail", "--evosearch-only=/ratio"]
    result = search(items, *arguments, once=True)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["evosearch: failed: * faults (--evosearch-fail-on=fault)"])
    result.stdout.no_fnmatch_line("*fails its own verification*")
    faults = written(items, "test_evosearch_faults.py")
    assert "status_code < 500" in faults
    assert "mark.xfail" not in faults
    assert run_written(items, "-k", "faults").parseoutcomes()["failed"] >= 1


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_faults_off_writes_no_test_of_them(items) -> None:
    result = search(items, "--evosearch-faults=off", "--evosearch-only=/ratio", once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["faults: [12]"])
    assert not written(items, "test_evosearch_faults.py")
    assert set(outcomes(items)) == {"passed"}


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_only_and_skip_choose_the_endpoints(items) -> None:
    chosen = ["--evosearch-only=/items*", "--evosearch-skip=POST *"]
    result = search(items, *chosen, "-v", once=True)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*1 of 1 endpoint reached*", "  GET /items/{number} *"])
    assert "client.post" not in written(items)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_interrupted_search_writes_what_it_found(items) -> None:
    arguments = [*items.plugins, "-v", "--evosearch=10m", "--evosearch-app=items:app"]
    arguments.append("--evosearch-set=plan.circumstances=first")
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=items.path,
    ) as process:
        watchdog = threading.Timer(TIMEOUT_SECONDS, process.kill)
        watchdog.start()
        assert process.stdout is not None
        next(line for line in process.stdout if line.startswith("evosearch: fault"))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()
        watchdog.cancel()
    assert (process.returncode, errors) == (2, "")
    assert "the search was interrupted; what it found is written" in output
    assert "def test_post_items_" in written(items)
    assert outcomes(items)["passed"] >= 4


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_a_warning_of_the_application_that_a_filter_names_is_instrumented_too(items) -> None:
    (items.path / "items.py").write_text(f"{ITEMS}\n\nclass Outdated(Warning):\n    pass\n")
    (items.path / "pytest.ini").write_text(
        "[pytest]\naddopts = --pythonwarnings error::items.Outdated\n"
    )
    result = search(items, "--evosearch-plan", subprocess=True)
    result.stdout.fnmatch_lines(["*source   items (1 modules, 15 branches)*"])


RUN_WITH = "-p pytest_evosearch.plugin -p no:randomly"
"""What the fixture `items` gives every run."""

OWN_OPTIONS = """
import pytest
from items import app as application


def pytest_addoption(parser):
    parser.addoption("--backend")
    parser.addoption("--quickly", action="store_true")


@pytest.fixture
def app(request):
    assert request.config.getoption("backend") == "memory"
    assert request.config.getoption("quickly")
    return application


@pytest.fixture
def client(app):
    return app.test_client()
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_options_of_the_project_hold_for_the_written_tests(items) -> None:
    items.write(conftest=OWN_OPTIONS, test_items="def test_items(client): pass\n")

    result = items.run(
        *("--evosearch=60x", "--evosearch-seed=1", "--backend", "memory", "--quickly"),
        subprocess=True,
    )

    assert dropped_for_more_than_a_bare_status(result) == []
    given = "--backend memory --quickly"
    result.stdout.fnmatch_lines(
        [f"reproduce: pytest {RUN_WITH} --evosearch=60x --evosearch-seed=1 {given}"]
    )
    module = next((items.path / "evosearch").glob("test_*_items.py")).read_text()
    command = f"pytest {RUN_WITH} --evosearch=60x {given}"
    assert f"Regenerate with: {command} Needs" in " ".join(module.split())


OTHERWISE_LOADED = """
import pytest
from items import app as application


@pytest.fixture
def app(request):
    assert request.config.getini("xfail_strict") is True
    assert request.config.pluginmanager.has_plugin("backend")
    assert request.config.inipath.name == "other.ini"
    return application


@pytest.fixture
def client(app):
    return app.test_client()
"""


@pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")
def test_the_way_pytest_is_told_to_load_holds_for_the_written_tests(items) -> None:
    (items.path / "other.ini").write_text("[pytest]\npythonpath = plugins\n")
    (items.path / "plugins").mkdir()
    (items.path / "plugins" / "backend.py").write_text("")
    items.write(conftest=OTHERWISE_LOADED, test_items="def test_items(client): pass\n")
    given = ("-c", "other.ini", "-oxfail_strict=true", "-p", "no:xdist", "-p", "backend")

    result = items.run(*("--evosearch=60x", "--evosearch-seed=1", *given), subprocess=True)

    assert dropped_for_more_than_a_bare_status(result) == []
    again = f"-c other.ini -o xfail_strict=true {RUN_WITH} -p no:xdist -p backend"
    result.stdout.fnmatch_lines(
        [
            "*client   fixture *client*",
            f"reproduce: pytest {again} --evosearch=60x --evosearch-seed=1",
        ]
    )
    module = next((items.path / "evosearch").glob("test_*_items.py")).read_text()
    assert f"Regenerate with: pytest {again} --evosearch=60x Needs" in " ".join(module.split())
