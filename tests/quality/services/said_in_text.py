"""Understands one line of a text, and no document."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/state")
def state():
    answer = requests.get("http://old.internal/state", timeout=3)
    if answer.status_code != 200:
        return jsonify(error="old"), 502
    for line in answer.text.splitlines():
        name, _colon, value = line.partition("=")
        if name == "maintenance":
            raise InterruptedError(value)
    return jsonify(state="normal")
