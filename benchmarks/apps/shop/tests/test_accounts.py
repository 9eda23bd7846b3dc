from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 201),
        ({"email": None}, 400),
        ({"email": "bo"}, 422),
        ({"email": "bo@host"}, 422),
        ({"password": "short1"}, 422),
        ({"password": "onlyletters"}, 422),
        ({"birthday": "yesterday"}, 400),
        ({"birthday": "1899-12-31"}, 422),
        ({"birthday": "1990-05-06"}, 201),
        ({"email": "ann@example.org"}, 409),
    ],
    ids=str,
)
def test_register(client, customer, change, status):
    body = {"email": "bo@example.org", "password": "secret123", **change}

    assert client.post("/api/accounts/register", json=body).status_code == status


@pytest.mark.parametrize(
    "change", [{"email": "nobody@example.org"}, {"password": "wrong1234"}], ids=str
)
def test_log_in_is_refused(client, customer, change):
    body = {"email": "ann@example.org", "password": "secret123", **change}

    assert client.post("/api/accounts/sessions", json=body).status_code == 401


def test_log_out(customer):
    assert customer.send("DELETE", "/accounts/sessions").status_code == 204
    assert customer.send("GET", "/accounts/me").status_code == 401


def test_profile(customer):
    changed = customer.send("PATCH", "/accounts/me", {"name": "Ann", "language": "nb-NO"})

    assert changed.json == {
        "id": 1,
        "email": "ann@example.org",
        "name": "Ann",
        "language": "nb-NO",
        "country": "NO",
        "adult": False,
    }


def test_language_is_checked(customer):
    assert customer.send("PATCH", "/accounts/me", {"language": "12-34"}).status_code == 422


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ("wrong1234", "better123", 403),
        ("secret123", "short1", 422),
        ("secret123", "secret123", 422),
        ("secret123", "better123", 204),
    ],
)
def test_change_password(customer, old, new, status):
    response = customer.send("POST", "/accounts/me/password", {"old": old, "new": new})

    assert response.status_code == status


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer x"}, {"Authorization": "x y"}])
def test_without_a_token(client, headers):
    assert client.get("/api/accounts/me", headers=headers).status_code == 401


def test_body_must_be_an_object(client):
    assert client.post("/api/accounts/register", json=[]).status_code == 400
