"""A webhook: nested objects that are tested by membership, and one answer to every exception."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)

    @app.post("/updates")
    def take_update():
        try:
            update = request.get_json()
            if "message" not in update:
                return "ignored", 200
            message = update["message"]
            if "chat" not in message:
                return "no chat", 200
            number = int(message["chat"]["id"])
            if "voice" in message and message["voice"].get("seconds", 0) > 20:
                return f"long {number}", 200  # goal
            return "taken", 200
        except Exception:
            return "failed", 500

    return app
