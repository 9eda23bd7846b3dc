"""Reads its requests in every way that Flask offers."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request

app = Flask(__name__)


@app.get("/query")
def query():
    page = request.args.get("page", 1, type=int)
    tags = request.args.getlist("tag")
    flag = "flag" in request.args
    return jsonify(page=page, tags=tags, flag=flag, needed=request.args["needed"])


@app.post("/form")
def form():
    upload = request.files.get("upload")
    return jsonify(
        name=request.form["name"],
        size=len(upload.read()) if upload else None,
        either=request.values.get("either"),
    )


@app.post("/json")
def json():
    data = request.get_json()
    city = data["user"]["address"].get("city", "nowhere")
    first = data["items"][0]["sku"] if "items" in data else None
    return jsonify(city=city, first=first, count=len(data), kind=type(data).__name__)


@app.post("/splat")
def splat():
    return jsonify(**request.json, merged={**request.json}, listed=sorted(dict(request.json)))


@app.get("/headers")
def headers():
    return jsonify(
        key=request.headers.get("X-Api-Key"),
        theme=request.cookies.get("theme", "light"),
        user=request.authorization.username if request.authorization else None,
    )


@app.post("/text")
def text():
    return request.get_data(as_text=True).upper()


@app.get("/nothing")
def nothing():
    return "nothing"
