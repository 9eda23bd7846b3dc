"""/api/accounts: registration, log-in, profile."""

from __future__ import annotations

import secrets
import sqlite3
from datetime import date

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from shop import database
from shop.inputs import read_body
from shop.inputs import read_day
from shop.inputs import read_text

ADULT = 18

blueprint = Blueprint("accounts", __name__, url_prefix="/api/accounts")


def read_token() -> str:
    """Return the token of the request; 401 without one."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer" or not token:
        abort(401, "log in first")
    return token


def require_account() -> int:
    """Return the id of the account that sends the request."""
    found = database.row("SELECT account_id FROM token WHERE value = ?", read_token())
    if found is None:
        abort(401, "the token is not valid")
    return int(found["account_id"])


def find_account(account_id: int) -> sqlite3.Row:
    """Return an account."""
    query = "SELECT * FROM account WHERE id = ?"
    return database.row(query, account_id)  # type: ignore[return-value]  # bug 1: it was deleted


def comes_of_age(birthday: date) -> date:
    """Return the day on which somebody is an adult."""
    return birthday.replace(year=birthday.year + ADULT)  # bug 2: the 29th of February


def is_adult(account: sqlite3.Row) -> bool:
    """Tell whether somebody is known to be an adult."""
    if account["birthday"] is None:
        return False
    return comes_of_age(date.fromisoformat(account["birthday"])) <= date.today()


def write_account(account: sqlite3.Row) -> Response:
    """Answer with an account."""
    return jsonify(
        id=account["id"],
        email=account["email"],
        name=account["name"],
        language=account["language"],
        country=account["language"].split("-")[1],  # bug 3: a language without a country
        adult=is_adult(account),
    )


def read_password(body: dict[str, object], name: str) -> str:
    """Read a password that is good enough."""
    password = read_text(body, name)
    if len(password) < 8:
        abort(422, "a password has at least 8 characters")
    if password.isalpha() or password.isdigit():
        abort(422, "a password has letters and digits")
    return password


@blueprint.post("/register")
def register() -> ResponseReturnValue:
    """Create an account."""
    body = read_body()
    email = read_text(body, "email").lower()
    local, at, domain = email.partition("@")
    if not local or not at or "." not in domain:
        abort(422, "the e-mail address is not valid")
    password = read_password(body, "password")
    birthday = None
    if body.get("birthday") is not None:
        day = read_day(body["birthday"], "birthday")
        if day.year < 1900 or day > date.today():
            abort(422, "nobody is that old or young")
        birthday = day.isoformat()
    if database.row("SELECT 1 FROM account WHERE email = ?", email):
        abort(409, "the address is taken")
    account_id = database.change(
        "INSERT INTO account (email, password, birthday) VALUES (?, ?, ?)",
        email,
        generate_password_hash(password, "pbkdf2:sha256:10"),
        birthday,
    )
    return jsonify(id=account_id, email=email), 201


@blueprint.post("/sessions")
def log_in() -> ResponseReturnValue:
    """Log in; the token goes into later requests as ``Authorization: Bearer``."""
    body = read_body()
    email = read_text(body, "email").lower()
    account = database.row("SELECT * FROM account WHERE email = ?", email)
    if account is None:
        abort(401, "unknown address or wrong password")
    if not check_password_hash(account["password"], read_text(body, "password")):
        abort(401, "unknown address or wrong password")
    token = secrets.token_hex(8)
    database.change("INSERT INTO token VALUES (?, ?)", token, account["id"])
    return jsonify(token=token), 201


@blueprint.delete("/sessions")
def log_out() -> ResponseReturnValue:
    """Log out."""
    require_account()
    database.change("DELETE FROM token WHERE value = ?", read_token())
    return "", 204


@blueprint.get("/me")
def show_me() -> Response:
    """Show one's own account."""
    return write_account(find_account(require_account()))


@blueprint.patch("/me")
def change_me() -> Response:
    """Change one's name, language or both."""
    account_id = require_account()
    body = read_body()
    if "name" in body:
        database.change(
            "UPDATE account SET name = ? WHERE id = ?", read_text(body, "name", 40), account_id
        )
    if "language" in body:
        language = read_text(body, "language", 5)
        if not language[:2].isalpha():
            abort(422, "a language is like en-GB")
        database.change("UPDATE account SET language = ? WHERE id = ?", language, account_id)
    return write_account(find_account(account_id))


@blueprint.post("/me/password")
def change_password() -> ResponseReturnValue:
    """Change one's password, which ends all other sessions."""
    account_id = require_account()
    body = read_body()
    account = find_account(account_id)
    if not check_password_hash(account["password"], read_text(body, "old")):
        abort(403, "the old password is wrong")
    new = read_password(body, "new")
    if new == body["old"]:
        abort(422, "the new password is the old one")
    hashed = generate_password_hash(new, "pbkdf2:sha256:10")
    database.change("UPDATE account SET password = ? WHERE id = ?", hashed, account_id)
    database.change(
        "DELETE FROM token WHERE account_id = ? AND value != ?", account_id, read_token()
    )
    return "", 204


@blueprint.delete("/me")
def delete_me() -> ResponseReturnValue:
    """Delete one's own account."""
    account_id = require_account()
    if database.row("SELECT 1 FROM purchase WHERE account_id = ? AND status = 'paid'", account_id):
        abort(409, "an order is on its way")
    database.change("DELETE FROM account WHERE id = ?", account_id)
    return "", 204
