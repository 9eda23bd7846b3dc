"""Serves an OpenAPI document, among pages that only look like one."""

from __future__ import annotations

from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/apidocs")
def page():
    return "<html>swagger</html>"


@app.get("/swagger/config.json")
def configuration():
    return jsonify(url="/v2/openapi.json")


@app.get("/v2/openapi.json")
def document():
    return jsonify(openapi="3.0.3", info={"title": "documented", "version": "1"}, paths={})
