"""A service answers with a list, which is looked at only if there is something in it."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/where/<place>")
def where(place):
    answer = requests.get("http://maps.internal/search", params={"q": place}, timeout=3)
    if answer.status_code != 200:
        return jsonify(error="search"), 502
    found = answer.json()
    if not found:
        return jsonify(error="unknown"), 404
    first = found[0]
    if float(first["lat"]) > 90:
        raise MemoryError("beyond the pole")
    return jsonify(name=first.get("name", place))
