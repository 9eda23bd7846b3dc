"""Coupons, reports and the pulse of the shop."""

from __future__ import annotations

import statistics

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue

from shop import database
from shop.carts import find_coupon
from shop.catalogue import require_admin
from shop.inputs import read_body
from shop.inputs import read_day
from shop.inputs import read_integer
from shop.inputs import read_text

blueprint = Blueprint("administration", __name__, url_prefix="/api")


@blueprint.post("/coupons")
def create_coupon() -> ResponseReturnValue:
    """Add a coupon."""
    require_admin()
    body = read_body()
    code = read_text(body, "code", 20).upper()
    if not code.isalnum():
        abort(422, "a code has letters and digits only")
    if find_coupon(code):
        abort(409, "the coupon exists")
    percent = read_integer(body, "percent", least=1, most=90)
    minimum = read_integer(body, "minimum") if "minimum" in body else 0
    until = None
    if body.get("until") is not None:
        until = read_day(body["until"], "until").isoformat()
    database.change("INSERT INTO coupon VALUES (?, ?, ?, ?)", code, percent, minimum, until)
    return jsonify(code=code, percent=percent, minimum=minimum, until=until), 201


@blueprint.get("/reports/sales")
def report_sales() -> Response:
    """Report the orders of a time."""
    require_admin()
    since = read_day(request.args.get("since", "2000-01-01"), "since")
    until = read_day(request.args.get("until", "2099-12-31"), "until")
    if since > until:
        abort(422, "since must not be after until")
    orders = database.rows(
        "SELECT total FROM purchase WHERE day BETWEEN ? AND ? AND status != 'cancelled'",
        since.isoformat(),
        until.isoformat(),
    )
    totals = [order["total"] for order in orders]
    if request.args.get("detail") == "median":
        return jsonify(median=statistics.median(totals))  # bug 13: no orders in that time
    return jsonify(orders=len(totals), revenue=sum(totals))


@blueprint.get("/health")
def health() -> Response:
    """Tell that the shop is open."""
    return jsonify(products=len(database.rows("SELECT 1 FROM product")))
