"""The application is an OAuth 2 provider: log-in, consent, code, token, resource."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import session

CLIENTS = {"desk": {"secret": "q1zz" + str(7 * 11), "redirect": "https://desk.invalid/back"}}
PEOPLE = {"mia": "tulip" + str(9 * 13)}
CODES = {}
TOKENS = {}


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"

    @app.post("/login")
    def log_in():
        name = request.form.get("name", "")
        if name not in PEOPLE or PEOPLE[name] != request.form.get("password"):
            abort(401)
        session["name"] = name
        return "welcome"

    @app.get("/authorize")
    def authorize():
        client = CLIENTS.get(request.args.get("client_id", ""))
        if client is None:
            abort(400)
        if "name" not in session:
            abort(401)
        code = secrets.token_urlsafe(8)
        CODES[code] = session["name"]
        return redirect(f"{client['redirect']}?code={code}")

    @app.post("/token")
    def token():
        client = CLIENTS.get(request.form.get("client_id", ""))
        if client is None or client["secret"] != request.form.get("client_secret"):
            return {"error": "invalid_client"}, 401
        name = CODES.pop(request.form.get("code", ""), None)
        if name is None:
            return {"error": "invalid_grant"}, 400
        issued = secrets.token_urlsafe(16)
        TOKENS[issued] = name
        return {"access_token": issued, "token_type": "Bearer"}

    @app.get("/me")
    def me():
        kind, _, given = request.headers.get("Authorization", "").partition(" ")
        if kind != "Bearer" or given not in TOKENS:
            abort(401)
        raise LookupError("no profile")  # goal

    return app
