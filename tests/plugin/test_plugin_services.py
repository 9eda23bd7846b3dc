"""Services that the application calls: what the project stubs stays, the rest is stubbed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_evosearch.sut.fixture_texts.services_text import services_fixture
from pytest_evosearch.write.modules.conftest_text import with_fixture
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.ledger import Ledger
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing

if TYPE_CHECKING:
    from conftest import Project

PRICES = """
import requests
from flask import Flask, jsonify

app = Flask(__name__)


@app.get("/")
def price():
    found = requests.get("http://prices.internal/today", params={"item": "Oats"}, timeout=3)
    return jsonify(price=found.json().get("oats", 0))
"""

CONFTEST = """
import pytest
from prices import app


@pytest.fixture
def client():
    return app.test_client()
"""

GENERATED = '''"""Tests."""


def test_get_index_returns_200(client, services):
    services.get("http://prices.internal/today", json={"oats": 3})

    response = client.get("/")

    assert response.status_code == 200
    assert response.json == {"price": 4}
    assert services.requests[0].query == {"item": "Rye"}
'''


def search(project: Project) -> pytest.RunResult:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    budget = ("--evosearch=12x", "--evosearch-seed=1")
    return project.run(*budget, subprocess=True, once=True, forks=False)


def test_update_changes_expectations_and_keeps_stubs(project: Project) -> None:
    imports, fixture = services_fixture()
    project.write(
        prices=PRICES,
        conftest=CONFTEST,
        evosearch__conftest=with_fixture(None, imports, fixture),
        evosearch__test_evosearch_app=GENERATED,
    )
    tests = parse_existing(GENERATED).tests
    known = {f"test_evosearch_app.py::{name}": digest(text) for name, text in tests.items()}
    (project.path / "evosearch" / LEDGER).write_text(Ledger(known).dump())

    result = project.run("--evosearch-update")

    assert result.ret == 0
    updated = (project.path / "evosearch" / "test_evosearch_app.py").read_text()
    assert updated == GENERATED.replace("4}", "3}").replace("Rye", "Oats")


USED = """
import responses


@responses.activate
def test_price(client):
    responses.get("http://prices.internal/today", json={"oats": 4})
    assert client.get("/").json == {"price": 4}
"""


@pytest.mark.slow("a whole command runs")
def test_stubs_are_written_with_the_library_of_the_project(project: Project) -> None:
    pytest.importorskip("responses")
    project.write(prices=PRICES, conftest=CONFTEST, test_prices=USED)

    result = search(project)

    assert result.ret == 0
    folder = project.path / "evosearch"
    written = "".join(path.read_text() for path in folder.glob("test_*.py"))
    assert "(client, rsps):" in written
    assert 'rsps.get("http://prices.internal/today", json={' in written
    assert 'assert rsps.calls[0].request.params == {"item": "Oats"}' in written
    conftest = (folder / "conftest.py").read_text()
    assert "import pytest\nimport responses\n" in conftest
    assert "socket" not in conftest


STUBBED = """
import urllib.request

import httpx
import requests
from flask import Flask, jsonify

app = Flask(__name__)


@app.get("/")
def told():
    by_responses = requests.get("http://prices.internal/today", timeout=3).json()
    by_respx = httpx.get("http://stock.internal/today").json()
    with urllib.request.urlopen(app.config["ORDERS"], timeout=3) as answer:
        by_server = answer.read().decode()
    return jsonify(prices=by_responses["oats"], stock=by_respx["oats"], orders=by_server)
"""

STUBBING = """
import pytest
import responses
import respx
from pytest_httpserver import HTTPServer
from told import app


@pytest.fixture
def client():
    with HTTPServer() as server, responses.RequestsMock() as answers, respx.mock as routes:
        server.expect_request("/orders").respond_with_data("seventeen")
        answers.get("http://prices.internal/today", json={"oats": 18})
        routes.get("http://stock.internal/today").respond(json={"oats": 19})
        app.config["ORDERS"] = server.url_for("/orders")
        yield app.test_client()
        answers.assert_all_requests_are_fired = False
        routes.reset()
"""


@pytest.mark.slow("a whole command runs")
def test_what_the_fixtures_of_the_project_stub_stays_theirs(project: Project) -> None:
    for library in ("responses", "respx", "pytest_httpserver"):
        pytest.importorskip(library)
    project.write(
        told=STUBBED, conftest=STUBBING, test_told="def test_told(client): client.get('/')"
    )

    result = search(project)

    assert result.ret == 0
    written = "".join(path.read_text() for path in (project.path / "evosearch").glob("test_*.py"))
    assert '"prices": 18' in written
    assert '"stock": 19' in written
    assert '"orders": "seventeen"' in written
    assert "internal" not in written


KEPT = """
import boto3
import urllib3
from flask import Flask, jsonify

app = Flask(__name__)


@app.get("/")
def kept():
    storage = boto3.client("s3", "eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
    by_moto = storage.get_object(Bucket="prices", Key="today")["Body"].read().decode()
    by_vcrpy = urllib3.PoolManager().request("GET", "http://stock.internal/today").json()
    return jsonify(prices=by_moto, stock=by_vcrpy["oats"])
"""

KEEPING = """
import boto3
import pytest
import vcr
from kept import app
from moto import mock_aws

CASSETTE = '''
version: 1
interactions:
- request: {method: GET, uri: "http://stock.internal/today", body: null, headers: {}}
  response:
    status: {code: 200, message: OK}
    headers: {content-type: [application/json]}
    body: {string: '{"oats": 19}'}
'''


@pytest.fixture
def client(tmp_path):
    path = tmp_path / "stock.yaml"
    path.write_text(CASSETTE)
    told = vcr.VCR(record_mode="none", ignore_hosts=["prices.s3.eu-west-1.amazonaws.com"])
    with mock_aws(), told.use_cassette(str(path), allow_playback_repeats=True):
        storage = boto3.client("s3", "eu-west-1", aws_access_key_id="a", aws_secret_access_key="b")
        where = {"LocationConstraint": "eu-west-1"}
        storage.create_bucket(Bucket="prices", CreateBucketConfiguration=where)
        storage.put_object(Bucket="prices", Key="today", Body=b"eighteen")
        yield app.test_client()
"""


@pytest.mark.slow("a whole command runs")
def test_what_a_cassette_or_moto_answers_stays_theirs(project: Project) -> None:
    for library in ("boto3", "moto", "vcr"):
        pytest.importorskip(library)
    project.write(kept=KEPT, conftest=KEEPING, test_kept="def test_kept(client): client.get('/')")

    result = search(project)

    assert result.ret == 0
    written = "".join(path.read_text() for path in (project.path / "evosearch").glob("test_*.py"))
    assert '"prices": "eighteen"' in written
    assert '"stock": 19' in written
    assert "internal" not in written
    assert "amazonaws" not in written
