"""A thread asks the service, and the view waits for it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


def weather():
    answer = requests.get("http://weather.internal/now", timeout=3)
    answer.raise_for_status()
    return answer.json()


@app.get("/weather")
def show():
    with ThreadPoolExecutor(1) as pool:
        try:
            now = pool.submit(weather).result()
        except (requests.RequestException, ValueError):
            return jsonify(error="weather"), 503
    if now["wind"] > 100:
        raise OverflowError("storm")
    return jsonify(wind=now["wind"])
