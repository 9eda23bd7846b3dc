"""Reads the entries of a feed in XML; one state comes with a price only."""

from __future__ import annotations

from xml.etree import ElementTree

import requests
from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/offers")
def offers():
    answer = requests.get("http://feed.internal/offers.xml", timeout=3)
    if answer.status_code != 200:
        return jsonify(error="feed"), 502
    root = ElementTree.fromstring(answer.content)
    found = {}
    for entry in root.findall("channel/item"):
        state = entry.get("state")
        if state is None:
            continue
        price = int(entry.findtext("price"))
        if state == "sold" and price > 0:
            raise ArithmeticError("sold, with a price")
        found[entry.findtext("title")] = price
    return jsonify(found)
