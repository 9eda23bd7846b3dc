from __future__ import annotations

from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.written_calls import WrittenCall
from pytest_evosearch.write.modules.printing import print_test

FILLING = ("", "with client.application.app_context():", "    db.session.commit()")


def read(path: str, variable: str, *before: str) -> WrittenCall:
    facts = (Fact("status", (), 200),)
    return WrittenCall("GET", (path,), (), before=before, variable=variable, facts=facts)


def test_what_rows_need_is_imported_once_at_the_head_of_a_test() -> None:
    books, orders = "from shop.books import Book, db", "from shop.orders import Order, db"
    calls = (
        read("/", "found"),
        read("/books", "listed", books, *FILLING),
        read("/books", "listed_again", books, *FILLING),
        read("/orders", "response", "import datetime", "", orders, *FILLING),
    )

    lines = print_test(WrittenTest("test_all", ("client",), calls, None), Layout(), {})

    assert lines[1:8] == [
        f"    {books}",
        "",
        "    import datetime",
        "",
        f"    {orders}",
        "",
        '    found = client.get("/")',
    ]
    assert sum("import" in line for line in lines) == 3
    assert lines.count(f"    {FILLING[1]}") == 3
