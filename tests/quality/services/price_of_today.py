"""Divides by a number that a service tells."""

from __future__ import annotations

import requests
from flask import Flask
from flask import abort
from flask import jsonify

app = Flask(__name__)


@app.get("/price/<name>")
def price(name):
    answer = requests.get("http://prices.internal/today", timeout=3)
    if answer.status_code != 200:
        abort(502)
    document = answer.json()
    if document["currency"] != "EUR":
        return jsonify(error="currency"), 409
    return jsonify(name=name, each=100 / document["count"])
