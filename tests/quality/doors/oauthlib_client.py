"""Who is meant is said by a provider that Requests-OAuthlib asks; teams are told apart."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import request
from flask import session
from requests_oauthlib import OAuth2Session

PROVIDER = "https://identity.invalid"
TEAMS = {"night-" + str(3 * 7)}


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"

    @app.get("/enter")
    def enter():
        client = OAuth2Session("mill", redirect_uri="https://localhost/entered")
        address, session["state"] = client.authorization_url(f"{PROVIDER}/authorize")
        return redirect(address)

    @app.get("/entered")
    def entered():
        client = OAuth2Session("mill", state=session.get("state"))
        session["token"] = client.fetch_token(
            f"{PROVIDER}/token", client_secret="none", authorization_response=request.url
        )
        return redirect("/mill")

    @app.get("/mill")
    def mill():
        if "token" not in session:
            abort(401)
        person = OAuth2Session("mill", token=session["token"]).get(f"{PROVIDER}/me").json()
        if person.get("team") not in TEAMS:
            abort(403)
        raise LookupError("no wind")  # goal

    return app
