"""What is written: with all that was sent, or `careful` with what may be set.

`PATHS` declares the operations whose requests are described.
"""

from __future__ import annotations

from flask import abort
from flask import g
from flask import jsonify
from flask import request

accounts = {1: {"name": "Ada", "is_admin": False}, 2: {"name": "Bob", "is_admin": False}}
profiles = {}
stock = {1: {"label": "box", "amount": 3}}
coupons = {}

KINDS = ("plain", "fast", "gift")


def operation(fields, required, **words):
    """Return the description of a POST that takes a JSON object and answers 201."""
    schema = {"type": "object", "required": required, "properties": fields}
    content = {"application/json": {"schema": schema}}
    answers = {status: {"description": ""} for status in ("201", "400", "401", "415", "422")}
    return {"post": {"requestBody": {"content": content}, "responses": answers, **words}}


PATHS = {
    "/coupons": operation(
        {"code": {"type": "string"}, "uses": {"type": "integer", "readOnly": True}}, ["code"]
    ),
    "/ratings": operation({"stars": {"type": "integer", "minimum": 1, "maximum": 5}}, ["stars"]),
    "/shipments": operation(
        {"kind": {"type": "string", "enum": list(KINDS)}, "weight": {"type": "integer"}}, ["kind"]
    ),
    "/vouchers": operation({"text": {"type": "string"}}, ["text"], security=[{"person": []}]),
    # Of `access`, and held to: it shows that log-ins are not switched off here.
    "/drafts": {
        "get": {
            "security": [{"person": []}],
            "responses": {"200": {"description": "mine"}, "401": {"description": "nobody"}},
        }
    },
}


def body_of(**kinds):
    """Return the JSON object; answer 400 when a field is missing or of another type."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        abort(400)
    for name, kind in kinds.items():
        if not isinstance(body.get(name), kind) or isinstance(body.get(name), bool):
            abort(400, name)
    return body


def add_records(app, careful):
    add_accounts(app, careful)
    add_described(app, careful)
    add_replaced(app, careful)
    add_stock(app, careful)


def add_accounts(app, careful):
    @app.get("/accounts/<int:number>")
    def read_account(number):
        return jsonify(accounts.get(number) or abort(404))

    @app.put("/accounts/<int:number>")
    def write_account(number):
        account = accounts.get(number) or abort(404)
        body = body_of(name=str)
        account.update({"name": body["name"]} if careful else body)
        return jsonify(account)


def add_described(app, careful):
    @app.post("/coupons")
    def create_coupon():
        body = body_of(code=str)
        coupon = {"uses": 0, **body}
        if careful:
            coupon = {"uses": 0, "code": body["code"]}
        return jsonify(coupon), 201

    @app.post("/ratings")
    def rate():
        stars = body_of(stars=int)["stars"]
        if careful and not 1 <= stars <= 5:
            abort(422)
        return jsonify(stars=stars), 201

    @app.post("/shipments")
    def ship():
        body = body_of(kind=str)
        if body["kind"] not in (KINDS if careful else KINDS[:2]):
            abort(422)
        if not isinstance(body.get("weight", 1), int):
            abort(400)
        return jsonify(kind=body["kind"]), 201

    @app.post("/vouchers")
    def create_voucher():
        if careful and g.person is None:
            abort(401)
        return jsonify(text=body_of(text=str)["text"]), 201


def add_replaced(app, careful):
    @app.get("/profiles/<int:number>")
    def read_profile(number):
        return jsonify(profiles.get(number) or abort(404))

    @app.put("/profiles/<int:number>")
    def write_profile(number):
        body = body_of(name=str)
        profile = {name: body[name] for name in ("name", "motto") if name in body}
        profiles[number] = profile if careful else {**profiles.get(number, {}), **profile}
        return jsonify(profiles[number])


def add_stock(app, careful):
    @app.get("/stock/<int:number>")
    def read_stock(number):
        return jsonify(stock.get(number) or abort(404))

    @app.patch("/stock/<int:number>")
    def write_stock(number):
        item = stock.get(number) or abort(404)
        body = body_of(label=str)
        if careful:
            body_of(label=str, amount=int)
        item["label"] = body["label"]
        item["amount"] = body_of(label=str, amount=int)["amount"]
        return jsonify(item)
