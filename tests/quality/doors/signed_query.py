"""A link is signed over path and sorted query, in base64 for addresses, with an expiry."""

from __future__ import annotations

import hashlib
import hmac
import time
from base64 import urlsafe_b64encode
from urllib.parse import urlencode

from flask import Flask
from flask import abort
from flask import current_app
from flask import request


def signature(path, given):
    message = f"{path}?{urlencode(sorted(given.items()))}".encode()
    digest = hmac.new(current_app.config["LINK_KEY"], message, hashlib.sha1).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


def create_app():
    app = Flask(__name__)
    app.config["LINK_KEY"] = b"\x07\x01slate"

    @app.get("/reports/<name>")
    def report(name):
        given = request.args.to_dict()
        sent = given.pop("sig", "")
        if not hmac.compare_digest(signature(request.path, given), sent):
            abort(403)
        if not given.get("expires", "").isdigit() or int(given["expires"]) < time.time():
            abort(410)
        if given.get("part") == "appendix":
            raise LookupError(name)  # goal
        return {"report": name}

    return app
