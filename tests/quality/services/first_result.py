"""Takes the first of the results, and there may be none."""

from __future__ import annotations

import httpx
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/search")
def search():
    try:
        answer = httpx.get("https://search.internal/v1/books", params={"q": "a"})
    except httpx.HTTPError:
        return jsonify(error="search"), 503
    if answer.status_code != 200:
        return jsonify(error="search"), 502
    results = answer.json()["results"]
    titles = [result["title"] for result in results]
    return jsonify(best=titles[0])
