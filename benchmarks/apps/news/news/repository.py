"""Reading and writing news, with the constraints of the entity."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from datetime import timezone

from news.countries import is_country
from news.database import connect

MAXIMUM_AUTHOR_LENGTH = 32
MAXIMUM_TEXT_LENGTH = 1024


class ConstraintViolationError(ValueError):
    """Say which constraints a piece of news violates."""


@dataclass(frozen=True)
class News:
    """A piece of news."""

    id: int
    author_id: str
    text: str
    country: str
    creation_time: str


def validate(author_id: str, text: str, country: str) -> None:
    """Check the constraints of the entity.

    Raises:
        ConstraintViolationError: with every message, joined.
    """
    violations = []
    if not author_id.strip():
        violations.append("authorId must not be blank")
    if len(author_id) > MAXIMUM_AUTHOR_LENGTH:
        violations.append("authorId is too long")
    if not text.strip():
        violations.append("text must not be blank")
    if len(text) > MAXIMUM_TEXT_LENGTH:
        violations.append("text is too long")
    if not is_country(country):
        violations.append("country is not valid")
    if violations:
        raise ConstraintViolationError(", ".join(violations))


def create(author_id: str, text: str, country: str) -> int | None:
    """Store a piece of news of now and return its id."""
    validate(author_id, text, country)
    now = datetime.now(timezone.utc).isoformat()
    database = connect()
    cursor = database.execute(
        "INSERT INTO news (author_id, text, country, creation_time) VALUES (?, ?, ?, ?)",
        (author_id, text, country, now),
    )
    database.commit()
    return cursor.lastrowid


def find(news_id: int) -> News | None:
    """Find a piece of news by its id."""
    row = connect().execute("SELECT * FROM news WHERE id = ?", (news_id,)).fetchone()
    return None if row is None else read_row(row)


def find_all() -> list[News]:
    """List all news."""
    return [read_row(row) for row in connect().execute("SELECT * FROM news ORDER BY id")]


def find_by_country(country: str) -> list[News]:
    """List the news of a country."""
    rows = connect().execute("SELECT * FROM news WHERE country = ? ORDER BY id", (country,))
    return [read_row(row) for row in rows]


def find_by_author(author_id: str) -> list[News]:
    """List the news of an author."""
    rows = connect().execute("SELECT * FROM news WHERE author_id = ? ORDER BY id", (author_id,))
    return [read_row(row) for row in rows]


def find_by_country_and_author(country: str, author_id: str) -> list[News]:
    """List the news of an author from a country."""
    rows = connect().execute(
        "SELECT * FROM news WHERE country = ? AND author_id = ? ORDER BY id", (country, author_id)
    )
    return [read_row(row) for row in rows]


def update(news: News) -> None:
    """Replace a piece of news."""
    validate(news.author_id, news.text, news.country)
    database = connect()
    database.execute(
        "UPDATE news SET author_id = ?, text = ?, country = ?, creation_time = ? WHERE id = ?",
        (news.author_id, news.text, news.country, news.creation_time, news.id),
    )
    database.commit()


def delete(news_id: int) -> None:
    """Delete a piece of news."""
    database = connect()
    database.execute("DELETE FROM news WHERE id = ?", (news_id,))
    database.commit()


def read_row(row: sqlite3.Row) -> News:
    """Read a row of the table."""
    return News(row["id"], row["author_id"], row["text"], row["country"], row["creation_time"])
