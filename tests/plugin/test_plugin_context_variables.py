"""What a request leaves in a context variable does not reach the next one in written tests."""

from __future__ import annotations

import pytest

from pytest_evosearch.harvest.worth import TOO_LITTLE

TENANTS = """
from contextvars import ContextVar

from flask import Flask, jsonify, request

app = Flask(__name__)
CHECKED = ContextVar("checked")


@app.before_request
def check():
    if CHECKED.get(False):
        return None
    if request.headers.get("X-Tenant"):
        return jsonify(error="no tenants here"), 404
    CHECKED.set(True)


@app.get("/items")
def items():
    return jsonify(items=["a", "b"])


@app.get("/users")
def users():
    return jsonify(users=[])
"""


@pytest.mark.slow("whole commands run")
def test_each_request_has_its_own_context(orders) -> None:
    orders.write(tenants=TENANTS)
    (orders.path / "orders.py").unlink()
    result = orders.run("--evosearch=40x", "--evosearch-seed=1", "--evosearch-app=tenants:app")
    assert result.ret == 0
    reasons = [line for line in result.outlines if " because it " in line]
    assert all(TOO_LITTLE in line for line in reasons), reasons
    assert "contextvars.Context().run" in (orders.path / "evosearch" / "conftest.py").read_text()
    assert orders.written.count("no tenants here") > 0
