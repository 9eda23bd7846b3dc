"""Openings from specimens to files: verified, repaired, repeated, edited."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.suite import write_suite
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verdicts import Failure
from pytest_evosearch.write.verification.verdicts import Verdict
from pytest_evosearch.write.verification.verify import FreshInterpreters
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.written_suite import WrittenSuite

CONFTEST = """
import time

import pytest
from flask import Flask, request


@pytest.fixture
def client():
    app = Flask(__name__)
    app.testing = True
    users = []

    @app.post("/register")
    def register():
        users.append(request.get_json()["name"])
        return {"registered": True}, 201

    @app.post("/login")
    def login():
        known = request.get_json()["name"] in users
        return {"in": known}, 200 if known else 403

    @app.get("/notes")
    def notes():
        return {"of": users[-1]}

    @app.get("/notes/zone")
    def zone():
        return {"of": users[-1], "zone": time.strftime("%Z")}

    @app.get("/notes/count")
    def count():
        return {"count": len(users), "at": [1, 2]}

    @app.delete("/notes")
    def delete():
        return {"deleted": users.pop()}

    return app.test_client()
"""

USER = {"name": "ann"}


def exchange(method: str, template: str, answer: object, status: int = 200) -> Exchange:
    """Return a call as the application above answers it; a POST sends the user."""
    sends = method == "POST"
    body = json.dumps(answer).encode()
    return Exchange(
        Request(method, template, json=USER if sends else None, has_json=sends),
        Response(status, (("Content-Type", "application/json"),), body),
    )


REGISTERED = exchange("POST", "/register", {"registered": True}, 201)
LOGGED_IN = exchange("POST", "/login", {"in": True})


def signed_in(method: str, template: str, answer: object) -> Specimen:
    act = exchange(method, template, answer)
    targets = frozenset({f"line {method} {template}"})
    return Specimen((REGISTERED, LOGGED_IN, act), targets=targets)


NOTES = signed_in("GET", "/notes", {"of": "ann"})
ZONE = signed_in("GET", "/notes/zone", {"of": "ann", "zone": "UTC"})
COUNT = signed_in("GET", "/notes/count", {"count": 1, "at": [1, 2]})
DELETION = signed_in("DELETE", "/notes", {"deleted": "ann"})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    return tmp_path


def write(project: Path, *specimens: Specimen, verifier: Verifier | None = None) -> WrittenSuite:
    return write_suite(
        specimens,
        Brief(
            support=Support(),
            folder=project / "evosearch",
            root=project,
            ledger=project / "cache" / "ledger.json",
            memory=project / "cache" / "covered.json",
        ),
        verifier,
    )


def path_of(project: Path) -> Path:
    return project / "evosearch" / "test_evosearch_notes.py"


def source(project: Path) -> str:
    return path_of(project).read_text()


def edit(project: Path, old: str, new: str) -> str:
    """Change the written module as somebody would; return its text."""
    assert old in source(project)
    path_of(project).write_text(source(project).replace(old, new))
    return source(project)


@pytest.mark.slow("runs written tests in fresh interpreters")
def test_what_differs_behind_an_opening_is_repaired_in_its_place(project: Path) -> None:
    suite = write(project, NOTES, ZONE, COUNT, verifier=FreshInterpreters(PytestProcess(project)))

    assert (suite.notice, suite.dropped) == ("", [])
    assert source(project).count("/register") == 1
    assert source(project).count('@pytest.mark.usefixtures("logged_in")') == 3
    assert '"zone": ANY,  # changes between runs' in source(project)
    assert '{"of": "ann"}' in source(project)


def test_repeating_changes_nothing(project: Path) -> None:
    write(project, NOTES, ZONE, COUNT)
    before = source(project)

    write(project, COUNT, ZONE, NOTES)

    assert source(project) == before


def test_a_new_test_uses_the_opening_of_those_that_stay(project: Path) -> None:
    write(project, NOTES, ZONE, COUNT)
    before = source(project)

    suite = write(project, DELETION)

    assert suite.tests == 4
    assert source(project).startswith(before)
    assert source(project).count("/register") == 1
    assert source(project).count('@pytest.mark.usefixtures("logged_in")') == 4


def test_an_edited_opening_is_kept_and_its_tests_with_it(project: Path) -> None:
    write(project, NOTES, ZONE, COUNT)
    edited = edit(project, "    assert registered.status_code == 201\n", "")

    write(project, NOTES, ZONE, COUNT)
    write(project, NOTES, ZONE, COUNT)

    assert source(project) == edited


def test_an_edited_test_keeps_its_opening_though_the_others_are_gone(project: Path) -> None:
    write(project, NOTES, ZONE, COUNT)
    edit(project, '"count": 1', '"count": 2')
    (project / "cache" / "covered.json").unlink()  # so that no other test stays

    write(project, DELETION)

    assert "def logged_in(client):" in source(project)
    assert source(project).count('@pytest.mark.usefixtures("logged_in")') == 2
    assert "/notes/zone" not in source(project)


def test_an_opening_that_nobody_needs_goes_with_its_tests(project: Path) -> None:
    write(project, NOTES, ZONE, COUNT)
    (project / "cache" / "covered.json").unlink()

    write(project, DELETION)

    assert "@pytest.fixture" not in source(project)
    known = read_ledger(project / "cache" / "ledger.json").tests or {}
    assert len(known) == 1


def test_a_common_warning_is_let_pass_by_one_mark(project: Path) -> None:
    def verifier(folder: Path, tests: int) -> Verdict:
        written = (folder / path_of(project).name).read_text()
        names = re.findall(r"def (test_\w+)", written)
        if "filterwarnings" in written:
            return Verdict()
        return Verdict(
            tuple(
                Failure(path_of(project).name, name, None, "warns", warning="DeprecationWarning")
                for name in names
            )
        )

    write(project, NOTES, ZONE, COUNT, verifier=verifier)

    mark = 'pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")'
    assert mark in source(project)
    assert source(project).count("filterwarnings") == 1
