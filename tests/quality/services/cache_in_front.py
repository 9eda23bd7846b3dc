"""Keeps rates in a cache, and opens a circuit for all requests after failures."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)
rates = {}
failures = []


@app.get("/rates/<currency>")
def rate(currency):
    if len(failures) >= 2:
        if rates:
            raise StopIteration("old rates and an open circuit")
        return jsonify(error="open"), 503
    if currency not in rates:
        try:
            answer = requests.get(f"https://rates.internal/{currency}", timeout=3)
            answer.raise_for_status()
        except requests.RequestException:
            failures.append(currency)
            return jsonify(error="rates"), 502
        rates[currency] = answer.json()["rate"]
    return jsonify(rate=rates[currency])
