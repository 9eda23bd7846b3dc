from __future__ import annotations

import ast
from dataclasses import replace

from pytest_evosearch.core.row_store import CREATE
from pytest_evosearch.core.row_store import STATEMENT
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.write.content.arranged_rows import WIDTH
from pytest_evosearch.write.content.arranged_rows import row_statements

STORE = RowStore(imports=("shop.models.db",))
AUTHOR = PlacedRow("shop.models.Author", {"name": "a"}, store=STORE)


def test_call_without_rows_has_no_statements():
    assert row_statements((), "client", ()) == []


def test_rows_are_added_through_the_models_and_parents_have_a_name():
    book = PlacedRow(
        "shop.models.Book",
        {"title": "b", "published": "2000-01-01"},
        {"published": "date"},
        {"author_id": (0, "id")},
        STORE,
    )
    assert list(row_statements((AUTHOR, book), "client", ("author",))) == [
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


def test_two_parents_of_one_model_have_different_variables():
    transfer = PlacedRow("shop.models.Move", {}, {}, {"sender": (0, "id"), "to": (1, "id")}, STORE)
    lines = row_statements((AUTHOR, AUTHOR, transfer), "client", ())
    assert '    author = Author(name="a")' in lines
    assert '    author_row = Author(name="a")' in lines
    assert "    db.session.add(Move(sender=author.id, to=author_row.id))" in lines


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
    lines = row_statements((PlacedRow("shop.Item", values, store=STORE),), "client", ())
    assert max(map(len, lines)) <= WIDTH + 4
    ast.parse("\n".join(lines))


def test_rows_without_models_are_inserted_and_keys_go_on():
    store = RowStore(
        STATEMENT,
        "connection",
        ("shop.get_db",),
        inside=("connection = get_db()",),
        ending=("connection.commit()",),
    )
    rows = (
        PlacedRow("author", {"name": "a"}, store=store),
        PlacedRow("book", {"title": "b"}, parents={"author_id": (0, "id")}, store=store),
    )
    assert list(row_statements(rows, "client", ())) == [
        "from shop import get_db",
        "",
        "with client.application.app_context():",
        "    connection = get_db()",
        "    author_id = connection.execute(",
        '        "INSERT INTO author (name) VALUES (?)",',
        '        ("a",),',
        "    ).lastrowid",
        "    connection.execute(",
        '        "INSERT INTO book (title, author_id) VALUES (?, ?)",',
        '        ("b", author_id),',
        "    )",
        "    connection.commit()",
    ]
    cursor = replace(store, name="cursor", marker="%s", returns_keys=True)
    on_server = tuple(replace(row, store=cursor) for row in rows)
    lines = list(row_statements(on_server, "client", ()))
    inserted = '    cursor.execute("INSERT INTO author (name) VALUES (%s) RETURNING id", ("a",))'
    assert inserted in lines
    assert "    author_id = cursor.fetchone()[0]" in lines


def test_rows_of_peewee_are_created_and_refer_to_one_another():
    store = RowStore(CREATE, "db", ("shop.db",), contexts=("db.connection_context()",), ending=())
    rows = (
        PlacedRow("shop.Author", {"name": "a"}, store=store),
        PlacedRow("shop.Book", {"title": "b"}, parents={"author": (0, "id")}, store=store),
    )
    assert list(row_statements(rows, "client", ())) == [
        "from shop import Author, Book, db",
        "",
        "with db.connection_context():",
        '    author = Author.create(name="a")',
        '    Book.create(title="b", author=author)',
    ]


def test_members_of_enumerations_are_spelled_and_installed_packages_come_first():
    store = RowStore(
        name="session",
        imports=("shop.engine", "sqlalchemy.orm.Session"),
        contexts=("Session(engine) as session",),
        ending=("session.commit()",),
    )
    row = PlacedRow("shop.User", {"tier": "PAID"}, {"tier": "shop.Tier"}, store=store)
    assert list(row_statements((row,), "client", ())) == [
        "from sqlalchemy.orm import Session",
        "",
        "from shop import Tier, User, engine",
        "",
        "with Session(engine) as session:",
        "    session.add(User(tier=Tier.PAID))",
        "    session.commit()",
    ]
