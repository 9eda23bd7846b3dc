"""Specimens made by hand: what three applications would have answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.exchange import Upload
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause
from pytest_evosearch.write.content.specimen import Specimen

CLOCK = "changes with the clock"
MISSING_PAGE = (
    b"<!doctype html>\n<html lang=en>\n<title>404 Not Found</title>\n<h1>Not Found</h1>\n"
    b"<p>The requested URL was not found on the server.</p>\n"
)

USERS = {
    "test": User("test", login=print, fixtures=("auth",), statement="auth.login()"),
    "admin": User(
        "admin",
        headers={"Authorization": "Bearer x"},
        fixtures=("admin_headers",),
        headers_expression="admin_headers",
    ),
}


def page(status: int, body: str | bytes) -> Response:
    data = body if isinstance(body, bytes) else body.encode()
    return Response(status, (("Content-Type", "text/html; charset=utf-8"),), data)


def answer(status: int, value: object) -> Response:
    headers = (("Content-Type", "application/json"),)
    return Response(status, headers, json.dumps(value).encode())


def redirection(location: str) -> Response:
    return Response(302, (("Location", location), ("Content-Type", "text/html")), b"<p>moved</p>")


def exchange(request: Request, response: Response | None, user: str | None = None) -> Exchange:
    return Exchange(request, response, user)


def specimen(*exchanges: Exchange, unstable: Mapping[str, str] | None = None) -> Specimen:
    last = len(exchanges) - 1
    facts = {(last, ("json", key)): reason for key, reason in (unstable or {}).items()}
    return Specimen(exchanges, unstable=facts)


def proven(found: Specimen, location: str, *part: object) -> Specimen:
    """Return a specimen whose answer is known to depend on one part."""
    return replace(found, causes=(Cause(location, *part),))  # type: ignore[arg-type]


def crashing(
    request: Request, crash: Crash, user: str | None = None, response: Response | None = None
) -> Specimen:
    fault = Fault("crash", request.endpoint, crash.type_name, crash.position, crash.message, 0, "")
    return Specimen((Exchange(request, response, user, crash),), fault=fault)


def blog() -> list[Specimen]:
    """Flask's tutorial application."""
    index = Request("GET", "/")
    create = Request("POST", "/create")
    update = Request("POST", "/{id}/update")

    def post(**fields: str) -> Request:
        return replace(create, form=tuple(fields.items()))

    header = "<title>Posts - Flaskr</title><h1>Posts</h1>"
    form = "<title>New Post - Flaskr</title><h1>New Post</h1><form method=post></form>"
    rejected = page(200, form + "<div class=flash>Title is required.</div>")
    bad = page(400, "<p>The browser (or proxy) sent a request that this server could not ...")
    title = (("title", "Kz"), ("body", "q"))
    return [
        specimen(exchange(index, page(200, f"{header}<h2>test title</h2>"))),
        specimen(exchange(Request("GET", "/create"), redirection("/auth/login"))),
        specimen(
            exchange(post(title="Kz", body="q"), redirection("/"), "test"),
            exchange(index, page(200, f"{header}<h2>Kz</h2><h2>test title</h2>"), "test"),
        ),
        specimen(exchange(post(title="Kz", body="q"), redirection("/"), "test")),
        proven(
            specimen(exchange(post(title="", body="q"), rejected, "test")),
            "form", "title", "", "Kz",
        ),
        proven(specimen(exchange(create, bad, "test")), WHOLE_BODY, "", None, "form"),
        proven(specimen(exchange(post(title="Kz"), bad, "test")), "form", "body", NOT_SENT, "q"),
        proven(
            specimen(
                exchange(
                    replace(update, path={"id": 2}, form=title), page(404, MISSING_PAGE), "test"
                )
            ),
            "path", "id", 2, 1,
        ),
        specimen(
            exchange(
                Request("POST", "/{id}/delete", path={"id": 1}), redirection("/"), "test"
            ),
            exchange(
                Request("GET", "/{id}/update", path={"id": 1}), page(404, MISSING_PAGE), "test"
            ),
        ),
        proven(
            crashing(
                Request("GET", "/{id}/update", path={"id": 2**63}),
                Crash(
                    "OverflowError", "builtins",
                    "Python int too large to convert to SQLite INTEGER",
                    "flaskr/blog.py", 42, "get_post", "",
                ),
                "test",
            ),
            "path", "id", 2**63, 1,
        ),
    ]  # fmt: skip


ACCOUNT = {"username": "jnk", "email": "a@b.co", "password": "abc"}


def users_api() -> list[Specimen]:
    """A token API whose identifiers flow from one call into the next."""
    create = Request("POST", "/api/users", json=ACCOUNT, has_json=True)
    created = {
        "id": 2, "url": "/api/users/2", "username": "jnk", "email": "a@b.co",
        "avatar_url": "https://www.gravatar.com/avatar/b33a54a5a598e6d3356166652048ada9?d=identicon",
        "about_me": None, "has_password": True, "first_seen": "2026-11-20T18:00:00Z",
    }  # fmt: skip
    found = Request(
        "GET",
        "/api/users/{id}",
        path={"id": 2},
        origins={("path", "id"): Origin(0, ("json", "id"))},
    )
    unknown = replace(found, path={"id": 99}, origins={})

    def refused(message: str, **change: str) -> Specimen:
        (field,) = change
        body = {"errors": {"json": {field: [message]}}}
        sent = specimen(exchange(replace(create, json={**ACCOUNT, **change}), answer(400, body)))
        return proven(sent, "json", field, change[field], ACCOUNT[field])

    unauthorized = Response(
        401, (("Content-Type", "application/json"), ("WWW-Authenticate", 'Bearer realm="api"')),
        b'{"message": "Missing token"}',
    )  # fmt: skip
    listing = [{"id": number, "username": f"user{number}"} for number in range(1, 26)]
    avatar = Request(
        "PUT",
        "/api/users/{id}/avatar",
        path={"id": 1},
        form=(("caption", "me"),),
        files=(("file", Upload("me.png", b"\x89PNG")),),
        headers=(("X-Trace", "1"),),
    )
    return [
        specimen(exchange(create, answer(201, created)), unstable={"first_seen": CLOCK}),
        refused("Length must be between 3 and 64.", username="jn"),
        refused("Username must start with a letter", username="1nk"),
        refused("Not a valid email address.", email="a"),
        refused("Shorter than minimum length 3.", password=""),
        proven(specimen(exchange(Request("GET", "/api/users"), unauthorized)), USER, "", None, "a"),
        specimen(exchange(Request("GET", "/api/users"), answer(200, listing), "admin")),
        proven(
            specimen(
                exchange(
                    Request("GET", "/api/users", query=(("page", 9),)), answer(200, []), "admin"
                )
            ),
            "query",
            "page",
            9,
        ),
        specimen(
            exchange(create, answer(201, created)),
            exchange(found, answer(200, {"id": 2, "username": "jnk"}), "admin"),
        ),
        proven(
            specimen(exchange(unknown, answer(404, {"message": "Not Found"}), "admin")),
            "path",
            "id",
            99,
            2,
        ),
        specimen(exchange(avatar, Response(204), "admin")),
    ]


def numbers() -> list[Specimen]:
    """Pure functions of their path: one table says it all."""
    template = "/api/triangle/{a}/{b}/{c}"
    sides = {(1, 1, 1): 3, (2, 2, 3): 2, (2, 3, 4): 1, (1, 1, 9): 0}
    specimens = [
        specimen(
            exchange(
                Request("GET", template, path=dict(zip("abc", given, strict=True))),
                answer(200, {"resultAsInt": result}),
            )
        )
        for given, result in sides.items()
    ]
    gamma = Request("GET", "/api/gammq/{a}/{x}", path={"a": 0.5, "x": -1.0})
    text = Request("GET", "/api/title/{sex}", path={"sex": "a/b c"})
    crash = Crash(
        "DataError", "warehouse_driver.errors", "value out of range", "numbers.py", 7, "f", ""
    )
    own = Crash("Overflow", "numbers.errors", 'bad "value"', "numbers.py", 9, "g", "")
    answered = page(500, "<h1>Internal Server Error</h1>")
    return [
        *specimens,
        specimen(exchange(gamma, answer(200, {"resultAsDouble": float("nan")}))),
        specimen(exchange(text, Response(200, (("Content-Type", "text/plain"),), b"none"))),
        proven(
            crashing(Request("GET", "/api/bessj/{n}", path={"n": 10**12}), crash),
            "path", "n", 10**12, 1,
        ),
        proven(
            crashing(Request("GET", "/api/expint/{n}", path={"n": -1}), own), "path", "n", -1, 1
        ),
        proven(
            crashing(Request("GET", "/api/remainder/{n}", path={"n": 0}), own, response=answered),
            "path", "n", 0, 1,
        ),
    ]  # fmt: skip
