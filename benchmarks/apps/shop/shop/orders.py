"""/api/orders: from the cart to the door and back."""

from __future__ import annotations

import sqlite3
from datetime import date

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue

from shop import database
from shop.accounts import require_account
from shop.carts import add_up
from shop.carts import discount
from shop.carts import read_lines
from shop.inputs import limit_id
from shop.inputs import read_body
from shop.inputs import read_text

SHIPPING = {"DE": 400, "FR": 900, "NO": 1500, "CH": 1500}
FREE_SHIPPING = 10_000

blueprint = Blueprint("orders", __name__, url_prefix="/api/orders")


def find_order(order_id: int) -> sqlite3.Row:
    """Return one's own order; 404 for that of somebody else, too."""
    account_id = require_account()
    order = database.row("SELECT * FROM purchase WHERE id = ?", limit_id(order_id))
    if order is None or order["account_id"] != account_id:
        abort(404, "no such order")
    return order


def set_status(order_id: int, status: str) -> Response:
    """Change the status of an order and answer with the order."""
    database.change("UPDATE purchase SET status = ? WHERE id = ?", status, order_id)
    return jsonify(dict(find_order(order_id)))


def return_to_stock(order_id: int) -> None:
    """Put what was ordered back on the shelf."""
    for line in database.rows("SELECT * FROM purchase_line WHERE purchase_id = ?", order_id):
        database.change(
            "UPDATE product SET stock = stock + ? WHERE id = ?",
            line["quantity"],
            line["product_id"],
        )


def is_card_number(number: str) -> bool:
    """Check the last digit of a card number (Luhn)."""
    if not number.isascii() or not number.isdigit() or not 12 <= len(number) <= 19:
        return False
    total = 0
    for place, digit in enumerate(reversed(number)):
        value = int(digit)
        if place % 2 == 1:
            value *= 2
            if value > 9:
                value -= 9
        total += value
    return total % 10 == 0


@blueprint.post("")
def create_order() -> ResponseReturnValue:
    """Order what is in the cart."""
    account_id = require_account()
    body = read_body()
    country = read_text(body, "country", 2).upper()
    if country not in SHIPPING:
        abort(422, "we do not deliver there")
    lines = read_lines(account_id)
    if not lines:
        abort(409, "the cart is empty")
    total = add_up(lines)
    total -= discount(account_id, total)
    shipping = 0 if total >= FREE_SHIPPING else SHIPPING[country]
    if body.get("express") is True:
        shipping = shipping * 2 + 300
    order_id = database.change(
        "INSERT INTO purchase (account_id, status, total, shipping, country, day)"
        " VALUES (?, 'open', ?, ?, ?, ?)",
        account_id,
        total,
        shipping,
        country,
        date.today().isoformat(),
    )
    for line in lines:
        database.change(
            "INSERT INTO purchase_line VALUES (?, ?, ?, ?, ?)",
            order_id,
            line["product_id"],
            line["name"],
            line["price"],
            line["quantity"],
        )
        database.change(
            "UPDATE product SET stock = stock - ? WHERE id = ?",
            line["quantity"],
            line["product_id"],
        )
    database.change("DELETE FROM cart WHERE account_id = ?", account_id)
    database.change("DELETE FROM cart_coupon WHERE account_id = ?", account_id)
    return jsonify(dict(find_order(order_id or 0))), 201


@blueprint.get("")
def list_orders() -> Response:
    """List one's orders, all or those of a status."""
    account_id = require_account()
    found = database.rows("SELECT * FROM purchase WHERE account_id = ?", account_id)
    status = request.args.get("status")
    return jsonify([dict(order) for order in found if status in (None, order["status"])])


@blueprint.get("/<int:order_id>")
def show_order(order_id: int) -> Response:
    """Show an order."""
    return jsonify(dict(find_order(order_id)))


@blueprint.post("/<int:order_id>/pay")
def pay(order_id: int) -> Response:
    """Pay an order by card."""
    order = find_order(order_id)
    body = read_body()
    if order["status"] != "open":
        abort(409, f"the order is {order['status']}")
    number = read_text(body, "card", 30).replace(" ", "")
    if not is_card_number(number):
        abort(422, "the card number is not valid")
    month, slash, year = read_text(body, "expires", 7).partition("/")
    if not slash or not month.isdecimal() or not year.isdecimal():
        abort(422, "a card expires like 12/2030")
    end = date(int(year), int(month), 1)  # bug 11: months from 13 and the year 0
    if end < date.today().replace(day=1):
        abort(422, "the card has expired")
    return set_status(order_id, "paid")


@blueprint.post("/<int:order_id>/cancel")
def cancel(order_id: int) -> Response:
    """Cancel an order that is not paid."""
    order = find_order(order_id)
    if order["status"] != "open":
        abort(409, f"the order is {order['status']}")
    return_to_stock(order_id)
    return set_status(order_id, "cancelled")


@blueprint.post("/<int:order_id>/return")
def send_back(order_id: int) -> Response:
    """Return an order that is paid."""
    order = find_order(order_id)
    reason = read_text(read_body(), "reason", 200)
    if order["status"] != "paid":
        abort(409, f"the order is {order['status']}")
    return_to_stock(order_id)
    if reason.lower().startswith("broken"):
        refund = order["total"] + order["shipping"]
    else:
        refund = order["total"]
    database.change("DELETE FROM purchase_line WHERE purchase_id = ?", order_id)
    database.change("UPDATE purchase SET total = total - ? WHERE id = ?", refund, order_id)
    return set_status(order_id, "returned")


@blueprint.get("/<int:order_id>/invoice")
def write_invoice(order_id: int) -> ResponseReturnValue:
    """Write the invoice of an order, as text or JSON."""
    order = find_order(order_id)
    if order["status"] == "open":
        abort(409, "the order is not paid")
    lines = database.rows("SELECT * FROM purchase_line WHERE purchase_id = ?", order_id)
    before = sum(line["price"] * line["quantity"] for line in lines)
    percent = 100 - 100 * order["total"] // before  # bug 12: what was returned has no lines
    if request.args.get("format") == "text":
        text = [f"{line['quantity']} {line['name']} {line['price']}" for line in lines]
        if percent > 0:
            text.append(f"discount {percent} %")
        text.append(f"total {order['total'] + order['shipping']}")
        return "\n".join(text), {"Content-Type": "text/plain"}
    return jsonify(lines=[dict(line) for line in lines], percent=percent, total=order["total"])
