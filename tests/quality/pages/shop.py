"""A shop: a cart, an address, a payment; the order page fails for a voucher that emptied it."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session

GOODS = {"tea": 4, "cup": 9, "pot": 30}

HEAD = '<a href="/">Goods</a> <a href="/cart">Cart</a>'


def create_app():  # noqa: C901 - the views of a whole application
    """Make the application."""
    app = Flask(__name__)
    app.secret_key = "shop"

    def page(text, **values):
        return render_template_string(HEAD + text, **values)

    @app.get("/")
    def goods():
        return page(
            "<h1>Goods</h1>{% for name in goods %}"
            '<a href="/goods/{{ name }}">{{ name }}</a>{% endfor %}',
            goods=GOODS,
        )

    @app.get("/goods/<name>")
    def article(name):
        if name not in GOODS:
            abort(404)
        return page(
            '<h1>{{ name }}</h1><form method="post" action="/cart">'
            '<input type="hidden" name="name" value="{{ name }}">'
            '<input type="number" name="count" min="1" max="9" value="1">'
            "<button>Add</button></form>",
            name=name,
        )

    @app.post("/cart")
    def add():
        name, count = request.form.get("name", ""), request.form.get("count", "")
        if name not in GOODS or not count.isdigit() or not 0 < int(count) < 10:
            abort(400)
        session["cart"] = {**session.get("cart", {}), name: int(count)}
        return redirect("/cart")

    @app.get("/cart")
    def cart():
        return page(
            "<h1>Cart</h1>{% for name, count in cart.items() %}{{ count }} {{ name }}"
            '<form method="post" action="/cart/remove"><button name="name" value="{{ name }}">'
            "Remove</button></form>{% endfor %}"
            '{% if cart %}<a href="/address">Check out</a>{% endif %}'
            '{% if by %}<a href="/order">Order</a>{% endif %}',
            cart=session.get("cart", {}),
            by=session.get("by"),
        )

    @app.post("/cart/remove")
    def remove():
        left = dict(session.get("cart", {}))
        left.pop(request.form.get("name", ""), None)
        session["cart"] = left
        return redirect("/cart")

    @app.route("/address", methods=["GET", "POST"])
    def address():
        if not session.get("cart"):
            return redirect("/cart")
        if request.method == "POST" and request.form.get("street", "").strip():
            session["street"] = request.form["street"]
            return redirect("/payment")
        return page(
            '<h1>Address</h1><form method="post"><input name="street" required>'
            "<button>Go on</button></form>"
        )

    @app.route("/payment", methods=["GET", "POST"])
    def payment():
        if "street" not in session:
            return redirect("/address")
        if request.method == "POST":
            if request.form.get("by") not in ("card", "invoice"):
                abort(400)
            session["by"] = request.form["by"]
            return redirect("/order")
        return page(
            '<h1>Payment</h1><form method="post"><input type="radio" name="by" value="card">'
            '<input type="radio" name="by" value="invoice"><button>Pay</button></form>'
        )

    @app.route("/order", methods=["GET", "POST"])
    def order():
        if "by" not in session:
            return redirect("/payment")
        total = sum(GOODS[name] * count for name, count in session["cart"].items())
        if request.method == "POST":
            if not total:
                raise ValueError("an empty order")  # goal
            session.clear()
            return page("<h1>Thank you</h1>")
        return page(
            '<h1>Order</h1>{{ total }}<form method="post"><button>Buy</button></form>', total=total
        )

    return app
