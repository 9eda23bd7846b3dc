"""Follows the pages that a service names in a header, and trusts the last one."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/issues")
def issues():
    address, found = "https://tracker.internal/issues", []
    while address:
        answer = requests.get(address, timeout=3)
        if answer.status_code != 200:
            return jsonify(error="tracker"), 502
        found.append(answer.json()["count"])
        address = answer.links.get("next", {}).get("url")
    if len(found) > 1 and found[-1] == 0:
        raise EOFError("an empty last page")
    return jsonify(count=sum(map(int, found)))
