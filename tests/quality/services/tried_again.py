"""Fails only when the second try tells of a backlog."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

app = Flask(__name__)
session = requests.Session()
session.mount(
    "https://", HTTPAdapter(max_retries=Retry(2, status_forcelist=[503], backoff_factor=1))
)


@app.get("/queue")
def queue():
    try:
        answer = session.get("https://queue.internal/length", timeout=3)
    except requests.RequestException:
        return jsonify(error="queue"), 503
    if answer.status_code != 200:
        return jsonify(error="queue"), 503
    if len(answer.raw.retries.history) == 1:
        raise RuntimeError("late")
    return jsonify(length=answer.json()["length"])
