from __future__ import annotations

import ast
from dataclasses import replace

from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.fixture_texts.borrowed_text import CaseText
from pytest_evosearch.sut.fixture_texts.borrowed_text import case_fixtures
from pytest_evosearch.sut.fixture_texts.borrowed_text import imports_of_fixtures
from pytest_evosearch.sut.fixture_texts.support_text import fixtures_conftest_text
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.builder import WrittenTest
from pytest_evosearch.write.content.builder import build_test
from pytest_evosearch.write.content.specimen import Specimen
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


def test_written_tests_and_their_conftest_are_python_whatever_folders_are_called() -> None:
    store = RowStore(imports=("my-shop.models.db",))
    row = PlacedRow("my-shop.models.Book", {"title": "a"}, store=store)
    exchange = Exchange(Request("GET", "/books", rows=(row,)), Response(200))
    case = CaseText("my-tests.base", "Case", "case.app", "case.client")
    borrowed = [
        case_fixtures(case),
        imports_of_fixtures({"test-api": ["client"]}),
    ]

    built = replace(build_test(Specimen((exchange,)), Surroundings()), name="test_books")
    test = print_test(built, Layout(), {})
    conftest = fixtures_conftest_text(borrowed)

    ast.parse("\n".join(test))
    ast.parse(conftest)
    assert '    Book = import_module("my-shop.models").Book' in test
    assert 'client = import_module("test-api").client' in conftest
