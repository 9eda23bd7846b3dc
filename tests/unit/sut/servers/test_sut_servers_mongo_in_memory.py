"""MongoDB is played in memory, in the search as in the written tests."""

from __future__ import annotations

import importlib.util
import socket
from typing import Any

import pymongo
import pytest

from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.sut.servers import mongo_in_memory as played
from pytest_evosearch.sut.servers.mongo_in_memory import mongo_in_memory


@pytest.fixture
def without_mongomock(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> Any:
        return None if name == "mongomock" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)


def test_all_clients_have_one_store_and_the_real_class_comes_back() -> None:
    real: Any = pymongo.MongoClient
    with mongo_in_memory() as is_used:
        assert not is_used()
        first: Any = pymongo.MongoClient("mongodb://db.example.org:27017/shop")
        first.shop.items.insert_one({"name": "tea"})
        second: Any = pymongo.MongoClient(host="localhost", serverSelectionTimeoutMS=5)
        assert [one["name"] for one in second["shop"]["items"].find()] == ["tea"]
        assert is_used()
    assert pymongo.MongoClient is real


def test_the_written_fixture_does_the_same() -> None:
    namespace: dict[str, Any] = {"pytest": pytest}
    exec(played.mongo_fixture(), namespace)
    real: Any = pymongo.MongoClient
    setting_up = namespace[played.FIXTURE].__wrapped__()
    next(setting_up)
    client: Any = pymongo.MongoClient()
    client.shop.items.insert_one({"name": "tea"})
    other: Any = pymongo.MongoClient("mongodb://db.example.org")
    assert other.shop.items.count_documents({}) == 1
    setting_up.close()
    assert pymongo.MongoClient is real


@pytest.mark.usefixtures("without_mongomock")
def test_without_mongomock_a_server_that_answers_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, mongo_in_memory():
        port = listening.getsockname()[1]
        address = f"mongodb://127.0.0.1:{port}/?connect=false"
        with pytest.raises(EvosearchUsageError, match=rf"127.0.0.1:{port}.*mongomock"):
            pymongo.MongoClient(address)


@pytest.mark.usefixtures("without_mongomock")
def test_without_mongomock_a_server_that_is_not_there_is_left_to_the_application() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with mongo_in_memory() as is_used:
        pymongo.MongoClient(f"mongodb://127.0.0.1:{port}/?connect=false").close()
        assert not is_used()
    assert "mongomock is not installed" in played.advice()


def test_with_mongomock_there_is_nothing_to_advise() -> None:
    assert played.advice() == ""


def test_what_the_replacement_cannot_do_is_no_fault_of_the_application() -> None:
    with mongo_in_memory():
        client: Any = pymongo.MongoClient()
        buckets = {"$bucketAuto": {"groupBy": "$price", "buckets": 2}}
        client.shop.items.insert_one({"price": 1})
        with pytest.raises(NotImplementedError) as caught:
            list(client.shop.items.aggregate([buckets]))

    def source_name(path: str) -> str | None:
        return path if path == __file__ else None

    assert describe_crash(caught.value, source_name).unreachable
    assert not describe_crash(NotImplementedError("of the application"), source_name).unreachable
