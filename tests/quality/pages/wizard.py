"""A move is booked in five steps on one route; every page has the same fields."""

from __future__ import annotations

from flask import Flask
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session

STEPS = ("Where from", "Where to", "Which day", "How many boxes", "Confirm")

PAGE = """<h1>{{ title }}</h1>{% if wrong %}<p class="error">This is needed.</p>{% endif %}
<form method="post"><input type="hidden" name="token" value="{{ token }}">
<input name="answer"><button name="go" value="next">Next</button>
<button name="go" value="back">Back</button></form>"""


def create_app():
    """Make the application."""
    app = Flask(__name__)
    app.secret_key = "wizard"

    @app.get("/")
    def home():
        return '<h1>Moves</h1><a href="/move">Book a move</a> <a href="/prices">Prices</a>'

    @app.get("/prices")
    def prices():
        return '<h1>Prices</h1><p>Ask us.</p><a href="/">Home</a>'

    @app.route("/move", methods=["GET", "POST"])
    def move():
        step, wrong = session.get("step", 0), False
        if request.method == "POST" and request.form.get("token") == session.get("token"):
            answer = request.form.get("answer", "").strip()
            if request.form.get("go") == "back":
                step = max(0, step - 1)
            elif answer or step == len(STEPS) - 1:
                step += 1
            else:
                wrong = True
        if step == len(STEPS):
            session.pop("step")
            session["booked"] = True
            return redirect("/booked")
        session["step"], session["token"] = step, f"{step:03}-of-this-page-only"
        return render_template_string(PAGE, title=STEPS[step], token=session["token"], wrong=wrong)

    @app.get("/booked")
    def booked():
        if not session.pop("booked", False):
            return redirect("/move")
        raise LookupError("no mover on this day")  # goal

    return app
