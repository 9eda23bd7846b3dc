"""The catalogue: pages for people."""

from __future__ import annotations

from flask import Blueprint
from flask import abort
from flask import redirect
from flask import render_template
from flask import request
from flask import url_for

from bookshop import database

blueprint = Blueprint("catalogue", __name__)


@blueprint.get("/")
def index():
    books = database.connect().execute("SELECT * FROM book ORDER BY title").fetchall()
    return render_template("index.html", books=books)


@blueprint.route("/books/<int:book_id>/restock", methods=("GET", "POST"))
def restock(book_id):
    book = database.find("book", book_id) or abort(404)
    error = None
    if request.method == "POST":
        amount = request.form.get("amount", type=int)
        if amount is None or not 1 <= amount <= 500:
            error = "The amount must be from 1 to 500."
        else:
            database.change("UPDATE book SET stock = stock + ? WHERE id = ?", amount, book_id)
            return redirect(url_for("catalogue.index"))
    return render_template("restock.html", book=book, error=error)
