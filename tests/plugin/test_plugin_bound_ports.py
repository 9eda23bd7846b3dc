"""What a fixture has opened for itself alone, a port, is free again when the tests are verified."""

from __future__ import annotations

import socket

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

APPLICATION = """
from flask import Flask, jsonify, request

app = Flask(__name__)


@app.post("/items")
def add():
    return jsonify(name=request.get_json()["name"]), 201
"""

CONFTEST = """
import socket

import pytest
from shop import app


@pytest.fixture(scope="session", autouse=True)
def backend():
    server = socket.create_server(("127.0.0.1", {port}))
    yield server
    server.close()


@pytest.fixture
def client():
    return app.test_client()
"""


@pytest.fixture
def shop(project):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    project.plugins = ["-p", "pytest_evosearch.plugin", "-p", "no:randomly"]
    project.write(shop=APPLICATION, conftest=CONFTEST.format(port=port))
    return project


def test_no_copy_of_the_process_holds_a_port_while_tests_are_verified(shop) -> None:
    result = shop.run("--evosearch=60x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    assert "no test could be kept" not in result.stdout.str()
    assert list((shop.path / "evosearch").glob("test_*.py"))
