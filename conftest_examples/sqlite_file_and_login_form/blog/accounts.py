"""/account: registration, log-in form, log-out."""

from functools import wraps

from flask import Blueprint
from flask import flash
from flask import g
from flask import redirect
from flask import render_template
from flask import request
from flask import session
from flask import url_for
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from blog.database import connect

blueprint = Blueprint("accounts", __name__, url_prefix="/account")


@blueprint.before_app_request
def load_account():
    account_id = session.get("account_id")
    query = "SELECT * FROM account WHERE id = ?"
    g.account = account_id and connect().execute(query, (account_id,)).fetchone()


def account_required(view):
    @wraps(view)
    def check_first(**arguments):
        if g.account is None:
            return redirect(url_for("accounts.log_in"))
        return view(**arguments)

    return check_first


def find_account(name):
    return connect().execute("SELECT * FROM account WHERE name = ?", (name,)).fetchone()


@blueprint.route("/register", methods=("GET", "POST"))
def register():
    if request.method == "POST":
        name, password = request.form["name"].strip(), request.form["password"]
        if not name:
            flash("A name is needed.")
        elif len(password) < 4:
            flash("The password is too short.")
        elif find_account(name):
            flash(f"{name} is taken.")
        else:
            connect().execute(
                "INSERT INTO account (name, password) VALUES (?, ?)",
                (name, generate_password_hash(password)),
            )
            connect().commit()
            return redirect(url_for("accounts.log_in"))
    return render_template("account.html", action="Register")


@blueprint.route("/login", methods=("GET", "POST"))
def log_in():
    if request.method == "POST":
        account = find_account(request.form["name"].strip())
        if account is None or not check_password_hash(
            account["password"], request.form["password"]
        ):
            flash("Unknown name or wrong password.")
        else:
            session.clear()
            session["account_id"] = account["id"]
            return redirect(url_for("posts.index"))
    return render_template("account.html", action="Log in")


@blueprint.get("/logout")
def log_out():
    session.clear()
    return redirect(url_for("posts.index"))
