"""A second process that minimises and verifies tests while the search goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_evosearch.bridge.island_processes import Identity
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.engine.beside.letters import FINISHER
from pytest_evosearch.engine.beside.letters import HOME
from pytest_evosearch.engine.beside.letters import PROCESSES
from pytest_evosearch.engine.beside.letters import Order
from pytest_evosearch.engine.beside.letters import Report
from pytest_evosearch.engine.beside.letters import packed
from pytest_evosearch.engine.beside.mailbox import Mailbox
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.finished_tests import FinishedTests
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

TIMEOUT_SECONDS = 120.0

GREETING = """
from flask import Flask, jsonify, request

app = Flask(__name__)
GREETED = []


@app.post("/greetings")
def greet():
    GREETED.append(request.args["name"])
    return jsonify(greeted=len(GREETED)), 201


@app.get("/greetings")
def greetings():
    return jsonify(names=GREETED)
"""

CONFTEST = """
import pytest
from greeting import app


@pytest.fixture
def client():
    return app.test_client()
"""

NAME = Input(Location.QUERY, "name", TextGene(current="a"))
NEEDLESS = Input(Location.QUERY, "needless", TextGene(current="b"))
LONG = Individual(
    (
        Call("GET /greetings", (NEEDLESS,), 1),
        Call("POST /greetings", (NAME, NEEDLESS), 2),
        Call("GET /greetings", (NEEDLESS,), 3),
    )
)


@pytest.fixture
def folder() -> Iterator[Path]:
    with scratch_folder("beside") as folder:
        (folder / f"island-{FINISHER}").mkdir()
        yield folder


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".pytest_cache")


def reports_until_done(mailbox: Mailbox, process: subprocess.Popen[bytes]) -> list[Report]:
    reports: list[Report] = []
    end = time.monotonic() + TIMEOUT_SECONDS
    while not (reports and reports[-1].is_done):
        assert process.poll() is None, "it has ended early"
        assert time.monotonic() < end, "it takes too long"
        report = mailbox.message(FINISHER, len(reports))
        if report is None:
            time.sleep(0.05)
        else:
            reports.append(report)
    return reports


def test_what_is_found_is_minimised_and_verified_and_nothing_stays(project, folder: Path) -> None:
    project.write(greeting=GREETING, conftest=CONFTEST, test_own="def test_it(client): pass")
    before = names_in(project.path)
    mailbox = Mailbox(folder, HOME, PROCESSES)
    mailbox.post(0, Order(packed([LONG])))
    identity = Identity(folder, FINISHER, PROCESSES, os.getpid(), finishes=True)
    options = ("-p", "pytest_evosearch.plugin", "--evosearch=30s", "-p", "no:cacheprovider")
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, f"--basetemp={folder / 'temporary'}"],
        cwd=project.path,
        env={**os.environ, **identity.environment()},
    )

    try:
        reports = reports_until_done(mailbox, process)
    finally:
        mailbox.call_to_stop()
        code = process.wait(TIMEOUT_SECONDS)

    known = FinishedTests()
    known.adopt([one for report in reports for one in report.finished])
    sent = [[(call.endpoint, *call.inputs) for call in one.calls] for one in known.individuals]
    assert [("POST /greetings", NAME)] in sent
    assert [("GET /greetings",)] in sent
    assert any(report.proven for report in reports)
    assert code == 0
    assert names_in(project.path) == before
