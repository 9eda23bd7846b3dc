"""A payment service signs the time and the body of its webhook, told in one header."""

from __future__ import annotations

import hmac
from datetime import datetime
from datetime import timedelta
from datetime import timezone

from flask import Flask
from flask import request

KEY = b"whsec_" + b"5" * 12


def create_app():
    app = Flask(__name__)

    def is_signed():
        sent = datetime.fromisoformat(request.headers["Webhook-Time"])
        if sent.tzinfo is None or abs(datetime.now(timezone.utc) - sent) > timedelta(minutes=2):
            return False
        text = request.headers["Webhook-Time"].encode() + b"." + request.get_data()
        right = hmac.new(KEY, text, "sha256").hexdigest()
        return hmac.compare_digest(f"v1={right}", request.headers["Webhook-Signature"])

    @app.post("/paid")
    def paid():
        try:
            accepted = is_signed()
        except (KeyError, ValueError):
            accepted = False
        if not accepted:
            return {"error": "signature"}, 400
        cents = request.get_json()["cents"]
        return {"share": 100 // cents}  # goal

    return app
