"""A file with a name, of an ending that no list of endings would guess."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import request
from werkzeug.utils import secure_filename

ALLOWED_ENDINGS = {"dcm", "nii"}


def is_allowed(name):
    """Say whether a file may be stored: the check of Flask's own documentation."""
    return "." in name and name.rsplit(".", 1)[1].lower() in ALLOWED_ENDINGS


def create_app():
    app = Flask(__name__)

    @app.post("/scans")
    def upload():
        """Store a scan."""
        if "scan" not in request.files:
            return redirect("/missing")
        scan = request.files["scan"]
        if scan.filename == "":
            return redirect("/nothing-chosen")
        if scan and is_allowed(scan.filename):
            return {"stored": secure_filename(scan.filename)}, 201  # goal
        return redirect("/refused")

    return app
