"""Anonymous is always tried, and each endpoint as each user."""

from __future__ import annotations

from itertools import product

import flask
import pytest

from benchmarks.trial import search_application

USERS = ("ada", "bob")
ENDPOINTS = {
    *("GET /", "GET /notes", "POST /notes", "GET /notes/<int:note>", "PUT /notes/<int:note>"),
    *("DELETE /notes/<int:note>", "POST /register", "POST /login", "GET /report"),
}
EVALUATIONS = 150
"""About five times as many as there are pairs of an endpoint and a person."""


def make_notebook(requested):
    """Return an application that notes down who requests which endpoint."""
    app = flask.Flask("notebook")
    notes = {}

    @app.before_request
    def note_down():
        rule = flask.request.url_rule
        if rule is not None:
            person = flask.request.headers.get("X-Person")
            requested.add((f"{flask.request.method} {rule.rule}", person))

    @app.get("/")
    def index():
        return "welcome"

    @app.post("/register")
    @app.post("/login")
    def enter():
        return {"name": flask.request.form["name"]}

    @app.route("/notes", methods=["GET", "POST"], provide_automatic_options=False)
    def all_notes():
        if flask.request.method == "GET":
            return notes
        notes[len(notes) + 1] = flask.request.get_json()["text"]
        return {"id": len(notes)}, 201

    @app.route("/notes/<int:note>", methods=["GET", "PUT", "DELETE"])
    def one_note(note):
        if note not in notes:
            flask.abort(404)
        return {"text": notes.pop(note)}

    @app.get("/report")
    def report():
        if flask.request.headers.get("X-Person") is None:
            flask.abort(401)
        return {"notes": len(notes)}

    return app


@pytest.mark.slow("searches run in the process")
@pytest.mark.parametrize("seed", range(1, 4))
def test_each_endpoint_is_requested_as_each_user_and_by_nobody(seed, tmp_path):
    requested = set()
    search_application(
        lambda: make_notebook(requested),
        packages=["notebook"],
        evaluations=EVALUATIONS,
        seed=seed,
        users={name: {"X-Person": name} for name in USERS},
        root=tmp_path,
    )

    wanted = set(product(ENDPOINTS, (None, *USERS)))
    assert not wanted - requested, sorted(wanted - requested, key=str)
