"""A service tells which page is shown."""

from __future__ import annotations

import requests
from flask import Flask
from flask import render_template_string

app = Flask(__name__)
PAGES = {"plain": "<p>{{ name }}</p>", "gold": "<b>{{ name.missing.title }}</b>"}


@app.get("/card/<name>")
def card(name):
    answer = requests.get("http://cards.internal/kind", timeout=3)
    if answer.status_code != 200:
        return "no card", 502
    kind = answer.json().get("kind", "plain")
    if kind not in PAGES:
        return "no page", 404
    return render_template_string(PAGES[kind], name=name)
