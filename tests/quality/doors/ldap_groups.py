"""An LDAP server that is not there knows names, passwords and groups."""

from __future__ import annotations

from flask import Flask
from flask import abort
from flask import request
from flask import session
from ldap3 import Connection
from ldap3 import Server
from ldap3.core.exceptions import LDAPException

BASE = "ou=people,dc=example,dc=org"
WARDENS = "cn=wardens,ou=groups,dc=example,dc=org"


def groups_of(name, password):
    try:
        with Connection(
            Server("ldap://ldap.invalid"), f"uid={name},{BASE}", password, auto_bind=True
        ) as connection:
            connection.search(BASE, f"(uid={name})", attributes=["cn", "memberOf"])
            return [str(group) for group in connection.entries[0].memberOf]
    except LDAPException:
        return None


def create_app():
    app = Flask(__name__)
    app.secret_key = "only for tests"

    @app.post("/login")
    def log_in():
        groups = groups_of(request.form.get("name", ""), request.form.get("password", ""))
        if groups is None:
            abort(401)
        session["groups"] = groups
        return "welcome"

    @app.get("/vault")
    def vault():
        if "groups" not in session:
            abort(401)
        if WARDENS not in session["groups"]:
            abort(403)
        raise LookupError("the vault is empty")  # goal

    return app
