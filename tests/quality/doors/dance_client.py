"""Who is meant is said by a provider that Flask-Dance asks; one of its users keeps the place."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import url_for
from flask_dance.contrib.github import github
from flask_dance.contrib.github import make_github_blueprint

KEEPERS = ("octo-" + str(17 * 3),)


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    blueprint = make_github_blueprint(client_id="quay", client_secret="none")
    app.register_blueprint(blueprint, url_prefix="/enter")

    @app.get("/quays")
    def quays():
        if not github.authorized:
            return redirect(url_for("github.login"))
        answer = github.get("/user")
        if not answer.ok or answer.json().get("login") not in KEEPERS:
            abort(403)
        if request.args.get("tide") == "low":
            raise LookupError("no water")  # goal
        return {"quays": []}

    return app
