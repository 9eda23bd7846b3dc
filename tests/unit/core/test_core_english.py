from __future__ import annotations

import pytest

from pytest_evosearch.core.english import plural
from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.english import words_of

PAIRS = [
    ("order", "orders"),
    ("category", "categories"),
    ("box", "boxes"),
    ("class", "classes"),
    ("dish", "dishes"),
    ("match", "matches"),
    ("status", "statuses"),
    ("alias", "aliases"),
    ("virus", "viruses"),
    ("database", "databases"),
    ("house", "houses"),
    ("response", "responses"),
    ("cache", "caches"),
    ("movie", "movies"),
    ("person", "people"),
    ("analysis", "analyses"),
    ("key", "keys"),
    ("photo", "photos"),
    ("schema", "schemas"),
    ("order_status", "order_statuses"),
]


@pytest.mark.parametrize(("one", "many"), PAIRS)
def test_singular_and_plural_are_inverse(one: str, many: str) -> None:
    assert singular(many) == one
    assert plural(one) == many


@pytest.mark.parametrize("one", [one for one, _ in PAIRS])
def test_singular_leaves_a_singular_noun_alone(one: str) -> None:
    assert singular(one) == one


@pytest.mark.parametrize("word", ["news", "series", "species", "bus", "gas", "address", "is", ""])
def test_words_that_only_look_like_plurals_stay(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("order_id", ["order", "id"]),
        ("orderId", ["order", "id"]),
        ("APIKey", ["api", "key"]),
        ("userIDs", ["user", "i", "ds"]),
        ("X-Api-Version", ["x", "api", "version"]),
        ("line2", ["line", "2"]),
        ("", []),
    ],
)
def test_names_are_split_into_words(name: str, words: list[str]) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("orderId", "order_id"),
        ("APIKey", "api_key"),
        ("line2", "line2"),
        ("sign-up", "sign_up"),
        ("über mich", "ber_mich"),
        ("--", ""),
    ],
)
def test_snake_case(text: str, name: str) -> None:
    assert snake_case(text) == name
