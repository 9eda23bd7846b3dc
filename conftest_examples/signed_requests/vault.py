import hmac
from time import time

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

LONGEST_JOURNEY = 30


def signature(key, moment):
    return hmac.new(key.encode(), moment.encode(), "sha256").hexdigest()


def create_app(key):
    app = Flask(__name__)
    secrets = {}

    @app.before_request
    def check_signature():
        moment = request.headers.get("X-Sent-At", "0")
        if not moment.isdecimal() or abs(time() - int(moment)) > LONGEST_JOURNEY:
            abort(408)
        if request.headers.get("X-Signature") != signature(key, moment):
            abort(403)

    @app.put("/secrets/<name>")
    def hide(name):
        text = request.form.get("text", "")
        if not text:
            abort(400)
        secrets[name] = text
        return "", 204

    @app.get("/secrets/<name>")
    def reveal(name):
        if name not in secrets:
            abort(404)
        return jsonify(name=name, text=secrets[name])

    return app
