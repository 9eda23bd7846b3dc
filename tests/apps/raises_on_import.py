"""Cannot be imported."""

from __future__ import annotations

from flask import Flask

app = Flask(__name__)
raise RuntimeError("no secret key in the environment,\nset SECRET_KEY")
