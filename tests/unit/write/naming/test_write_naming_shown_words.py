from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.naming.shown_words import asserted_keys
from pytest_evosearch.write.naming.shown_words import document_words
from pytest_evosearch.write.naming.shown_words import page_words
from pytest_evosearch.write.naming.shown_words import plain_words

BOOK = {"id": 1, "title": "Emma", "price": 5, "created_at": "2026-01-01", "isbn": None}


@pytest.mark.parametrize(
    ("document", "sent", "words"),
    [
        (BOOK, (), "returns_title_and_price"),
        (BOOK, ("Emma",), "returns_price"),  # what merely comes back says less
        ({"id": 1, "created_at": "2026-01-01"}, (), "returns_created_at"),
        ({"id": 1}, (), "returns_id"),
        ({"message": "The cart is empty", "items": []}, (), "says_cart_is_empty"),
        ({"message": "Welcome ann", "ok": True}, ("ann",), "returns_message_and_ok"),
        ({"id": 1, "description": "a good book"}, (), "returns_description"),
        ({"orders": [1], "total": 3}, (), "returns_orders_and_total"),
        ({"zzz": 1}, ("zzz",), ""),  # a key that was sent is no word for its value
        ({"first_long_key_of_a_document": "a", "second_long_key": "b"}, (),
         "returns_first_long_key_of_a_document"),
        ({"a" * 40: "a"}, (), ""),
    ],
)  # fmt: skip
def test_a_document_is_named_by_its_most_telling_keys(
    document: dict[str, object], sent: tuple[str, ...], words: str
) -> None:
    assert document_words(document, tuple(document), sent) == words


def test_what_a_write_sends_and_gets_back_is_its_point() -> None:
    assert document_words(BOOK, tuple(BOOK), ("Emma",), writes=True) == "returns_title"
    assert document_words(BOOK, tuple(BOOK), ("x",), writes=True) == "returns_title_and_price"


def test_only_asserted_keys_are_named() -> None:
    assert document_words(BOOK, ("id", "price"), ()) == "returns_price"
    assert document_words(BOOK, (), ()) == ""


def test_keys_are_asserted_by_facts_about_their_values() -> None:
    whole = Fact("json", (), {"title": "Emma", "stamp": Unstable("it differs")})

    assert asserted_keys([Fact("status", (), 200), whole]) == ("title",)
    assert asserted_keys([Fact("length", ("books",), 2), Fact("json", ("books", 0), 1)]) == (
        "books",
    )


WORDING = Wording.of("<h1>Popular Brands</h1>")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("Popular Brands",), "shows_popular_brands"),
        ((">Acme<", "Popular Brands"), "shows_popular_brands"),
        ((">Acme<",), "shows_acme"),
        (("Acme: 3 Popular",), "shows_its_data"),
        ((), ""),
        (('value="Popular Brands"',), "shows_its_data"),
    ],
)
def test_a_page_is_named_by_a_text_of_its_template(texts: tuple[str, ...], words: str) -> None:
    assert page_words(texts, (), WORDING, {}) == words


def test_no_page_is_named_by_what_was_sent() -> None:
    assert page_words(("Popular Brands",), ("Brands",), Wording(), {}) == "shows_its_data"
    assert page_words(("Popular Brands",), ("and",), Wording(), {}) == "shows_popular_brands"


def test_words_of_a_template_around_what_was_sent_or_counted_are_a_name() -> None:
    counted = Wording.of("<p>{{ n }} followers, {{ m }} following.</p>")

    assert page_words((">0 followers, 3 following.<",), (), counted, {}) == (
        "shows_followers_following"
    )
    assert page_words(("ann 3",), ("ann",), counted, {}) == "shows_its_data"
    assert page_words(("ann following",), ("ann",), counted, {}) == "shows_its_data"


def test_a_page_that_only_repeats_what_was_searched_for_has_no_data() -> None:
    texts = ('>搜索 "b" 的结果<',)

    assert page_words(texts, ("b",), WORDING, {"b": "q"}) == "echoes_q"
    assert page_words((*texts, ">3<"), ("b",), WORDING, {"b": "q"}) == "shows_its_data"
    assert page_words(texts, ("b",), WORDING, {"c": "q"}) == "shows_its_data"


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("application/pdf", b"%PDF", "returns_pdf"),
        ("text/csv", b"a,b", "returns_csv"),
        ("application/x-tar", b"a", "returns_tar"),
        ("text/plain", b"Hello World", "says_hello_world"),
        ("text/html", b"Hello World", "says_hello_world"),
        ("text/plain", b"42", ""),
        ("text/html", b"<p>Hello</p>", ""),
        ("application/json", b"{}", ""),
        ("application/pdf", b"", ""),
    ],
)
def test_a_file_is_named_by_its_kind(kind: str, body: bytes, words: str) -> None:
    assert plain_words(Response(200, (("Content-Type", kind),), body), ()) == words
