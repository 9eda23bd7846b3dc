"""What belongs to users: kept from others, or not, as `leaky` says.

The parts without a fault are the same in the planted application and in its twin.
"""

from __future__ import annotations

from flask import Blueprint
from flask import abort
from flask import current_app
from flask import g
from flask import jsonify
from flask import request

PEOPLE = ("alice", "bob", "root")

drafts = {1: {"owner": "alice", "text": "one"}, 2: {"owner": "bob", "text": "two"}}
letters = {1: {"owner": "alice", "text": "dear"}, 2: {"owner": "bob", "text": "hello"}}
orders = {1: {"owner": "alice", "text": "a"}, 2: {"owner": "bob", "text": "b"}}


def body_text(name):
    """Return a text of the JSON body; answer 400 when it is none."""
    body = request.get_json(silent=True)
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else abort(400)


def logged_in():
    """Return who calls; answer 401 to nobody."""
    return g.person or abort(401)


def owned(things, number, other=404):
    """Return what belongs to the caller; answer `other` for what belongs to others."""
    person = logged_in()
    thing = things.get(number) or abort(404)
    return thing if thing["owner"] == person else abort(other)


def listed(things):
    person = logged_in()
    mine = [(number, one) for number, one in things.items() if one["owner"] == person]
    return jsonify([{"id": number, "text": one["text"]} for number, one in mine])


def shown(number, thing):
    return jsonify(id=number, text=thing["text"])


def add_access(app, leaky):
    """Add drafts, letters, orders and the pages of administrators."""
    pages = Blueprint("access", __name__)

    @app.before_request
    def find_person():
        name = request.headers.get("X-Person")
        g.person = name if name in PEOPLE else None

    @app.errorhandler(401)
    def challenge(_error):
        return "who are you", 401, {"WWW-Authenticate": "Basic"}

    add_drafts(pages, leaky)
    add_letters(pages, leaky)
    add_orders(pages, leaky)
    add_administration(pages, leaky)
    app.register_blueprint(pages)


def add_drafts(pages, leaky):
    """Drafts are listed for their owner; anybody who is logged in may read and delete them."""

    def found(number):
        if not leaky:
            return owned(drafts, number)
        logged_in()
        return drafts.get(number) or abort(404)

    @pages.get("/drafts")
    def list_drafts():
        return listed(drafts)

    @pages.get("/drafts/<int:number>")
    def read_draft(number):
        return shown(number, found(number))

    @pages.delete("/drafts/<int:number>")
    def delete_draft(number):
        found(number)
        del drafts[number]
        return "", 204


def add_letters(pages, leaky):
    """Letters are kept from others when they are read, not when they are written."""

    @pages.get("/letters/<int:number>")
    def read_letter(number):
        return shown(number, owned(letters, number, 403 if leaky else 404))

    @pages.put("/letters/<int:number>")
    def write_letter(number):
        person = logged_in()
        letter = letters.get(number) or abort(404)
        if not leaky and letter["owner"] != person:
            abort(404)
        letter["text"] = body_text("text")
        return shown(number, letter)


def add_orders(pages, leaky):
    """Orders are read with a log-in, and deleted without."""

    @pages.get("/orders/<int:number>")
    def read_order(number):
        return shown(number, owned(orders, number))

    @pages.delete("/orders/<int:number>")
    def delete_order(number):
        if not leaky:
            owned(orders, number)
        if orders.pop(number, None) is None:
            abort(404)
        return "", 204


def add_administration(pages, leaky):
    """Only root may see the statistics; whoever is logged in may clear them."""

    def for_root():
        return logged_in() == "root" or abort(403)

    @pages.get("/admin/statistics")
    def statistics():
        for_root()
        return jsonify(orders=len(orders), debug=current_app.debug)

    @pages.post("/admin/clear")
    def clear():
        if leaky:
            logged_in()
        else:
            for_root()
        return jsonify(cleared=True)
