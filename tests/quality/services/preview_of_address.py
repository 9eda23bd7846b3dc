"""The caller names the page that is asked for."""

from __future__ import annotations

import requests
from flask import Flask
from flask import request

app = Flask(__name__)


@app.post("/previews")
def preview():
    page = requests.get(request.form["address"], timeout=3)
    if page.status_code == 404:
        return {"error": "no such page"}, 404
    title = page.json()["title"]
    if not title:
        raise BlockingIOError("a page without a title")
    return {"title": title}, 201
