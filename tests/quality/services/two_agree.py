"""Two services must agree, and the code after that was never tried."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


def document_of(address):
    answer = requests.get(address, timeout=3)
    return answer.json() if answer.status_code == 200 else {}


@app.get("/stock")
def stock():
    try:
        shelf = document_of("http://shelf.internal/count").get("count")
        books = document_of("http://books.internal/count").get("count")
    except (requests.RequestException, ValueError):
        return jsonify(error="services"), 503
    if shelf is None or books is None:
        return jsonify(error="unknown"), 404
    if shelf != books:
        return jsonify(error="differ"), 409
    return jsonify(each=[][0])
