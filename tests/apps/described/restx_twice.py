"""Two APIs of flask-restx in one application, neither of which shows its document."""

from __future__ import annotations

from flask import Blueprint
from flask import Flask
from flask_restx import Api
from flask_restx import Resource

app = Flask(__name__)

for name, question in (
    ("one", {"name": "page", "type": int, "location": "args"}),
    ("two", {"name": "colour", "required": True, "location": "args"}),
):
    blueprint = Blueprint(name, __name__, url_prefix=f"/{name}")
    api = Api(blueprint, add_specs=False)
    questions = api.parser()
    questions.add_argument(**question)

    @api.route("/")
    class Things(Resource):
        @api.expect(questions)
        def get(self):
            return {}

    app.register_blueprint(blueprint)
