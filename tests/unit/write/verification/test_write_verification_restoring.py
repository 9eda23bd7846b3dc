from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.suite import write_suite
from pytest_evosearch.write.verification.circumstances import MOVED
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.restoring import Restoration
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.written_suite import WrittenSuite

CONFTEST = """
import pytest
from flask import Flask, request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Item(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String, unique=True)


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    app = Flask(__name__)
    app.testing = True
    folder = tmp_path_factory.mktemp("data")
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{folder}/items.db"
    db.init_app(app)
    with app.app_context():
        db.create_all()

    @app.put("/items/<name>")
    def put(name):
        if Item.query.filter_by(name=name).first():
            return {"error": "known"}, 409
        db.session.add(Item(name=name))
        db.session.commit()
        return {"count": Item.query.count()}, 201

    return app


@pytest.fixture
def client(app):
    return app.test_client()
"""

DATABASE = LastingDatabase(
    (
        "with app.app_context():",
        '    pooled = app.extensions["sqlalchemy"].engine.raw_connection()',
        "connection = pooled.driver_connection",
    ),
    "pooled.close()",
)

FIXTURE = "\n@pytest.fixture(autouse=True)\ndef restored():\n    yield\n"


def put(name: str, status: int, answer: object) -> Exchange:
    response = Response(
        status, (("Content-Type", "application/json"),), json.dumps(answer).encode()
    )
    return Exchange(Request("PUT", "/items/{name}", path={"name": name}), response)


FIRST = put("pen", 201, {"count": 1})
AGAIN = put("pen", 409, {"error": "known"})


def write(project: Path, *databases: LastingDatabase) -> WrittenSuite:
    (project / "conftest.py").write_text(CONFTEST)
    (project / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    return write_suite(
        [Specimen((FIRST,)), Specimen((FIRST, AGAIN))],
        Brief(support=Support(databases=databases), folder=project / "evosearch", root=project),
        FreshInterpreters(PytestProcess(project), [PLAIN, MOVED]),
    )


def test_database_of_a_session_is_put_back_after_each_test(tmp_path: Path) -> None:
    suite = write(tmp_path, DATABASE)

    assert (suite.tests, suite.dropped) == (2, [])
    conftest = (tmp_path / "evosearch" / "conftest.py").read_text()
    assert "def restored_database(client):" in conftest
    assert "import sqlite3\nfrom contextlib import closing\n\nimport pytest\n\n\n@" in conftest


@pytest.mark.slow("whole pytest runs of written tests")
def test_without_a_database_what_disturbs_others_is_dropped(tmp_path: Path) -> None:
    suite = write(tmp_path)

    assert suite.tests < 2
    assert not (tmp_path / "evosearch" / "conftest.py").exists()


def test_fixture_that_does_not_help_is_taken_out_again(tmp_path: Path) -> None:
    conftest = tmp_path / "conftest.py"
    conftest.write_text("import pytest\n")
    restoration = Restoration(conftest, FIXTURE)

    assert restoration.changes(3, is_broken=False)
    assert "def restored():" in conftest.read_text()
    assert restoration.changes(3, is_broken=False)
    assert conftest.read_text() == "import pytest\n"
    assert not restoration.changes(3, is_broken=False)


def test_fixture_that_helps_stays(tmp_path: Path) -> None:
    restoration = Restoration(tmp_path / "conftest.py", FIXTURE)

    assert restoration.changes(3, is_broken=False)
    assert not restoration.changes(1, is_broken=False)
    assert (tmp_path / "conftest.py").exists()


def test_nothing_is_tried_where_every_test_holds(tmp_path: Path) -> None:
    assert not Restoration(tmp_path / "conftest.py", FIXTURE).changes(0, is_broken=False)


def test_runs_that_cannot_be_read_tell_against_the_fixture(tmp_path: Path) -> None:
    restoration = Restoration(tmp_path / "conftest.py", FIXTURE)

    assert restoration.changes(3, is_broken=False)
    assert restoration.changes(0, is_broken=True)
    assert not (tmp_path / "conftest.py").exists()


def test_fixture_is_there_from_the_start_where_the_search_saw_changes(tmp_path: Path) -> None:
    conftest = tmp_path / "conftest.py"
    restoration = Restoration(conftest, FIXTURE, begins=True)

    restoration.begin()

    assert "def restored():" in conftest.read_text()
    assert not restoration.harms(2, 3, is_broken=False)
    assert not restoration.changes(2, is_broken=False)  # it is tried only once
    assert not restoration.harms(3, 3, is_broken=False)
    assert conftest.exists()


def test_fixture_from_the_start_is_taken_out_where_every_test_fails(tmp_path: Path) -> None:
    conftest = tmp_path / "conftest.py"
    restoration = Restoration(conftest, FIXTURE, begins=True)

    restoration.begin()

    assert restoration.harms(3, 3, is_broken=False)
    assert not conftest.exists()
    assert not restoration.harms(3, 3, is_broken=False)


def test_database_is_put_back_though_there_is_time_for_one_run_only(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    support = Support(databases=(replace(DATABASE, was_changed=True),))
    run = FreshInterpreters(PytestProcess(tmp_path), [PLAIN])

    suite = write_suite(
        [Specimen((FIRST,)), Specimen((FIRST, AGAIN))],
        Brief(support=support, folder=tmp_path / "evosearch", root=tmp_path),
        lambda folder, tests: replace(run(folder, tests), is_last=True),
    )

    assert (suite.tests, suite.dropped) == (2, [])
