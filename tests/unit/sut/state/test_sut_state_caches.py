from __future__ import annotations

import pytest
from flask import Flask
from flask_caching import Cache
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from pytest_evosearch.sut.state.caches import CachesKeeper


def shop(cache_type: str = "SimpleCache") -> Flask:
    """Return an application that caches a page, and allows two more requests of another."""
    app = Flask("shop")
    cache = Cache(app, config={"CACHE_TYPE": cache_type})
    limiter = Limiter(get_remote_address, app=app, storage_uri="memory://")
    greetings = iter(("Hello", "Hello again"))

    @app.get("/")
    @cache.cached(60)
    def index() -> str:
        return next(greetings)

    @app.get("/rare")
    @limiter.limit("2 per day")
    def rare() -> str:
        return "rare"

    return app


def test_caches_are_emptied_and_limits_reset() -> None:
    app = shop()
    client = app.test_client()
    keeper = CachesKeeper(app)
    keeper.snapshot()
    assert [client.get("/").text, client.get("/").text] == ["Hello", "Hello"]
    assert [client.get("/rare").status_code for _ in range(3)] == [200, 200, 429]

    keeper.restore()

    assert client.get("/").text == "Hello again"
    assert client.get("/rare").status_code == 200


@pytest.mark.parametrize(
    ("pages", "names"),
    [
        ([], []),
        (["/"], ["emptied_caches"]),
        (["/rare"], ["reset_rate_limits"]),
        (["/", "/rare"], ["emptied_caches", "reset_rate_limits"]),
    ],
)
def test_fixtures_are_written_for_what_was_filled(pages: list[str], names: list[str]) -> None:
    app = shop()
    keeper = CachesKeeper(app)
    keeper.snapshot()
    for page in pages:
        app.test_client().get(page)

    keeper.restore()

    sources = keeper.sources("shop_client")
    assert [source.split("def ")[1].split("(")[0] for source in sources] == names
    for source in sources:
        assert "(shop_client):" in source
        compile(source, "conftest.py", "exec")


def test_a_cache_elsewhere_is_left_alone(tmp_path) -> None:
    app = Flask("shop")
    cache = Cache(app, config={"CACHE_TYPE": "FileSystemCache", "CACHE_DIR": str(tmp_path)})
    keeper = CachesKeeper(app)
    keeper.snapshot()
    with app.app_context():
        cache.set("greeting", "Hello")

    keeper.restore()

    assert keeper.sources("client") == []
    with app.app_context():
        assert cache.get("greeting") == "Hello"


def test_an_application_without_caches_needs_nothing() -> None:
    keeper = CachesKeeper(Flask("shop"))
    keeper.snapshot()
    keeper.restore()
    assert keeper.sources("client") == []
