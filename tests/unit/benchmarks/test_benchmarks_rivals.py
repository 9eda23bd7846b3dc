from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from flask import Flask
from flask import request
from werkzeug.test import Client

from benchmarks import execute
from benchmarks import measure
from benchmarks import rivals
from benchmarks.applications import BY_NAME
from benchmarks.applications import Application
from benchmarks.environments import environment_folder
from benchmarks.jobs import Job

PROJECT = """\
from flask import Flask

app = Flask(__name__)


@app.get("/share/<int:number>")
def share(number):
    if number < 0:
        return "negative", 400
    return str(10 // number)
"""
APPLICATION = Application("shares", ("shares",), "from shares import app")


@pytest.fixture
def project(tmp_path):
    (tmp_path / "shares.py").write_text(PROJECT)
    return tmp_path


@pytest.fixture
def session(monkeypatch):
    monkeypatch.syspath_prepend(str(measure.INSIDE))
    import schemathesis_session

    return schemathesis_session


def logged_request(path, method="GET"):
    return json.dumps(
        {
            "method": method,
            "path": path,
            "query": "",
            "headers": {},
            "content_type": None,
            "body": "",
        }
    )


@pytest.mark.slow("whole pytest runs of written tests")
def test_replayed_requests_are_measured_with_their_faults(project):
    requests = [logged_request(f"/share/{number}") for number in (2, 0, 0)]
    (project / rivals.LOG).write_text("\n".join(requests) + "\n")
    command = [str(measure.INSIDE / "replay.py"), "shares", APPLICATION.creation, rivals.LOG]

    suite = measure.measure_command(Path(sys.executable), project, APPLICATION, command)

    assert suite["covered"] == {"lines": 2, "branches": 1}
    assert suite["faults"] == ["ZeroDivisionError shares:10"]


@pytest.mark.parametrize("word", ["a?b", "a#b", "a%41", "/a", "é", ""])
def test_paths_are_replayed_as_they_were(session, word, monkeypatch, tmp_path):
    import replay

    seen = []
    app = Flask("words")

    @app.get("/<path:word>")
    def read(word):
        seen.append((word, request.args.get("q")))
        return ""

    logged = io.StringIO()
    recorder = session.RequestLog(app.wsgi_app, logged)
    path = "/words/" + quote(word)
    Client(recorder).get(path, query_string={"q": "é&"})
    (tmp_path / "log").write_text(logged.getvalue())
    monkeypatch.setattr(replay, "load", lambda _creation: app)

    replay.main("words", "", str(tmp_path / "log"))

    assert seen == [seen[0]] * 2


def test_request_without_an_end_is_given_up_in_a_replay(session, monkeypatch, tmp_path, capsys):
    import replay

    seen = []
    app = Flask("sleeper")

    @app.get("/<int:seconds>")
    def sleep(seconds):
        seen.append(seconds)
        time.sleep(seconds)
        return ""

    lines = [logged_request(f"/{seconds}") for seconds in (3600, 0)]
    (tmp_path / "log").write_text("\n".join(lines))
    monkeypatch.setattr(replay, "load", lambda _creation: app)
    monkeypatch.setattr(replay, "LONGEST", 1)

    replay.main("sleeper", "", str(tmp_path / "log"))

    assert seen == [3600, 0]
    assert capsys.readouterr().out == "GET /3600: RequestTakesTooLong: \n"


@pytest.mark.slow("whole pytest runs of written tests")
def test_faults_of_a_written_suite_are_measured_alike(project):
    (project / "evosearch").mkdir()
    (project / "evosearch" / "test_evosearch_share.py").write_text(
        "from shares import app\n\n\n"
        "def test_share():\n    assert app.test_client().get('/share/0').status_code == 500\n"
    )

    suite = measure.measure_suite(Path(sys.executable), project, APPLICATION)

    assert suite["last_line"].startswith("1 passed")
    assert suite["faults"] == ["ZeroDivisionError shares:10"]


def test_routes_are_described_for_lack_of_a_document(session):
    app = Flask("shares")
    app.add_url_rule("/a/<int:number>/<path:rest>", "a", lambda: "", methods=["GET", "POST"])

    paths = session.generated_document(app)["paths"]

    (operations,) = [paths["/a/{number}/{rest}"]]
    kinds = {each["name"]: each["schema"]["type"] for each in operations["get"]["parameters"]}
    assert kinds == {"number": "integer", "rest": "string"}
    assert sorted(operations) == ["get", "post"]
    assert "requestBody" in operations["post"]


def test_served_document_is_preferred(session):
    app = Flask("shares")
    app.add_url_rule("/openapi.json", "document", lambda: {"openapi": "3.0.0", "paths": {}})

    assert session.served_document(app, {}) == {"openapi": "3.0.0", "paths": {}}
    assert session.served_document(Flask("other"), {}) is None


def test_own_tests_are_there_for_the_tool_that_runs_them(tmp_path):
    copy = execute.copy_project(Job(BY_NAME["ncs"], "own-tests", "60s", 1), tmp_path)

    assert any("test_client" not in path.name for path in copy.rglob("test_*.py"))


def test_schemathesis_gets_an_environment_of_its_own(tmp_path):
    folders = {
        environment_folder(BY_NAME["ncs"], tmp_path, rivals.requirements_of(tool))
        for tool in ("mio", "schemathesis")
    }

    assert len(folders) == 2
