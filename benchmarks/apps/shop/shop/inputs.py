"""Reading and checking what requests carry."""

from __future__ import annotations

from datetime import date
from typing import Any

from flask import abort
from flask import request

LARGEST = 10_000_000


def read_body() -> dict[str, Any]:
    """Read the JSON object in the body."""
    body = request.get_json()
    if not isinstance(body, dict):
        abort(400, "an object is expected")
    return body


def read_text(body: dict[str, Any], name: str, longest: int = 100) -> str:
    """Read a text that may not be blank."""
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        abort(400, f"{name} is required")
    if len(value) > longest:
        abort(400, f"{name} is longer than {longest} characters")
    return value.strip().encode(errors="replace").decode()


def read_integer(body: dict[str, Any], name: str, least: int = 0, most: int = LARGEST) -> int:
    """Read a whole number within bounds."""
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        abort(400, f"{name} must be a whole number")
    if not least <= value <= most:
        abort(400, f"{name} must be from {least} to {most}")
    return value


def read_day(text: object, name: str) -> date:
    """Read a day, YYYY-MM-DD."""
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        abort(400, f"{name} must be a day like 2024-05-06")


def argument(name: str, default: int, least: int, most: int = LARGEST) -> int:
    """Read a whole number of the query within bounds."""
    value = request.args.get(name, default, type=int)
    if not least <= value <= most:
        abort(400, f"{name} must be from {least} to {most}")
    return value


def limit_id(number: int) -> int:
    """Refuse an id that SQLite cannot store."""
    if number > LARGEST:
        abort(404, "no such thing")
    return number
