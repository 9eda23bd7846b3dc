"""/api/cart: what somebody is about to buy."""

from __future__ import annotations

import sqlite3
from datetime import date

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask.typing import ResponseReturnValue

from shop import database
from shop.accounts import find_account
from shop.accounts import is_adult
from shop.accounts import require_account
from shop.catalogue import find_product
from shop.inputs import limit_id
from shop.inputs import read_body
from shop.inputs import read_integer
from shop.inputs import read_text

blueprint = Blueprint("carts", __name__, url_prefix="/api/cart")


def find_coupon(code: str) -> sqlite3.Row | None:
    """Return a coupon by its code."""
    return database.row("SELECT * FROM coupon WHERE code = ?", code)


def read_lines(account_id: int) -> list[dict[str, object]]:
    """Return the lines of a cart, each a product and a quantity."""
    lines: list[dict[str, object]] = []
    for line in database.rows("SELECT * FROM cart WHERE account_id = ?", account_id):
        product = database.row("SELECT * FROM product WHERE id = ?", line["product_id"])
        name, price = product["name"], product["price"]  # type: ignore[index]  # bug 9: deleted
        lines.append(
            {
                "product_id": line["product_id"],
                "name": name,
                "price": price,
                "quantity": line["quantity"],
            }
        )
    return lines


def add_up(lines: list[dict[str, object]]) -> int:
    """Return what the lines of a cart cost."""
    return sum(int(str(line["price"])) * int(str(line["quantity"])) for line in lines)


def discount(account_id: int, total: int) -> int:
    """Return what the coupon in the cart takes off."""
    chosen = database.row("SELECT code FROM cart_coupon WHERE account_id = ?", account_id)
    coupon = None if chosen is None else find_coupon(chosen["code"])
    if coupon is None or total < coupon["minimum"]:
        return 0
    return int(total * coupon["percent"] // 100)


@blueprint.get("")
def show_cart() -> Response:
    """Show one's cart."""
    account_id = require_account()
    lines = read_lines(account_id)
    total = add_up(lines)
    return jsonify(lines=lines, total=total, discount=discount(account_id, total))


@blueprint.put("/<int:product_id>")
def put_into_cart(product_id: int) -> ResponseReturnValue:
    """Put a product into one's cart, or change its quantity."""
    account_id = require_account()
    product = find_product(product_id)
    quantity = read_integer(read_body(), "quantity", least=1, most=100)
    if product["adult"] and not is_adult(find_account(account_id)):
        abort(403, "for adults only")
    if quantity > product["stock"]:
        abort(409, f"only {product['stock']} left")
    database.change(
        "INSERT OR REPLACE INTO cart VALUES (?, ?, ?)", account_id, product_id, quantity
    )
    return "", 204


@blueprint.delete("/<int:product_id>")
def take_out_of_cart(product_id: int) -> ResponseReturnValue:
    """Take a product out of one's cart."""
    account_id = require_account()
    line = (account_id, limit_id(product_id))
    if not database.row("SELECT 1 FROM cart WHERE account_id = ? AND product_id = ?", *line):
        abort(404, "it is not in the cart")
    database.change("DELETE FROM cart WHERE account_id = ? AND product_id = ?", *line)
    return "", 204


@blueprint.post("/coupon")
def use_coupon() -> Response:
    """Use a coupon for this cart."""
    account_id = require_account()
    code = read_text(read_body(), "code", 20).upper()
    coupon = find_coupon(code)
    if coupon is None:
        abort(404, "no such coupon")
    if date.fromisoformat(coupon["until"]) < date.today():  # bug 10: a coupon without an end
        abort(409, "the coupon has expired")
    database.change("INSERT OR REPLACE INTO cart_coupon VALUES (?, ?)", account_id, code)
    return jsonify(code=code, percent=coupon["percent"])
