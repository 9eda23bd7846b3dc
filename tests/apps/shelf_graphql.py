"""An application that answers GraphQL, with nothing but graphql-core."""

from __future__ import annotations

from typing import Any

from flask import Flask
from flask import jsonify
from flask import request
from graphql import GraphQLError
from graphql import build_schema
from graphql import graphql_sync

schema = build_schema(
    """
    enum Genre { NOVEL POETRY }
    type Author { name: String! books: [Book!]! }
    type Book { id: ID! title: String! genre: Genre! price: Float author: Author! }
    input BookInput { title: String! genre: Genre = NOVEL price: Float tags: [String!] }
    type BookPayload { ok: Boolean! book: Book }
    type Query {
      books(genre: Genre, limit: Int = 10): [Book!]!
      book(id: ID!): Book
      averagePrice: Float
    }
    type Mutation {
      addBook(book: BookInput!): BookPayload!
      rate(bookId: ID!, stars: Int!): Float!
    }
    """
)
BOOKS: dict[str, dict[str, Any]] = {}
app = Flask(__name__)


def find_books(_info, genre=None, limit=10):
    return [book for book in BOOKS.values() if genre in (None, book["genre"])][:limit]


def find_book(_info, **wanted):
    return BOOKS.get(wanted["id"])


def average_price(_info):
    prices = [book["price"] for book in BOOKS.values()]
    return sum(prices) / len(prices)


def add_book(_info, book):
    if len(book["title"]) < 2:
        raise GraphQLError("the title is too short")
    made = {"price": 1.0, **book, "id": str(7 + len(BOOKS)), "author": find_author}
    BOOKS[made["id"]] = made
    return {"ok": True, "book": made}


def find_author(_info):
    return {"name": "Ann", "books": list(BOOKS.values())}


def rate(_info, stars, **wanted):
    if wanted["bookId"] not in BOOKS:
        raise LookupError("no such book")
    return (4.0 + stars) / 2


ROOT = {
    "books": find_books,
    "book": find_book,
    "averagePrice": average_price,
    "addBook": add_book,
    "rate": rate,
}


@app.post("/graphql")
def serve():
    asked = request.get_json()
    values = asked.get("variables")
    return jsonify(graphql_sync(schema, asked["query"], ROOT, variable_values=values).formatted)
