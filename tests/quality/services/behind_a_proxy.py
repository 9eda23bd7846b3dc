"""Asks through a proxy."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)
PROXIES = {"https": "http://proxy.internal:3128"}


@app.get("/rate")
def rate():
    try:
        answer = requests.get("https://bank.internal/rate", proxies=PROXIES, timeout=3)
        answer.raise_for_status()
        found = answer.json()["rate"]
    except (requests.RequestException, ValueError, KeyError):
        return jsonify(error="bank"), 503
    return jsonify(per_unit=1 / float(found))
