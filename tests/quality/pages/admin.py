"""An admin of articles with a table, filters and bulk actions; undoing a removal fails once."""

from __future__ import annotations

from flask import Flask
from flask import flash
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session
from flask import url_for

FIRST = ("lamp", "desk", "chair")

articles: dict[int, dict[str, str]] = {}

TABLE = """<h1>Articles</h1>{% for text in get_flashed_messages() %}<p class="flash">{{ text }}</p>
{% endfor %}{% if session.removed %}<form method="post" action="/articles/undo">
<button>Undo</button></form>{% endif %}
<form><input name="q" value="{{ q }}"><select name="status">
<option>live</option><option>draft</option><option>archived</option></select>
<button>Filter</button></form>
<a href="?sort=name&amp;status={{ status }}">Name</a> <a href="/articles/new">New</a>
<form method="post" action="/articles/bulk"><input type="hidden" name="status"
value="{{ status }}"><table>{% for number, row in rows.items() %}<tr>
<td><input type="checkbox" name="ids" value="{{ number }}"></td>
<td><a href="/articles/{{ number }}">{{ row.name }}</a></td></tr>{% endfor %}</table>
{% if rows %}<select name="action"><option value="">-</option><option>publish</option>
<option>archive</option><option>remove</option></select><button>Go</button>{% endif %}</form>"""


def create_app():  # noqa: C901 - the views of a whole application
    """Make the application."""
    app = Flask(__name__)
    app.secret_key = "admin"
    articles.clear()
    for number, name in enumerate(FIRST, 1):
        articles[number] = {"name": name, "status": "live"}

    @app.get("/")
    def home():
        return '<h1>Admin</h1><a href="/articles">Articles</a> <a href="/help">Help</a>'

    @app.get("/help")
    def help_page():
        return '<h1>Help</h1><a href="/">Home</a>'

    @app.get("/articles")
    def table():
        q, status = request.args.get("q", ""), request.args.get("status", "live")
        rows = {
            number: row
            for number, row in articles.items()
            if q in row["name"] and row["status"] == status
        }
        if request.args.get("sort") == "name":
            rows = dict(sorted(rows.items(), key=lambda pair: pair[1]["name"]))
        return render_template_string(TABLE, rows=rows, q=q, status=status)

    @app.route("/articles/new", methods=["GET", "POST"])
    def new():
        name = request.form.get("name", "").strip()
        if request.method == "POST" and name:
            articles[max(articles, default=0) + 1] = {"name": name, "status": "draft"}
            return redirect("/articles?status=draft")
        return '<h1>New</h1><form method="post"><input name="name" required><button>Save</button>'

    @app.route("/articles/<int:number>", methods=["GET", "POST"])
    def edit(number):
        if number not in articles:
            return '<h1>Gone</h1><a href="/articles">Articles</a>', 404
        if request.method == "POST" and request.form.get("name", "").strip():
            articles[number]["name"] = request.form["name"].strip()
            return redirect(url_for("table", status=articles[number]["status"]))
        return (
            '<h1>Edit</h1><a href="/articles">Articles</a><form method="post">'
            '<input name="name" required><button>Save</button></form>'
        )

    @app.post("/articles/bulk")
    def bulk():
        chosen = [one for one in articles if str(one) in request.form.getlist("ids")]
        action = request.form.get("action")
        if not chosen or action not in ("publish", "archive", "remove"):
            flash("Choose articles and an action.")
            return redirect(url_for("table", status=request.form.get("status", "live")))
        if action == "remove":
            ids = "".join(f'<input type="hidden" name="ids" value="{one}">' for one in chosen)
            return (
                '<h1>Remove?</h1><form method="post" action="/articles/remove">'
                f'{ids}<button>Remove</button></form><a href="/articles">Cancel</a>'
            )
        for one in chosen:
            articles[one]["status"] = {"publish": "live", "archive": "archived"}[action]
        return redirect(url_for("table", status=request.form.get("status", "live")))

    @app.post("/articles/remove")
    def remove():
        gone = [one for one in articles if str(one) in request.form.getlist("ids")]
        session["removed"] = [[articles[one]["name"], articles[one]["status"]] for one in gone]
        for one in gone:
            del articles[one]
        return redirect("/articles")

    @app.post("/articles/undo")
    def undo():
        for name, status in session.pop("removed", []):
            if status == "archived":
                raise KeyError("there is no place in the archive")  # goal
            articles[max(articles, default=0) + 1] = {"name": name, "status": status}
        return redirect("/articles")

    return app
