"""The posts: everybody reads, only the author writes."""

from flask import Blueprint
from flask import abort
from flask import flash
from flask import g
from flask import redirect
from flask import render_template
from flask import request
from flask import url_for

from blog.accounts import account_required
from blog.database import connect

blueprint = Blueprint("posts", __name__)

EVERYTHING = (
    "SELECT post.*, account.name AS author FROM post JOIN account ON account.id = author_id"
)


def find_own_post(post_id):
    post = connect().execute(f"{EVERYTHING} WHERE post.id = ?", (post_id,)).fetchone()
    if post is None:
        abort(404)
    if post["author_id"] != g.account["id"]:
        abort(403)
    return post


def read_form():
    """Read title and body; None when the title is missing or long."""
    title = request.form.get("title", "").strip()
    if not title or len(title) > 80:
        flash("A title of 1 to 80 characters is needed.")
        return None
    return title, request.form.get("body", "")


@blueprint.get("/")
def index():
    posts = connect().execute(f"{EVERYTHING} ORDER BY post.id DESC").fetchall()
    return render_template("index.html", posts=posts)


@blueprint.route("/new", methods=("GET", "POST"))
@account_required
def create():
    if request.method == "POST":
        form = read_form()
        if form is not None:
            statement = "INSERT INTO post (title, body, author_id) VALUES (?, ?, ?)"
            connect().execute(statement, (*form, g.account["id"]))
            connect().commit()
            return redirect(url_for("posts.index"))
    return render_template("post.html", post=None)


@blueprint.route("/<int:post_id>/edit", methods=("GET", "POST"))
@account_required
def edit(post_id):
    post = find_own_post(post_id)
    if request.method == "POST":
        form = read_form()
        if form is not None:
            connect().execute("UPDATE post SET title = ?, body = ? WHERE id = ?", (*form, post_id))
            connect().commit()
            return redirect(url_for("posts.index"))
    return render_template("post.html", post=post)


@blueprint.post("/<int:post_id>/delete")
@account_required
def delete(post_id):
    find_own_post(post_id)
    connect().execute("DELETE FROM post WHERE id = ?", (post_id,))
    connect().commit()
    return redirect(url_for("posts.index"))
