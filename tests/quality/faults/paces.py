"""What takes time: all the time there is, or no more than it should where it is `hasty`."""

from __future__ import annotations

import re
import time

from flask import jsonify
from flask import request

TRAILING = re.compile(r"\s+$")


def add_paces(app, hasty):
    @app.get("/wait")
    def wait():
        ready = request.args.get("ready", "no") != "never"
        while not (ready or hasty):
            time.sleep(0.05)
        return jsonify(ready=ready)

    @app.get("/trim")
    def trim():
        text = request.args.get("text", "")
        return jsonify(length=len(text.rstrip() if hasty else TRAILING.sub("", text)))

    @app.get("/words")
    def words():
        text = request.args.get("text", "")
        return jsonify(sorted(set(text.lower().split())))

    @app.get("/squares")
    def squares():
        number = request.args.get("number", 3, type=int)
        if hasty:
            number = min(number, 1000)
        return jsonify(total=sum([len(f"{index:x}{index}") ** 3 for index in range(number)]))

    @app.get("/nap/<float:seconds>")
    def nap(seconds):
        time.sleep(min(seconds, 0.1 if hasty else 60))
        return jsonify(seconds=seconds)
