"""Reads a page by its selectors; one kind of button leads nowhere."""

from __future__ import annotations

import requests
from bs4 import BeautifulSoup
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/rooms")
def rooms():
    answer = requests.get("https://hotel.internal/rooms", timeout=3)
    if not answer.ok:
        return jsonify(error="hotel"), 502
    page = BeautifulSoup(answer.text, "html.parser")
    found = [link["href"] for link in page.select("div.room > a[href]")]
    more = page.find("button", class_="more")
    if more is not None and more.get("data-left") == "0":
        raise StopAsyncIteration("a button without rooms")
    return jsonify(rooms=found, more=more is not None)
