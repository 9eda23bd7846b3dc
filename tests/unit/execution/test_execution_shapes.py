"""Applications of unusual shape answer the executor as they answer their own client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask import Response
from flask import current_app
from flask import g
from flask import request
from flask.testing import FlaskClient
from hosts import OneApplication
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.middleware.proxy_fix import ProxyFix

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings


@contextmanager
def asking(app: Flask) -> Iterator[Any]:
    """Yield a function that sends one call to each of some endpoints, in one test."""
    settings = Settings(
        Budget.parse("1x"), 1, Path(__file__).parent, search=SearchSettings(level=0)
    )
    with prepared(settings, OneApplication(app), None) as ready:

        def ask(*keys: str) -> tuple[Exchange, ...]:
            calls = tuple(Call(key, (), number) for number, key in enumerate(keys))
            observation = ready.executor.evaluate(Individual(calls)).observation
            assert isinstance(observation, Observation)
            return observation.exchanges

        yield ask


def body(exchange: Exchange) -> str:
    """Return the text of an answer."""
    assert exchange.response is not None
    return exchange.response.body.decode()


def test_async_views_and_hooks():
    """Flask runs each in a loop of its own."""
    pytest.importorskip("asgiref")
    app = Flask(__name__)

    @app.before_request
    async def before():
        g.word = "later"

    @app.get("/")
    async def index():
        return g.word

    with asking(app) as ask:
        assert [body(exchange) for exchange in ask("GET /", "GET /")] == ["later", "later"]


def test_a_stream_is_read_in_its_context_and_its_crash_is_seen():
    """A generator runs after the view has returned."""
    app = Flask(__name__)

    @app.get("/")
    def index():
        from flask import stream_with_context

        return Response(stream_with_context(f"{part}{request.path}" for part in "ab"))

    @app.get("/broken")
    def broken():
        def parts():
            yield "a"
            raise LookupError("midway")

        return Response(parts())

    with asking(app) as ask:
        whole, half = ask("GET /", "GET /broken")
        assert body(whole) == "a/b/"
        assert half.crash is not None
        assert half.crash.type_name == "LookupError"


def test_hosts_decide_where_rules_match_them():
    """Each endpoint is asked under its own host."""
    app = Flask(__name__, host_matching=True, static_host="shop.test")
    app.config["SERVER_NAME"] = "shop.test"
    for host in ("shop.test", "<tenant>.shop.test"):
        app.add_url_rule("/", f"on {host}", lambda **_names: request.host, host=host)
    app.add_url_rule("/api", "api", lambda: request.host, host="api.test")

    with asking(app) as ask:
        assert body(ask("GET /api")[0]) == "api.test"
        assert body(ask("GET /")[0]).endswith("shop.test")


def test_subdomains_below_the_server_name():
    """A rule of a subdomain answers nowhere else."""
    app = Flask(__name__, subdomain_matching=True)
    app.config["SERVER_NAME"] = "shop.test"
    app.add_url_rule("/", "admin", lambda: request.host, subdomain="admin")

    with asking(app) as ask:
        assert body(ask("GET /")[0]) == "admin.shop.test"


def test_middlewares_and_mounted_applications():
    """What lies around the application is part of it."""
    app, mounted, deep = Flask(__name__), Flask("mounted"), Flask("deep")
    app.add_url_rule("/", "index", lambda: request.remote_addr or "nobody")
    mounted.add_url_rule("/items", "inner", lambda: f"items {request.args.get('q')}")
    deep.add_url_rule("/", "deepest", lambda: f"below {request.script_root}")
    mounted.wsgi_app = DispatcherMiddleware(mounted.wsgi_app, {"/deep": ProxyFix(deep)})
    app.wsgi_app = ProxyFix(DispatcherMiddleware(app.wsgi_app, {"/inner": mounted}))

    with asking(app) as ask:
        index, inner, deepest = ask("GET /", "GET /inner/items", "GET /inner/deep/")
        assert body(index) == "127.0.0.1"
        assert body(inner) == "items None"
        assert [read.path for read in inner.reads] == [("q",)]
        assert body(deepest) == "below /inner/deep"


def test_clients_of_the_project_send_what_they_always_send():
    """A class of its own may add a token to everything."""

    class Client(FlaskClient):
        def open(self, *args, **kwargs):
            headers = [*kwargs.pop("headers", ()), ("X-Nonce", "n")]
            return super().open(*args, headers=headers, **kwargs)

    app = Flask(__name__)
    app.test_client_class = Client
    app.add_url_rule("/", "index", lambda: request.headers.get("X-Nonce", "none"))

    with asking(app) as ask:
        assert body(ask("GET /")[0]) == "n"


@pytest.mark.parametrize("setting", [True, False, None])
@pytest.mark.parametrize("testing", [True, False])
def test_crashes_are_seen_whoever_answers_them(testing, setting):
    """Flask answers with 500, or lets the exception out of the client."""
    app = Flask(__name__)
    app.config.update(TESTING=testing, PROPAGATE_EXCEPTIONS=setting)

    @app.get("/")
    def index():
        raise LookupError("nothing")

    with asking(app) as ask:
        (exchange,) = ask("GET /")
        assert exchange.crash is not None
        assert exchange.crash.type_name == "LookupError"


def test_a_pushed_context_is_not_shared_by_requests():
    """As pytest-flask pushes one around each test: a user kept in `g` would stay."""
    app = Flask(__name__)

    @app.get("/")
    def index():
        seen = g.get("seen", 0)
        g.seen = seen + 1
        return str(seen)

    with app.test_request_context(), asking(app) as ask:
        g.seen = 5
        assert [body(exchange) for exchange in ask("GET /", "GET /")] == ["0", "0"]
        assert current_app.name == app.name
