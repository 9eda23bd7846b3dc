from __future__ import annotations

import ast

from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.write.content.arranged_rows import WIDTH
from pytest_evosearch.write.content.arranged_rows import row_statements

AUTHOR = PlacedRow("shop.models.Author", {"name": "a"}, session="shop.models.db")


def test_call_without_rows_has_no_statements():
    assert row_statements((), "client", ()) == []


def test_rows_are_added_through_the_models_and_parents_have_a_name():
    book = PlacedRow(
        "shop.models.Book",
        {"title": "b", "published": "2000-01-01"},
        {"published": "date"},
        {"author_id": (0, "id")},
        "shop.models.db",
    )
    assert row_statements((AUTHOR, book), "client", ("author",)) == [
        "from datetime import date",
        "",
        "from shop.models import Author, Book, db",
        "",
        "with client.application.app_context():",
        '    author_row = Author(name="a")',
        "    db.session.add(author_row)",
        "    db.session.flush()",
        "    db.session.add(",
        "        Book(",
        '            title="b",',
        '            published=date.fromisoformat("2000-01-01"),',
        "            author_id=author_row.id,",
        "        )",
        "    )",
        "    db.session.commit()",
    ]


def test_session_that_no_module_holds_is_taken_from_the_application():
    lines = row_statements((PlacedRow("shop.Item", {"price": 3}),), "client", ())
    assert lines == [
        "from shop import Item",
        "",
        'db = client.application.extensions["sqlalchemy"]',
        "with client.application.app_context():",
        "    db.session.add(Item(price=3))",
        "    db.session.commit()",
    ]


def test_long_rows_stay_within_the_line_and_are_code():
    values = {f"attribute_{number}": "x" * 20 for number in range(5)}
    lines = row_statements((PlacedRow("shop.Item", values, session="shop.db"),), "client", ())
    assert max(map(len, lines)) <= WIDTH + 4
    ast.parse("\n".join(lines))
