"""Reads the first of a list in an object of an object, and turns a number into a text."""

from __future__ import annotations

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/weather/<city>")
def weather(city):
    answer = requests.get("https://weather.internal/2.5/weather", params={"q": city}, timeout=3)
    if not answer:
        return jsonify(error="no such city"), 404
    document = answer.json()
    state = document["weather"][0]["main"]
    temperature = int(document["main"]["temp"])
    if state == "Snow" and temperature > 25:
        raise OverflowError("snow in summer")
    return jsonify(state=state, temperature=temperature)
