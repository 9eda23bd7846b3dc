import sqlite3
from contextlib import closing

from flask import Flask
from flask import abort
from flask import g
from flask import jsonify
from flask import request
from flask import session

KEYS = {"k-alice": "alice", "k-root": "root"}
PASSWORDS = {"alice": "wonder", "root": "toor"}


def create_app(path):
    app = Flask(__name__)
    app.config["SECRET_KEY"] = "dev"

    @app.before_request
    def find_user():
        g.user = session.get("user")
        if "X-Api-Key" in request.headers:
            g.user = KEYS.get(request.headers["X-Api-Key"]) or abort(401)
        elif request.authorization and request.authorization.type == "basic":
            name = request.authorization.username
            if PASSWORDS.get(name) != request.authorization.password:
                abort(401)
            g.user = name

    @app.post("/login")
    def log_in():
        name = request.form["name"]
        if PASSWORDS.get(name) != request.form["password"]:
            abort(403)
        session["user"] = name
        return jsonify(user=name)

    @app.get("/me")
    def me():
        return jsonify(user=g.user or abort(401))

    @app.route("/messages", methods=["GET", "POST"])
    def messages():
        if g.user is None:
            abort(401)
        with closing(sqlite3.connect(path)) as database, database:
            if request.method == "POST":
                text = request.form.get("text", "")
                if not text:
                    abort(400)
                database.execute("INSERT INTO message VALUES (?, ?)", (g.user, text))
                return "", 201
            rows = database.execute("SELECT text FROM message WHERE author = ?", (g.user,))
            return jsonify([text for (text,) in rows])

    @app.delete("/messages")
    def clear():
        if g.user != "root":
            abort(401 if g.user is None else 403)
        with closing(sqlite3.connect(path)) as database, database:
            deleted = database.execute("DELETE FROM message").rowcount
        return jsonify(deleted=deleted)

    return app
