"""Logs in by the code of a provider, whose tokens have two types."""

from __future__ import annotations

import requests
from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

app = Flask(__name__)


@app.get("/callback")
def callback():
    code = request.args.get("code") or abort(400)
    form = {"code": code, "grant_type": "authorization_code"}
    answer = requests.post("https://login.internal/token", data=form, timeout=3)
    if not answer.ok:
        abort(401)
    token = answer.json()
    if token.get("token_type") == "mac":
        raise AssertionError("no such type")
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    me = requests.get("https://login.internal/me", headers=headers, timeout=3)
    return jsonify(name=me.json()["name"]) if me.ok else abort(403)
