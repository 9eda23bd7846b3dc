"""An OpenID provider that is not there says who comes in, and with which roles (Authlib)."""

from __future__ import annotations

from authlib.integrations.flask_client import OAuth
from flask import Flask
from flask import abort
from flask import redirect
from flask import session
from flask import url_for

METADATA = "https://id.invalid/.well-known/openid-configuration"


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"
    oauth = OAuth(app)
    oauth.register("keeper", client_id="c", client_secret="s", server_metadata_url=METADATA)

    @app.get("/login")
    def log_in():
        return oauth.keeper.authorize_redirect(url_for("callback", _external=True))

    @app.get("/callback")
    def callback():
        said = oauth.keeper.authorize_access_token()["userinfo"]
        session["user"] = {"email": said["email"], "roles": said.get("roles", [])}
        return redirect("/vault")

    @app.get("/vault")
    def vault():
        if "user" not in session:
            abort(401)
        if "warden" not in session["user"]["roles"]:
            abort(403)
        raise LookupError("the vault is empty")  # goal

    return app
