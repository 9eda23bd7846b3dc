"""A search engine answers with members inside members, and the number of all that it found."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify
from flask import request

app = Flask(__name__)


@app.get("/search")
def search():
    asked = {"title": request.args.get("q", "")}
    answer = requests.post("http://books.internal:9200/books/_search", json=asked, timeout=3)
    if answer.status_code != 200:
        return jsonify(error="search"), 502
    found = answer.json()
    titles = [one["_source"]["title"] for one in found["hits"]["hits"]]
    if found["hits"]["total"]["value"] > 10:
        raise MemoryError("too many")
    return jsonify(titles=titles)
