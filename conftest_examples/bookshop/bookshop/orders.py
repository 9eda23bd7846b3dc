"""/api/orders: buying a book, with discounts, and what becomes of the order."""

from __future__ import annotations

from flask import Blueprint
from flask import abort
from flask import jsonify
from flask import request

from bookshop import database

NEXT_STATUS = {"open": "paid", "paid": "shipped"}

blueprint = Blueprint("orders", __name__, url_prefix="/api/orders")


def discount_in_percent(code, quantity):
    """Read a discount code such as ``SAVE-15``; ten books or more are 5 % off anyway."""
    percent = 5 if quantity >= 10 else 0
    code = code.strip().upper()
    if code == "STUDENT":
        percent += 10
    elif code.startswith("SAVE"):
        percent += min(int(code.split("-")[1]), 50)
    elif code:
        abort(400, "unknown discount code")
    return percent


def find_order(order_id):
    return database.find("purchase", order_id) or abort(404, "no such order")


@blueprint.post("")
def create_order():
    body = request.get_json()
    if not isinstance(body, dict) or not isinstance(body.get("book_id"), int):
        abort(400, "book_id is required")
    quantity = body.get("quantity", 1)
    if not isinstance(quantity, int) or not 1 <= quantity <= 100:
        abort(400, "quantity must be from 1 to 100")
    book = database.find("book", body["book_id"])
    if book is None:
        abort(404, "no such book")
    if book["stock"] < quantity:
        return jsonify(error="not enough in stock", stock=book["stock"]), 409

    percent = discount_in_percent(str(body.get("discount", "")), quantity)
    total = book["price_in_cents"] * quantity * (100 - percent) // 100
    database.change("UPDATE book SET stock = stock - ? WHERE id = ?", quantity, book["id"])
    order_id = database.change(
        "INSERT INTO purchase (book_id, quantity, total_in_cents) VALUES (?, ?, ?)",
        book["id"],
        quantity,
        total,
    )
    return jsonify(dict(find_order(order_id))), 201


@blueprint.get("/<int:order_id>")
def show_order(order_id):
    return jsonify(dict(find_order(order_id)))


@blueprint.post("/<int:order_id>/advance")
def advance_order(order_id):
    order = find_order(order_id)
    if order["status"] not in NEXT_STATUS:
        abort(409, f"the order is {order['status']}")
    status = NEXT_STATUS[order["status"]]
    database.change("UPDATE purchase SET status = ? WHERE id = ?", status, order_id)
    return jsonify(dict(find_order(order_id)))


@blueprint.delete("/<int:order_id>")
def cancel_order(order_id):
    order = find_order(order_id)
    if order["status"] == "shipped":
        abort(409, "the order is on its way")
    database.change(
        "UPDATE book SET stock = stock + ? WHERE id = ?", order["quantity"], order["book_id"]
    )
    database.change("DELETE FROM purchase WHERE id = ?", order_id)
    return "", 204


@blueprint.get("/summary")
def summarise_orders():
    rows = database.connect().execute("SELECT total_in_cents FROM purchase").fetchall()
    totals = [row["total_in_cents"] for row in rows]
    return jsonify(orders=len(totals), revenue=sum(totals), average=sum(totals) / len(totals))
