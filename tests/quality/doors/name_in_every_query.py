"""Name and password in every query; a hook refuses with status 200, and hashes stand in rows."""

from __future__ import annotations

import hashlib
import os
import sqlite3

from flask import Flask
from flask import g
from flask import jsonify
from flask import request

rows = sqlite3.connect(":memory:", check_same_thread=False)
rows.execute("CREATE TABLE listener (name TEXT, salt TEXT, digest TEXT)")
for name in ("alma", "bert"):
    salt = os.urandom(4).hex()
    digest = hashlib.sha1(os.urandom(9)).hexdigest()
    rows.execute("INSERT INTO listener VALUES (?, ?, ?)", (name, salt, digest))
rows.commit()


def failed(code, text):
    return jsonify({"state": "failed", "code": code, "text": text})


def create_app():
    app = Flask(__name__)

    @app.before_request
    def check():
        if "u" not in request.args or "p" not in request.args:
            return failed(10, "something is missing")
        query = "SELECT name, salt, digest FROM listener WHERE name = ?"
        g.who = rows.execute(query, (request.args["u"],)).fetchone()
        sent = request.args["p"]
        if g.who is None or hashlib.sha1((g.who[1] + sent).encode()).hexdigest() != g.who[2]:
            return failed(40, "wrong name or password")
        if "c" not in request.args:
            return failed(10, "no client")
        return None

    @app.get("/rest/ping")
    def ping():
        return jsonify({"state": "fine"})

    @app.get("/rest/songs")
    def songs():
        if request.args.get("most", 3, type=int) > 40:
            raise OverflowError("most")  # goal
        return jsonify({"state": "fine", "songs": ["rain", "snow"]})

    @app.get("/rest/stations")
    def stations():
        return jsonify({"state": "fine", "stations": []})

    @app.get("/rest/people")
    def people():
        return jsonify({"state": "fine", "who": g.who[0]})

    return app
