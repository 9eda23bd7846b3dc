"""The HTTP side: a resource of news, and the list of countries."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace
from datetime import datetime

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue

from news import repository
from news.countries import list_countries
from news.repository import ConstraintViolationError
from news.repository import News

JSON = "application/json"
NEWS_JSON = "application/vnd.tsdes.news+json"
LONG_MIN = -(2**63)
LONG_MAX = 2**63 - 1

blueprint = Blueprint("news", __name__)


@dataclass(frozen=True)
class NewsDto:
    """News as it travels; ``id`` is the deprecated name of ``newsId``."""

    news_id: str | None
    id: str | None
    author_id: str | None
    text: str | None
    country: str | None
    creation_time: str | None


def parse_long(text: str | None) -> int | None:
    """Read a 64-bit integer; None for anything else."""
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        return None
    return number if LONG_MIN <= number <= LONG_MAX else None


def read_text(body: dict[str, object], name: str) -> str | None:
    """Read a nullable string of the body; numbers become strings, as with Jackson."""
    value = body.get(name)
    if value is None:
        return None
    if isinstance(value, (list, dict)):
        abort(400)
    return str(value).encode("utf-8", "replace").decode()  # no lone surrogates, as in Java


def read_time(body: dict[str, object], name: str) -> str | None:
    """Read a nullable date-time of the body."""
    text = read_text(body, name)
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).isoformat()
    except ValueError:
        abort(400)


def read_dto(*media_types: str) -> NewsDto:
    """Read the news that the request carries."""
    if request.mimetype not in media_types:
        abort(415)
    body = request.get_json(force=True)
    if not isinstance(body, dict):
        abort(400)
    return NewsDto(
        news_id=read_text(body, "newsId"),
        id=read_text(body, "id"),
        author_id=read_text(body, "authorId"),
        text=read_text(body, "text"),
        country=read_text(body, "country"),
        creation_time=read_time(body, "creationTime"),
    )


def write_dto(news: News) -> dict[str, str]:
    """Write news with both of its names for the id."""
    return {
        "newsId": str(news.id),
        "id": str(news.id),
        "authorId": news.author_id,
        "text": news.text,
        "country": news.country,
        "creationTime": news.creation_time,
    }


@blueprint.errorhandler(ConstraintViolationError)
def refuse_violation(error: ConstraintViolationError) -> ResponseReturnValue:
    """Refuse what violates a constraint, with the messages."""
    return str(error), 400, {"Content-Type": "text/plain"}


@blueprint.get("/countries")
def get_countries() -> Response:
    """List the countries."""
    return jsonify(list_countries())


@blueprint.get("/news")
def get_news() -> Response:
    """List the news, all or those of a country, an author, or both."""
    country = request.args.get("country", "")
    author_id = request.args.get("authorId", "")
    if not country.strip() and not author_id.strip():
        found = repository.find_all()
    elif country.strip() and author_id.strip():
        found = repository.find_by_country_and_author(country, author_id)
    elif country.strip():
        found = repository.find_by_country(country)
    else:
        found = repository.find_by_author(author_id)
    return jsonify([write_dto(news) for news in found])


@blueprint.post("/news")
def create_news() -> ResponseReturnValue:
    """Create a piece of news; the answer is its id."""
    dto = read_dto(JSON, NEWS_JSON)
    if dto.id or dto.news_id:
        abort(400)  # the server chooses the id
    if dto.creation_time is not None:
        abort(400)  # and the time
    if dto.author_id is None or dto.text is None or dto.country is None:
        abort(400)
    news_id = repository.create(dto.author_id, dto.text, dto.country)
    if news_id is None:
        abort(500)
    return jsonify(news_id), 201


@blueprint.get("/news/<path_id>")
def get_news_by_id(path_id: str) -> Response:
    """Get a piece of news."""
    news_id = parse_long(path_id)
    if news_id is None:
        abort(404)
    news = repository.find(news_id)
    if news is None:
        abort(404)
    return jsonify(write_dto(news))


@blueprint.put("/news/<path_id>")
def replace_news(path_id: str) -> ResponseReturnValue:
    """Replace a piece of news."""
    dto = read_dto(JSON)
    dto_id = dto.id if dto.news_id is None else dto.news_id
    news_id = parse_long(dto_id)
    if news_id is None:
        abort(404)
    if dto_id != path_id:
        abort(409)
    if repository.find(news_id) is None:
        abort(404)
    if dto.text is None or dto.author_id is None or dto.country is None:
        abort(400)
    if dto.creation_time is None:
        abort(400)
    repository.update(News(news_id, dto.author_id, dto.text, dto.country, dto.creation_time))
    return "", 204


@blueprint.put("/news/<path_id>/text")
def replace_text(path_id: str) -> ResponseReturnValue:
    """Replace the text of a piece of news."""
    if request.mimetype != "text/plain":
        abort(415)
    news_id = parse_long(path_id)
    if news_id is None:
        abort(400)
    news = repository.find(news_id)
    if news is None:
        abort(404)
    repository.update(replace(news, text=request.get_data(as_text=True)))
    return "", 204


@blueprint.delete("/news/<path_id>")
def delete_news(path_id: str) -> ResponseReturnValue:
    """Delete a piece of news."""
    news_id = parse_long(path_id)
    if news_id is None:
        abort(400)
    if repository.find(news_id) is None:
        abort(404)
    repository.delete(news_id)
    return "", 204
