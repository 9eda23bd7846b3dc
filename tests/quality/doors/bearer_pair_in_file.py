"""A token of a key pair (PS256); a setting names the file with the private key."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Flask
from flask import request


def create_app():
    app = Flask(__name__)
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    app.config["KEY_FILE"] = str(Path(folder, "private.pem"))
    Path(app.config["KEY_FILE"]).write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    public = private.public_key()

    @app.get("/aisles/<int:number>")
    def aisle(number):
        try:
            claims = jwt.decode(request.args.get("ticket", ""), public, algorithms=["PS256"])
        except jwt.InvalidTokenError:
            return {"error": "ticket"}, 401
        if "aisles" not in claims.get("scope", "").split():
            return {"error": "scope"}, 403
        if number > 9:
            raise LookupError(number)  # goal
        return {"aisle": number}

    return app
