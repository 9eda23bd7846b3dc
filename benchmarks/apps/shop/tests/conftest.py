from __future__ import annotations

import pytest

from shop import create_app


@pytest.fixture
def app(tmp_path):
    return create_app({"TESTING": True, "DATABASE": str(tmp_path / "shop.sqlite")})


@pytest.fixture
def client(app):
    return app.test_client()


class Customer:
    """Somebody with an account, whose requests carry the token."""

    def __init__(self, client):
        self._client = client
        self.headers = {}

    def login(self, email="ann@example.org", **profile):
        account = {"email": email, "password": "secret123"}
        self._client.post("/api/accounts/register", json={**account, **profile})
        token = self._client.post("/api/accounts/sessions", json=account).json["token"]
        self.headers = {"Authorization": f"Bearer {token}"}
        return self

    def send(self, method, path, body=None):
        return self._client.open(f"/api{path}", method=method, headers=self.headers, json=body)


@pytest.fixture
def customer(client):
    return Customer(client).login()
