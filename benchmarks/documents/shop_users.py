"""Who logs in to the shop, for tools that are told."""

from __future__ import annotations

from typing import Any

ACCOUNT = {"email": "ann@example.org", "password": "secret123", "birthday": "1990-05-06"}


def log_in(client: Any) -> dict[str, str]:
    """Register, or be registered already, and return the header with a new token."""
    client.post("/api/accounts/register", json=ACCOUNT)
    answer = client.post("/api/accounts/sessions", json=ACCOUNT)
    return {"Authorization": f"Bearer {answer.json.get('token')}"}


def users() -> dict[str, Any]:
    """Return a customer, and the key of the administration."""
    return {"customer": log_in, "administration": {"X-Admin-Key": "change-me"}}
