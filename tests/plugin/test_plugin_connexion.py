"""Connexion 3 is found without fixtures, and its written conftest.py has all of its layers."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow("whole commands run, with connexion loaded in each")

pytest.importorskip("connexion")
pytest.importorskip("a2wsgi")

APPLICATION = """
import connexion


def count(step):
    if step == 3:
        raise LookupError("three")
    return {"next": step + 1}


"""

MODULE_LEVEL = """
app = connexion.FlaskApp(__name__, specification_dir=".")
app.add_api("openapi.yaml")
"""

FACTORY = """
def create_app():
    app = connexion.FlaskApp(__name__, specification_dir=".")
    app.add_api("openapi.yaml")
    return app
"""

DOCUMENT = """
openapi: 3.0.0
info: {title: Steps, version: "1"}
servers: [{url: /v1}]
paths:
  /count:
    get:
      operationId: OPERATION
      parameters:
        - {name: step, in: query, required: true, schema: {type: integer, maximum: 9}}
      responses: {"200": {description: the next}}
"""

WRITTEN = """
def test_count(client):
    assert client.get("/v1/count", query_string={"step": 1}).json == {"next": 2}


def test_count_too_far(client):
    assert client.get("/v1/count", query_string={"step": 10}).status_code == 400


def test_count_crashes(client):
    assert client.get("/v1/count", query_string={"step": 3}).status_code == 500
"""


@pytest.mark.parametrize("creation", [MODULE_LEVEL, FACTORY], ids=["module", "factory"])
def test_written_tests_pass_all_layers(project, creation) -> None:
    (project.path / "counting.py").write_text(APPLICATION + creation)
    document = DOCUMENT.replace("OPERATION", "counting.count")
    (project.path / "openapi.yaml").write_text(document)
    project.pytester.syspathinsert()

    result = project.search(script="load")

    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    assert project.told["sandboxed"]
    folder = project.path / "evosearch"
    folder.mkdir()
    (folder / "conftest.py").write_text(project.told["conftest"])
    (folder / "test_evosearch_count.py").write_text(WRITTEN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    run = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)
    assert "3 passed" in run.stdout, run.stdout + run.stderr


CLIENT_OF_STARLETTE = """
import pytest
from counting import app


@pytest.fixture
def client():
    return app.test_client()
"""

CLIENT_BY_NAME = """
import pytest
from counting import app


@pytest.fixture
def served():
    return app


@pytest.fixture
def starlette_client(served):
    with served.test_client() as client:
        yield client
"""

APPLICATION_ONLY = """
import pytest
from counting import app as served


@pytest.fixture
def app():
    return served
"""


@pytest.mark.parametrize(
    ("conftest", "requested"),
    [
        (CLIENT_OF_STARLETTE, "client"),
        (CLIENT_BY_NAME, "starlette_client"),
        (APPLICATION_ONLY, "app"),
    ],
    ids=["client", "client with another name", "application"],
)
def test_the_projects_own_fixtures_are_used(project, conftest, requested) -> None:
    own = f"def test_own({requested}):\n    assert {requested} is not None\n"
    counting(project, conftest=conftest, test_own=own)

    result = project.search(script="load")

    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    assert not project.told["sandboxed"]
    assert f'fixture "{requested}"' in " ".join(project.told["findings"].values())
    assert_written_tests_pass(project, "4 passed")


CLIENT_IN_MODULE = f"""{CLIENT_OF_STARLETTE}

def test_own(client):
    assert client.get("/v1/count", params={{"step": 1}}).json() == {{"next": 2}}
"""

NAMED_CLIENT_IN_MODULE = f"""{CLIENT_BY_NAME}

def test_own(starlette_client):
    assert starlette_client.get("/v1/count", params={{"step": 1}}).json() == {{"next": 2}}
"""

APPLICATION_IN_MODULE = f"""{APPLICATION_ONLY}

def test_own(app):
    assert app.test_client().get("/v1/count", params={{"step": 1}}).json() == {{"next": 2}}
"""

CLIENT_IN_CASE = """
import unittest
from counting import app


class CountingCase(unittest.TestCase):
    def setUp(self):
        self.client = app.test_client()

    def test_own(self):
        assert self.client.get("/v1/count", params={"step": 1}).json() == {"next": 2}
"""

APPLICATION_IN_CASE = """
import unittest
from counting import app


class CountingCase(unittest.TestCase):
    def setUp(self):
        self.served = app
        self.app = app.app

    def test_own(self):
        assert self.served.test_client().get("/v1/count", params={"step": 1}).is_success
"""


@pytest.mark.parametrize(
    ("module", "named"),
    [
        (CLIENT_IN_MODULE, 'fixture "client"'),
        (NAMED_CLIENT_IN_MODULE, 'fixture "starlette_client"'),
        (APPLICATION_IN_MODULE, 'fixture "app"'),
        (CLIENT_IN_CASE, "self.client"),
        (APPLICATION_IN_CASE, "CountingCase"),
    ],
    ids=[
        "client",
        "client with another name",
        "application",
        "case's client",
        "case's application",
    ],
)
def test_what_only_test_modules_prepare_is_borrowed(project, module, named) -> None:
    counting(project, test_own=module)

    result = project.search(script="load")

    assert result.ret == 0, result.stdout.str() + result.stderr.str()
    assert not project.told["sandboxed"]
    assert named in " ".join(project.told["findings"].values())
    assert_written_tests_pass(project, "4 passed")


def counting(project, **modules: str) -> None:
    """Write the application, its document, and what else the project has."""
    project.write(counting=APPLICATION + MODULE_LEVEL, **modules)
    document = DOCUMENT.replace("OPERATION", "counting.count")
    (project.path / "openapi.yaml").write_text(document)
    project.pytester.syspathinsert()


def assert_written_tests_pass(project, outcome: str) -> None:
    folder = project.path / "evosearch"
    folder.mkdir()
    (folder / "conftest.py").write_text(project.told["conftest"])
    (folder / "test_evosearch_count.py").write_text(WRITTEN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project.path)]
    run = subprocess.run(command, cwd=project.path, capture_output=True, text=True, check=False)
    assert outcome in run.stdout, run.stdout + run.stderr
