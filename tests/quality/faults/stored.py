"""Two faults that show only later: of what was stored, and of what is gone."""

from __future__ import annotations

from datetime import date

from flask import Flask
from flask import abort
from flask import request

members = {}
books = {1: "Ulysses", 2: "Emma"}
loans = {}


def create_app(_path):
    app = Flask(__name__)

    @app.post("/members")
    def join():
        body = request.get_json()
        born = body.get("born")
        if born is not None:
            date.fromisoformat(born)
        members[len(members) + 1] = born
        return {"id": len(members)}, 201

    @app.get("/members/<int:member_id>")
    def show_member(member_id):
        if member_id not in members:
            abort(404)
        born = members[member_id]
        if born is None:
            return {"adult": None}
        day = date.fromisoformat(born)
        return {"adult": day.replace(year=day.year + 18) <= date.today()}  # the leap day

    @app.put("/loans/<int:book_id>")
    def lend(book_id):
        if book_id not in books:
            abort(404)
        loans[book_id] = True
        return "", 204

    @app.delete("/books/<int:book_id>")
    def delete(book_id):
        books.pop(book_id, None) or abort(404)
        return "", 204

    @app.get("/loans")
    def show_loans():
        return {"lent": [books[book_id] for book_id in loans]}  # one that is gone

    return app
