"""Keys of Redis come back, and a throw-away server stands in for the user's."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.database_servers.places import REDIS
from pytest_evosearch.sut.database_servers.places import Place
from pytest_evosearch.sut.database_servers.preserved_servers import preserved_servers
from pytest_evosearch.sut.database_servers.redis_keys import RedisServer
from pytest_evosearch.sut.database_servers.servers_keeper import ServersKeeper
from pytest_evosearch.sut.servers.postgresql_server import NoServer
from pytest_evosearch.sut.servers.redis_server import redis_server
from pytest_evosearch.sut.servers.throw_away_servers import ThrowAwayServers

redis = pytest.importorskip("redis")


@pytest.fixture(scope="module")
def address() -> Iterator[Path]:
    try:
        with redis_server() as found:
            yield found
    except NoServer as error:
        pytest.skip(str(error))


@pytest.fixture
def other(address: Path) -> Iterator[Any]:
    """A client that was there before the search."""
    with redis.Redis(unix_socket_path=str(address)) as client:
        client.flushall()
        client.set("greeting", "hello")
        client.hset("basket", mapping={"apple": 1})
        client.rpush("queue", "a", "b")
        client.zadd("scores", {"me": 1})
        yield client


def content(client: Any) -> dict[bytes, bytes]:
    return {key: client.dump(key) for key in client.scan_iter() if b"evosearch" not in key}


def random_command(generator: random.Random) -> tuple[object, ...]:
    return generator.choice(
        [
            ("SET", "greeting", generator.randrange(9)),
            ("SET", "passing", "x", "EX", "100"),
            ("DEL", "basket"),
            ("HINCRBY", "basket", "pear", 1),
            ("RPUSH", "queue", "c"),
            ("LPOP", "queue"),
            ("ZINCRBY", "scores", 2, "you"),
            ("RENAME", "greeting", "farewell"),
            ("GET", "greeting"),
            ("FLUSHDB",),
        ]
    )


def test_every_random_state_comes_back(address: Path, other: Any) -> None:
    generator = random.Random(5)
    before = content(other)
    with watched_server_connections() as connections:
        client = redis.Redis(unix_socket_path=str(address))
        client.ping()
        keeper = ServersKeeper(connections)
        keeper.snapshot()
        assert keeper.description == "Redis by keys"
        for _ in range(60):
            for _ in range(generator.randrange(4)):
                with suppress(redis.ResponseError):
                    client.execute_command(*random_command(generator))
            keeper.restore()
            assert content(other) == before
        keeper.close()
        client.close()


def test_what_fixtures_change_is_put_back_at_the_end(
    address: Path, other: Any, tmp_path: Path
) -> None:
    before = content(other)
    with watched_server_connections(), preserved_servers(tmp_path / "journal"):
        client = redis.Redis(unix_socket_path=str(address))
        client.flushall()
        client.set("of a fixture", 1)
        client.close()
    assert content(other) == before
    assert other.info("keyspace").keys() == {"db0"}


def test_what_a_killed_run_has_left_is_put_back(address: Path, other: Any) -> None:
    before = content(other)
    with watched_server_connections() as connections:
        client = redis.Redis(unix_socket_path=str(address))
        client.ping()
        (seen,) = connections.databases.values()
        RedisServer(seen.place, seen.open_session).preserve()
        client.delete("basket")
        client.set("new", 1)
        client.close()
        assert RedisServer(seen.place, seen.open_session).recover()
        assert not RedisServer(seen.place, seen.open_session).recover()
    assert content(other) == before


def test_connections_to_a_named_server_lead_to_a_throw_away_one() -> None:
    with ExitStack() as stack:
        servers = ThrowAwayServers(stack)
        connections = stack.enter_context(watched_server_connections(servers.lead))
        client = redis.Redis.from_url("redis://me:secret@redis.invalid:6379/3")
        try:
            client.set("greeting", "hello")
        except redis.ConnectionError:
            pytest.skip("there is no Redis on this machine")
        assert client.get("greeting") == b"hello"
        assert connections.leads_redis()
        assert connections.led_driver() == ""
        client.close()


def test_without_programs_the_server_seems_to_be_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with ExitStack() as stack:
        servers = ThrowAwayServers(stack)
        with pytest.raises(ConnectionRefusedError, match="redis-server"):
            servers.start(Place(REDIS, "", 6379, "all"))
