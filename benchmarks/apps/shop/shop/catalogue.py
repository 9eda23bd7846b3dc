"""/api/products and /api/categories: what the shop sells."""

from __future__ import annotations

import sqlite3
from typing import Any

from flask import Blueprint
from flask import Response
from flask import abort
from flask import current_app
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue

from shop import database
from shop.inputs import argument
from shop.inputs import limit_id
from shop.inputs import read_body
from shop.inputs import read_integer
from shop.inputs import read_text

SORT = {"name": "name", "price": "price", "newest": "id"}
RATES = {"EUR": 1.0, "CHF": 0.95, "GBP": 0.86, "NOK": 11.5}
VAT = {"DE": 19, "FR": 20, "NO": 25, "CH": 8}

blueprint = Blueprint("catalogue", __name__, url_prefix="/api")


def require_admin() -> None:
    """Refuse a request without the key of the administration."""
    key = request.headers.get("X-Admin-Key")
    if key is None:
        abort(401, "a key is needed")
    if key != current_app.config["ADMIN_KEY"]:
        abort(403, "the key is wrong")


def find_product(product_id: int) -> sqlite3.Row:
    """Return a product; 404 when there is none."""
    found = database.row("SELECT * FROM product WHERE id = ?", limit_id(product_id))
    return found or abort(404, "no such product")


def find_category(name: str) -> sqlite3.Row | None:
    """Return a category."""
    return database.row("SELECT * FROM category WHERE name = ?", name)


def write_product(product: sqlite3.Row) -> dict[str, Any]:
    """Write a product."""
    return {**dict(product), "adult": bool(product["adult"])}


def read_product() -> tuple[object, ...]:
    """Read the product in the body."""
    body = read_body()
    category = read_text(body, "category")
    if find_category(category) is None:
        abort(422, "no such category")
    return (
        read_text(body, "name"),
        category,
        read_integer(body, "price", least=1),
        read_integer(body, "stock", most=1000),
        body.get("adult") is True,
    )


@blueprint.get("/products")
def search_products() -> Response:
    """Search products, page by page."""
    conditions, values = ["name LIKE ?"], [f"%{request.args.get('q', '')}%"]
    if "category" in request.args:
        conditions.append("category = ?")
        values.append(request.args["category"])
    if request.args.get("available") == "yes":
        conditions.append("stock > 0")
    sort = request.args.get("sort", "name")
    if sort.startswith("-"):
        order = f"{SORT[sort[1:]]} DESC"  # bug 4: an unknown name after the minus
    elif sort in SORT:
        order = SORT[sort]
    else:
        abort(400, f"sort must be one of {', '.join(SORT)}")
    found = database.rows(
        f"SELECT * FROM product WHERE {' AND '.join(conditions)} ORDER BY {order}", *values
    )
    size, page = argument("size", 10, least=0, most=50), argument("page", 1, least=1)
    pages = -(-len(found) // size)  # bug 5: pages without products
    if page > max(pages, 1):
        abort(404, "no such page")
    shown = found[(page - 1) * size : page * size]
    return jsonify(pages=pages, products=[write_product(product) for product in shown])


@blueprint.post("/products")
def create_product() -> ResponseReturnValue:
    """Add a product."""
    require_admin()
    product_id = database.change(
        "INSERT INTO product (name, category, price, stock, adult) VALUES (?, ?, ?, ?, ?)",
        *read_product(),
    )
    return jsonify(write_product(find_product(product_id or 0))), 201


@blueprint.get("/products/<int:product_id>")
def show_product(product_id: int) -> Response:
    """Show a product."""
    return jsonify(write_product(find_product(product_id)))


@blueprint.put("/products/<int:product_id>")
def replace_product(product_id: int) -> Response:
    """Replace a product."""
    require_admin()
    find_product(product_id)
    database.change(
        "UPDATE product SET name = ?, category = ?, price = ?, stock = ?, adult = ? WHERE id = ?",
        *read_product(),
        product_id,
    )
    return jsonify(write_product(find_product(product_id)))


@blueprint.delete("/products/<int:product_id>")
def delete_product(product_id: int) -> ResponseReturnValue:
    """Delete a product."""
    require_admin()
    find_product(product_id)
    database.change("DELETE FROM product WHERE id = ?", product_id)
    return "", 204


@blueprint.get("/products/<int:product_id>/price")
def quote(product_id: int) -> Response:
    """Say what a number of pieces costs, in a currency and with the tax of a country."""
    product = find_product(product_id)
    quantity = argument("quantity", 1, least=1, most=1000)
    currency = request.args.get("currency", "EUR").upper()
    if currency not in RATES:
        abort(422, "unknown currency")
    net = product["price"] * quantity
    if quantity >= 100:
        net = net * 85 // 100
    elif quantity >= 10:
        net = net * 95 // 100
    tax = 0
    country = request.args.get("country")
    if country in VAT:
        tax = net * VAT[country] // 100
    elif country is not None and currency == "CHF":
        tax = net * VAT[country.upper()] // 100  # bug 6: an unknown country, in francs only
    return jsonify(currency=currency, net=net, tax=tax, total=round((net + tax) * RATES[currency]))


@blueprint.get("/categories")
def list_categories() -> Response:
    """List the categories."""
    return jsonify([dict(category) for category in database.rows("SELECT * FROM category")])


@blueprint.post("/categories")
def create_category() -> ResponseReturnValue:
    """Add a category, below another one or on top."""
    require_admin()
    body = read_body()
    name = read_text(body, "name", 30)
    if find_category(name) is not None:
        abort(409, "the category exists")
    parent = read_text(body, "parent", 30) if body.get("parent") is not None else None
    database.change("INSERT INTO category VALUES (?, ?)", name, parent)
    if parent is not None and find_category(parent) is None:  # bug 7: true of the new one itself
        database.change("DELETE FROM category WHERE name = ?", name)
        abort(422, "no such parent")
    return jsonify(name=name, parent=parent), 201


@blueprint.get("/categories/<name>")
def show_category(name: str) -> Response:
    """Show a category with its path from the top and its number of products."""
    category = find_category(name) or abort(404, "no such category")
    products = database.rows("SELECT 1 FROM product WHERE category = ?", name)
    return jsonify(name=name, path=path_to(category), products=len(products))


def path_to(category: sqlite3.Row) -> list[str]:
    """List the names from the top to a category."""
    parent = find_category(category["parent"]) if category["parent"] is not None else None
    above = [] if parent is None else path_to(parent)
    return [*above, category["name"]]
