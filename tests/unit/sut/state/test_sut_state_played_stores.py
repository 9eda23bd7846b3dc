"""Fixtures get hold of what mongomock and fakeredis hold, and put it back."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import fakeredis
import mongomock
import pytest
from flask import Flask

from pytest_evosearch.sut.fixture_texts.played_store_text import played_store_fixtures
from pytest_evosearch.sut.state.played_stores import played_stores


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    found = ModuleType("played_shop")
    monkeypatch.setitem(sys.modules, found.__name__, found)
    return found


def test_clients_are_found_at_the_application_and_in_modules_once_a_store(
    module: ModuleType,
) -> None:
    app: Any = Flask("played_shop")
    shop = mongomock.MongoClient().shop
    app.database = shop
    app.config["BOOKS"] = shop.books
    module.redis = fakeredis.FakeRedis()  # type: ignore[attr-defined]
    found = played_stores(app, [module])
    assert [(one.package, one.expression) for one in found] == [
        ("fakeredis", "played_shop.redis"),
        ("mongomock", "app.database.client"),
    ]


def test_application_without_any_has_none() -> None:
    assert played_stores(Flask("bare"), []) == ()


def test_what_a_test_changes_is_put_back(
    module: ModuleType, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    app: Any = Flask("played_shop")
    app.database = mongomock.MongoClient().shop
    app.database.books.insert_one({"_id": 1})
    module.app = app  # type: ignore[attr-defined]
    module.redis = redis = fakeredis.FakeRedis()  # type: ignore[attr-defined]
    redis.set("title", "Emma")
    fixtures = played_store_fixtures(played_stores(app, [module]), "client", ["client"])
    pytester.makeconftest(
        "import pytest\nfrom played_shop import app\n\n@pytest.fixture\n"
        f"def client():\n    return app.test_client()\n\n{fixtures}"
    )
    pytester.makepyfile(
        "from played_shop import app, redis\n\ndef test_change():\n"
        "    app.database.books.delete_many({})\n"
        "    app.database.authors.insert_one({'_id': 3})\n"
        "    redis.set('title', 'Persuasion')\n    redis.rpush('queue', 1)\n"
    )
    pytester.runpytest_inprocess("-p", "no:evosearch").assert_outcomes(passed=1)
    assert list(app.database.books.find()) == [{"_id": 1}]
    assert list(app.database.authors.find()) == []
    assert (redis.get("title"), redis.keys()) == (b"Emma", [b"title"])
