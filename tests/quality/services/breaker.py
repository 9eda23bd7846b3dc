"""Opens a circuit after two failures in one request."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


class CircuitOpenError(Exception):
    """The service has failed too often."""


@app.get("/status")
def status():
    failures = 0
    for _attempt in range(3):
        try:
            answer = requests.get("http://core.internal/health", timeout=1)
        except requests.RequestException:
            failures += 1
            continue
        if answer.status_code == 200:
            if failures:
                raise CircuitOpenError(failures)
            return jsonify(ok=True)
        failures += 1
    return jsonify(ok=False), 503
