"""/api/books: what the shop sells."""

from __future__ import annotations

from flask import Blueprint
from flask import abort
from flask import jsonify
from flask import request

from bookshop import database

GENRES = ("novel", "horror", "essay", "poetry")
ORDERS = {"title": "title", "price": "price_in_cents", "newest": "id DESC"}

blueprint = Blueprint("books", __name__, url_prefix="/api/books")


def read_book():
    """Read and check the book in the body."""
    body = request.get_json()
    if not isinstance(body, dict):
        abort(400, "a book is an object")
    for name in ("title", "author"):
        if not isinstance(body.get(name), str) or not body[name].strip():
            abort(400, f"{name} is required")
    if body.get("genre", "novel") not in GENRES:
        abort(400, f"genre must be one of {', '.join(GENRES)}")
    for name in ("price_in_cents", "stock"):
        number = body.get(name, 0)
        if not isinstance(number, int) or not 0 <= number <= 1_000_000:
            abort(400, f"{name} must be a whole number from 0 to 1000000")
    return (
        body["title"].strip(),
        body["author"].strip(),
        body.get("genre", "novel"),
        body.get("price_in_cents", 0),
        body.get("stock", 0),
    )


def find_book(book_id):
    return database.find("book", book_id) or abort(404, "no such book")


@blueprint.get("")
def search_books():
    order = request.args.get("order", "title")
    if order not in ORDERS:
        abort(400, f"order must be one of {', '.join(ORDERS)}")
    conditions, values = ["title LIKE ?"], [f"%{request.args.get('q', '')}%"]
    if "genre" in request.args:
        conditions.append("genre = ?")
        values.append(request.args["genre"])
    cheapest = request.args.get("max_price", type=int)
    if cheapest is not None:
        conditions.append("price_in_cents <= ?")
        values.append(min(cheapest, 1_000_000))
    if request.args.get("in_stock") == "yes":
        conditions.append("stock > 0")
    rows = database.connect().execute(
        f"SELECT * FROM book WHERE {' AND '.join(conditions)} ORDER BY {ORDERS[order]}", values
    )
    return jsonify([dict(row) for row in rows])


@blueprint.post("")
def create_book():
    book_id = database.change(
        "INSERT INTO book (title, author, genre, price_in_cents, stock) VALUES (?, ?, ?, ?, ?)",
        *read_book(),
    )
    return jsonify(dict(find_book(book_id))), 201


@blueprint.get("/<int:book_id>")
def show_book(book_id):
    return jsonify(dict(find_book(book_id)))


@blueprint.put("/<int:book_id>")
def replace_book(book_id):
    find_book(book_id)
    database.change(
        "UPDATE book SET title = ?, author = ?, genre = ?, price_in_cents = ?, stock = ?"
        " WHERE id = ?",
        *read_book(),
        book_id,
    )
    return jsonify(dict(find_book(book_id)))


@blueprint.delete("/<int:book_id>")
def delete_book(book_id):
    find_book(book_id)
    sold = database.connect().execute("SELECT 1 FROM purchase WHERE book_id = ?", (book_id,))
    if sold.fetchone():
        abort(409, "the book has been ordered")
    database.change("DELETE FROM book WHERE id = ?", book_id)
    return "", 204
