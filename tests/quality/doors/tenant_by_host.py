"""A tenant by the first label of the host, then a key of that tenant."""

from __future__ import annotations

from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    app.tenants = {"alder": {"key": "a" + str(5**8)}, "beech": {"key": "b" + str(5**9)}}

    @app.get("/trees/<int:number>")
    def tree(number):
        found = app.tenants.get(request.host.partition(":")[0].split(".")[0])
        if found is None:
            return {"error": "tenant"}, 404
        if request.headers.get("X-Tenant-Key") != found["key"]:
            return {"error": "key"}, 401
        if number > 31:
            raise LookupError(number)  # goal
        return {"tree": number}

    return app
