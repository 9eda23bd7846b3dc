from __future__ import annotations

import pytest

from pytest_evosearch.write.naming.row_ids import with_ids


def test_rows_that_lack_something_each_are_called_after_what_they_have() -> None:
    queries: list[object] = [{"authorId": 0}, {"country": "a"}, {"country": "a", "authorId": 0}]
    labels = ["without_country", "without_author_id", "with_country"]

    rows = with_ids({"query": queries}, labels)

    assert rows.ids == ("author-id-0", "country-a", "country-a-author-id-0")


def test_a_row_with_one_input_is_called_after_it_whatever_it_lacks() -> None:
    queries: list[object] = [
        {"sort_by": "a"},
        {"sort_order": "b"},
        {"sort_by": "a", "sort_order": "b"},
    ]

    rows = with_ids({"query": queries}, ["", "", ""])

    assert rows.ids == ("sort-by-a", "sort-order-b", "sort-by-a-sort-order-b")


@pytest.mark.parametrize(
    ("emails", "ids"),
    [
        (["a", "a@example.com", "a" * 60], ("a", "a-example-com", "60-characters")),
        (["a", "a" * 30], ("a", "30-characters")),
        (["", "a b"], ("empty", "a-b")),
        ([[], "0"], ("empty", "0")),
    ],
)
def test_what_the_name_says_of_all_rows_is_not_said_again(
    emails: list[object], ids: tuple[str, ...]
) -> None:
    labels = ["missing_password"] * len(emails)

    assert with_ids({"email": emails}, labels).ids == ids


def test_rows_with_many_inputs_are_called_after_what_each_is_told() -> None:
    forms: list[object] = [
        {"password1": "a"},
        {"username": "a", "password1": "a", "password2": "a"},
        {"email": "a", "username": "aa", "password1": "aaaaaa", "password2": "aaaaaa"},
    ]
    messages = ["Password don&#39;t match!", ">Username is too short.<", "Email is invalid."]

    rows = with_ids({"data": forms, "message": messages}, ["", "invalid_data", "invalid_data"])

    assert rows.ids == ("password-dont-match", "username-is-too-short", "email-is-invalid")


def test_what_rows_are_told_says_more_than_what_they_send() -> None:
    changes: list[object] = [{"username": "admin"}, {"email": "a@b.c"}]
    texts = ["Username already taken.", "Email already registered."]

    rows = with_ids({"change": changes, "text": texts}, ["username_admin", ""])

    assert rows.ids == ("username-already-taken", "email-already-registered")


def test_rows_of_pages_are_called_by_their_paths_whatever_the_letters_of_their_texts() -> None:
    rows = with_ids({"path": ["/", "/login"], "text": ["还没有照片", "欢迎回来"]}, ["", ""])

    assert rows.ids == ("/", "/login")


def test_a_row_beside_those_that_lack_something_is_complete() -> None:
    columns = {"email": ["", "验"], "code": ["证", "码"]}

    assert with_ids(columns, ["empty_email", ""]).ids == ("empty-email", "complete")
    full = {**columns, "email": ["邮", "验"]}
    assert with_ids(full, ["long_email", ""]).ids == ("long-email", "plain")
