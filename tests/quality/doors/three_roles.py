"""Three roles, and a page that only one of them may see."""

from __future__ import annotations

from flask import Flask
from flask import g
from flask import request

RIGHTS = {"reader": 1, "editor": 2, "owner": 3}


def create_app():
    app = Flask(__name__)
    app.keys = {f"k{3**power}": role for power, role in zip((9, 10, 11), RIGHTS, strict=True)}

    @app.before_request
    def who():
        g.role = app.keys.get(request.headers.get("X-Role-Key", ""))
        if g.role is None:
            return {"error": "key"}, 401
        return None

    @app.get("/pages")
    def pages():
        return {"role": g.role}

    @app.delete("/pages/<int:number>")
    def remove(number):
        if RIGHTS[g.role] < 3:
            return {"error": "owners only"}, 403
        if number > 70:
            raise LookupError(number)  # goal
        return {"removed": number}

    return app
