"""Books and loans by JSON: a loan fails whose book was removed while it was out."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

books: dict[int, dict[str, object]] = {}
loans: dict[int, dict[str, object]] = {}


def create_app():
    """Make the application."""
    app = Flask(__name__)
    books.clear()
    loans.clear()

    @app.post("/books")
    def add():
        title = (request.get_json(silent=True) or {}).get("title")
        if not isinstance(title, str) or not title:
            abort(400)
        books[len(books) + 1] = {"id": len(books) + 1, "title": title, "status": "free"}
        return jsonify(books[len(books)]), 201

    @app.delete("/books/<int:number>")
    def remove(number):
        book = books.get(number) or abort(404)
        book["status"] = "gone"
        return "", 204

    @app.post("/loans")
    def lend():
        number = (request.get_json(silent=True) or {}).get("book_id")
        book = books.get(number) if isinstance(number, int) else None
        if book is None or book["status"] != "free":
            abort(409)
        book["status"] = "lent"
        loans[len(loans) + 1] = {"id": len(loans) + 1, "book_id": number, "status": "open"}
        return jsonify(loans[len(loans)]), 201

    @app.post("/loans/<int:number>/prolong")
    def prolong(number):
        loan = loans.get(number) or abort(404)
        if loan["status"] == "prolonged":
            abort(409)
        loan["status"] = "prolonged"
        return jsonify(loan)

    @app.post("/loans/<int:number>/end")
    def end(number):
        loan = loans.get(number) or abort(404)
        book = books[loan["book_id"]]
        if book["status"] == "gone" and loan["status"] == "prolonged":
            raise KeyError("the book is not there")  # goal
        loan["status"], book["status"] = "ended", "free"
        return jsonify(loan)

    return app
