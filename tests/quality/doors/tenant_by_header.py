"""A tenant by its header, then a key of that tenant."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request


def create_app():
    app = Flask(__name__)
    app.tenants = {"north": {"key": "n" + str(5**6)}, "south": {"key": "s" + str(5**7)}}

    def tenant():
        found = app.tenants.get(request.headers.get("X-Tenant", ""))
        if found is None:
            abort(404)
        if request.headers.get("X-Tenant-Key") != found["key"]:
            abort(401)
        return found

    @app.get("/invoices/<int:number>")
    def invoice(number):
        tenant()
        if number > 31:
            raise LookupError(number)  # goal
        return {"invoice": number}

    return app
