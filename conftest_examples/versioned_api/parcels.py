from time import time

from flask import Blueprint
from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

VERSIONS = ("2023-01-01", "2024-06-01")

admin = Blueprint("admin", __name__, url_prefix="/admin")


@admin.delete("/parcels")
def forget_everything():
    return "", 204


def create_app(find_address):
    app = Flask(__name__)
    app.register_blueprint(admin)
    parcels = {}

    @app.before_request
    def check_version():
        if request.headers.get("X-Api-Version") not in VERSIONS:
            abort(400, "say which version of the API you speak")

    @app.post("/parcels")
    def send():
        address = find_address(request.form.get("postcode", ""))
        if address is None:
            abort(422, "no such postcode")
        number = len(parcels) + 1
        parcels[number] = {"number": number, "to": address, "carrier": "c-81", "at": time()}
        return jsonify(parcels[number]), 201

    @app.get("/parcels/<int:number>")
    def track(number):
        if number not in parcels:
            abort(404)
        if request.headers["X-Api-Version"] == "2023-01-01":
            return jsonify(parcel=parcels[number])
        return jsonify(parcels[number])

    return app
