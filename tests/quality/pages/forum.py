"""A forum with roles: a member reports a post, a moderator hides it, and its author edits it."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import redirect
from flask import render_template_string
from flask import request
from flask import session

posts: dict[int, dict[str, str]] = {}

HEAD = """<a href="/">Posts</a> {% if name %}<form method="post" action="/leave"><button>Leave
</button></form>{% if name == "moderator" %}<a href="/reports">Reports</a>{% endif %}
{% else %}<a href="/enter">Enter</a>{% endif %}"""


def create_app():  # noqa: C901 - the views of a whole application
    """Make the application."""
    app = Flask(__name__)
    app.secret_key = "forum"
    posts.clear()

    def page(text, **values):
        return render_template_string(HEAD + text, name=session.get("name"), **values)

    def member():
        if "name" not in session:
            abort(redirect("/enter"))
        return session["name"]

    @app.get("/")
    def listed():
        return page(
            '<h1>Posts</h1>{% for number in posts %}<a href="/posts/{{ number }}">{{ number }}</a>'
            '{% endfor %}{% if name %}<form method="post" action="/posts"><textarea name="text">'
            "</textarea><button>Write</button></form>{% endif %}",
            posts=posts,
        )

    @app.route("/enter", methods=["GET", "POST"])
    def enter():
        if request.method == "POST":
            session["name"] = request.form.get("as", "member")
            return redirect("/")
        return page(
            '<form method="post"><select name="as"><option>member</option>'
            "<option>moderator</option></select><button>Enter</button></form>"
        )

    @app.post("/leave")
    def leave():
        session.clear()
        return redirect("/")

    @app.post("/posts")
    def write():
        text = request.form.get("text", "").strip()
        if not text:
            abort(400)
        posts[len(posts) + 1] = {"author": member(), "text": text, "state": "shown"}
        return redirect(f"/posts/{len(posts)}")

    @app.get("/posts/<int:number>")
    def show(number):
        post = posts.get(number) or abort(404)
        return page(
            '{{ post.text }}{% if name %}<form method="post" action="/posts/{{ number }}">'
            '<button name="do" value="report">Report</button>{% if name == "moderator" and '
            'post.state == "reported" %}<button name="do" value="hide">Hide</button>{% endif %}'
            '</form>{% endif %}{% if post.author == name %}<a href="/posts/{{ number }}/text">Edit'
            "</a>{% endif %}",
            post=post,
            number=number,
        )

    @app.post("/posts/<int:number>")
    def judge(number):
        name, post = member(), posts.get(number) or abort(404)
        if request.form.get("do") == "report" and post["state"] == "shown":
            post["state"] = "reported"
        elif request.form.get("do") == "hide" and post["state"] == "reported":
            if name != "moderator":
                abort(403)
            post["state"] = "hidden"
        return redirect(f"/posts/{number}")

    @app.get("/reports")
    def reports():
        if member() != "moderator":
            abort(403)
        found = [number for number, post in posts.items() if post["state"] == "reported"]
        return page(
            '{% for number in found %}<a href="/posts/{{ number }}">{{ number }}</a>{% endfor %}',
            found=found,
        )

    @app.route("/posts/<int:number>/text", methods=["GET", "POST"])
    def edit(number):
        name, post = member(), posts.get(number) or abort(404)
        if post["author"] != name:
            abort(403)
        if request.method == "POST":
            if post["state"] == "hidden":
                raise RuntimeError("a hidden post has no text")  # goal
            post["text"] = request.form.get("text", "")
            return redirect(f"/posts/{number}")
        return page(
            '<form method="post"><textarea name="text">x</textarea><button>Save</button></form>'
        )

    return app
