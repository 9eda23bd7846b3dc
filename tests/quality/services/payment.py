"""Pays, and does not know all states of a payment."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify
from flask import request

app = Flask(__name__)
STATES = {"paid": 201, "pending": 202}


@app.post("/payments")
def pay():
    amount = int(request.json["amount"])
    if amount <= 0:
        return jsonify(error="amount"), 400
    try:
        answer = requests.post("https://pay.internal/v1", json={"amount": amount}, timeout=3)
        answer.raise_for_status()
    except requests.RequestException:
        return jsonify(error="later"), 503
    state = answer.json()["state"]
    if state == "disputed":
        raise PermissionError(state)
    return jsonify(state=state), STATES.get(state, 200)
