"""Callers who only look whether a door opens appear in no test."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.slow("a whole search; what it wrote runs in fresh interpreters")

DIARY = """
from flask import Flask, abort, jsonify, redirect, request, session

app = Flask(__name__)
app.config.update(SECRET_KEY="a", USERNAME="admin", PASSWORD="admin")
ENTRIES = []


@app.get("/")
def index():
    return jsonify(ENTRIES)


@app.post("/login")
def login():
    if request.form["username"] != app.config["USERNAME"]:
        return "Invalid username"
    if request.form["password"] != app.config["PASSWORD"]:
        return "Invalid password"
    session["logged_in"] = True
    return redirect("/")


@app.get("/logout")
def logout():
    session.pop("logged_in", None)
    return redirect("/")


@app.post("/entries")
def add():
    if not session.get("logged_in"):
        abort(401)
    ENTRIES.append(request.form["title"])
    return redirect("/")


@app.get("/entries/<int:entry>/delete")
def delete(entry):
    if not session.get("logged_in"):
        return jsonify(message="Please log in."), 401
    return jsonify(deleted=entry)
"""


def test_log_in_that_tells_what_is_wrong_lets_in_and_its_looks_are_in_no_test(project) -> None:
    project.plugins = ["-p", "pytest_evosearch.plugin"]
    project.write(app=DIARY)
    result = project.run("--evosearch=200x", "--evosearch-seed=1", subprocess=True, once=True)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*let in: admin (POST /login)"])
    dropped = [line for line in result.outlines if line.startswith("  1 because")]
    assert [line for line in dropped if "bare status" not in line] == []
    suite = "".join(path.read_text() for path in project.path.rglob("test_evosearch_*.py"))
    assert '{"deleted": ' in suite
