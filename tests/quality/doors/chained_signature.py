"""The key of a signature is made of date and region; it stands in a header with a grammar."""

from __future__ import annotations

import hashlib
import hmac
import re

from flask import Flask
from flask import current_app
from flask import request

SCOPE = re.compile(r"CRATE4 Credential=([^/]+)/(\d{8})/([^/]+)/crates, Signature=([0-9a-f]+)")


def keyed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def is_signed(header):
    found = SCOPE.fullmatch(header)
    if found is None:
        return False
    owner, day, region, signature = found.groups()
    secret = current_app.config["CRATE_KEYS"].get(owner)
    if secret is None or not request.headers.get("X-Crate-Date", "").startswith(day):
        return False
    body = hashlib.sha256(request.get_data()).hexdigest()
    message = "\n".join((request.method, request.path, request.headers["X-Crate-Date"], body))
    key = keyed(keyed(keyed(secret.encode(), day), region), "crates")
    return hmac.compare_digest(keyed(key, message).hex(), signature)


def create_app():
    app = Flask(__name__)
    app.config["CRATE_KEYS"] = {f"CK{61 * 17}": f"s{113 * 7}"}

    @app.before_request
    def check():
        if not is_signed(request.headers.get("Authorization", "")):
            return "not signed", 403
        return None

    @app.get("/crates/<int:number>")
    def crate(number):
        if number > 30:
            raise LookupError(number)  # goal
        return {"crate": number}

    return app
