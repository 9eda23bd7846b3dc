"""A board of cards that htmx moves; a card fails that comes back after it was finished."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import render_template_string
from flask import request

COLUMNS = ("wanted", "begun", "reviewed", "finished")

cards: dict[int, dict[str, object]] = {}

BOARD = """<h1>Board</h1><form hx-post="/cards"><input name="title"><button>Add</button></form>
{% for number, card in cards.items() %}<div>{{ card.title }}
<a href="/cards/{{ number }}">Open</a>
{% if card.column < 3 %}<button hx-post="/cards/{{ number }}/move" hx-vals='{"to": "on"}'>On
</button>{% endif %}{% if card.column %}<button hx-post="/cards/{{ number }}/move"
hx-vals='{"to": "back"}'>Back</button>{% endif %}</div>{% endfor %}"""


def create_app():
    """Make the application."""
    app = Flask(__name__)
    cards.clear()

    def board():
        return render_template_string(BOARD, cards=cards)

    @app.get("/")
    def whole():
        return board()

    @app.post("/cards")
    def add():
        title = request.form.get("title", "").strip()
        if not title:
            abort(400)
        cards[len(cards) + 1] = {"title": title, "column": 0, "finished": 0}
        return board()

    @app.get("/cards/<int:number>")
    def card(number):
        found = cards.get(number) or abort(404)
        return render_template_string(
            '<h1>Card</h1>{{ column }}<a href="/">Board</a>', column=COLUMNS[found["column"]]
        )

    @app.post("/cards/<int:number>/move")
    def move(number):
        found = cards.get(number) or abort(404)
        if request.headers.get("HX-Request") != "true":
            abort(400)
        way = {"on": 1, "back": -1}.get(request.form.get("to")) or abort(400)
        found["column"] = min(3, max(0, found["column"] + way))
        if found["column"] == 3:
            found["finished"] += 1
        if found["finished"] and found["column"] == 2:
            raise ValueError("finished work cannot be reviewed")  # goal
        return board()

    return app
