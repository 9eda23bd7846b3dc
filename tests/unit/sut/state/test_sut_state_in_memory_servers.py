from __future__ import annotations

from collections.abc import Callable
from typing import Any

import fakeredis
import mongomock
import pytest
from flask import Flask

from pytest_evosearch.sut.state.reset import choose_keeper


def documents() -> tuple[Callable[[], object], Callable[[], object]]:
    """Return how to change what a played MongoDB holds, and how to look at it."""
    shop = mongomock.MongoClient().shop
    shop.books.insert_one({"_id": 1, "tags": ["new"]})

    def change() -> None:
        shop.books.update_one({"_id": 1}, {"$push": {"tags": "read"}})
        shop.books.insert_one({"_id": 2})
        shop.authors.create_index("name", unique=True)
        shop.authors.insert_one({"_id": 3})

    def held() -> object:
        return list(shop.books.find()), list(shop.authors.find()), shop.list_collection_names()

    return change, held


def keys() -> tuple[Callable[[], object], Callable[[], object]]:
    """Return the same of a played Redis."""
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    redis.set("title", "Books")
    redis.rpush("queue", 1)
    redis.hset("book", "pages", 100)
    redis.zadd("ranks", {"first": 1})

    def change() -> None:
        redis.set("title", "Papers")
        redis.set("other", "x", ex=100)
        redis.rpush("queue", 2)
        redis.hset("book", "pages", 200)
        redis.zadd("ranks", {"second": 2})
        redis.sadd("tags", "new")

    def held() -> object:
        found = redis.get("title"), redis.lrange("queue", 0, -1), redis.hgetall("book")
        return found, redis.zrange("ranks", 0, -1, withscores=True), sorted(redis.keys())

    return change, held


@pytest.mark.parametrize(
    ("server", "told"), [(documents, "MongoDB by mongomock"), (keys, "Redis by fakeredis")]
)
def test_what_a_played_server_holds_comes_back_whoever_has_it(server: Any, told: str) -> None:
    change, held = server()
    keeper = choose_keeper(Flask("shop"), [])
    keeper.snapshot()
    assert told in keeper.description
    before = held()
    for _ in range(3):
        change()
        assert held() != before
        keeper.restore()
        assert held() == before
    assert keeper.state_source() is None  # the fixtures of the project make it anew
    keeper.close()
