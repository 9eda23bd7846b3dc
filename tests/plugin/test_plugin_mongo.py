"""An application without fixtures that works on MongoDB, on a machine without a server."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in a fresh interpreter")

APP = """
from flask import Flask, jsonify, request
from pymongo import ASCENDING, MongoClient

app = Flask(__name__)
client = MongoClient("mongodb://localhost:27017")
items = client["shop"]["items"]
items.create_index([("name", ASCENDING)], unique=True)


@app.get("/items")
def list_items():
    return jsonify([one["name"] for one in items.find()])


@app.post("/items")
def add_item():
    name = request.get_json()["name"]
    if items.find_one({"name": name}):
        return {"message": "it exists already"}, 409
    items.insert_one({"name": name})
    return {"name": name}, 201
"""


def test_documents_are_kept_in_memory(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(app=APP)

    result = project.run("--evosearch=150x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*MongoDB by mongomock*"])
    conftest = (project.path / "evosearch" / "conftest.py").read_text()
    assert "def flask_app(mongo_in_memory):" in conftest
    suite = "\n".join(
        path.read_text() for path in (project.path / "evosearch").glob("test_evosearch_*.py")
    )
    assert "it exists already" in suite
    again = project.pytester.runpytest_subprocess("evosearch", "-W", "error", "-p", "no:randomly")
    assert again.ret == 0
