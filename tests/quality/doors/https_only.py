"""Every request that did not come by https, as a layer in front says, is sent there; then a key."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request
from werkzeug.middleware.proxy_fix import ProxyFix


def create_app():
    app = Flask(__name__)
    app.wsgi_app = ProxyFix(app.wsgi_app, x_proto=1)
    app.config["TIDE_KEY"] = str(7**17)

    @app.before_request
    def by_https():
        if not request.is_secure:
            return redirect(request.url.replace("http://", "https://", 1), code=301)
        return None

    @app.get("/tides/<int:number>")
    def tides(number):
        if request.headers.get("X-Tide-Key") != app.config["TIDE_KEY"]:
            return {"error": "key"}, 401
        if number > 40:
            raise LookupError(number)  # goal
        return {"tide": number}

    return app
