"""The application is its own OAuth 2 provider: consent, code, token."""

from __future__ import annotations

import secrets

from flask import Flask
from flask import redirect
from flask import request

codes: dict[str, str] = {}
tokens: dict[str, str] = {}


def create_app():
    app = Flask(__name__)
    app.clients = {"kiosk": "tin" + str(2**15)}

    @app.get("/authorize")
    def authorize():
        name = request.args.get("client_id")
        if name not in app.clients or request.args.get("response_type") != "code":
            return {"error": "invalid_request"}, 400
        code = secrets.token_hex(6)
        codes[code] = name
        return redirect(f"/callback?code={code}")

    @app.get("/callback")
    def callback():
        return {"code": request.args.get("code", "")}

    @app.post("/token")
    def token():
        name = codes.get(request.form.get("code"))
        if name is None or request.form.get("grant_type") != "authorization_code":
            return {"error": "invalid_grant"}, 400
        if request.form.get("client_secret") != app.clients[name]:
            return {"error": "invalid_client"}, 401
        issued = secrets.token_hex(8)
        tokens[issued] = name
        return {"access_token": issued, "token_type": "Bearer"}

    @app.get("/screens/<int:number>")
    def screen(number):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in tokens:
            return {"error": "token"}, 401
        if number > 5:
            raise LookupError(number)  # goal
        return {"screen": number}

    return app
