"""Reads with the standard library, and expects every user to be there."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from flask import Flask
from flask import jsonify

app = Flask(__name__)


@app.get("/users/<name>")
def user(name):
    try:
        with urllib.request.urlopen(f"http://people.internal/users/{name}", timeout=3) as answer:
            document = json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise LookupError(name) from error
        return jsonify(error="people"), 502
    except OSError:
        return jsonify(error="people"), 503
    return jsonify(name=document.get("name", name))
