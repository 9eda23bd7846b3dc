"""Connexion 3 answers Flask's client through all its layers, in the calling thread."""

from __future__ import annotations

import contextvars
import threading

import pytest
from flask import Flask

from pytest_evosearch.sut.asgi import connexion_application
from pytest_evosearch.sut.asgi import front_of
from pytest_evosearch.sut.asgi import put_front
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.clients.fast_client import LeanSender
from pytest_evosearch.sut.watching.observe import ReadRecorder

pytest.importorskip("a2wsgi")
connexion = pytest.importorskip("connexion")

DOCUMENT = {
    "openapi": "3.0.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "/v1"}],
    "paths": {
        "/pets/{number}": {
            "get": {
                "operationId": "get",
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    },
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 9}},
                ],
                "responses": {"200": {"description": "a pet"}},
            },
            "put": {
                "operationId": "put",
                "parameters": [
                    {
                        "name": "number",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "integer"},
                    }
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"type": "object", "required": ["name"]},
                        }
                    }
                },
                "responses": {"200": {"description": "a pet"}},
            },
        },
    },
}

marker: contextvars.ContextVar[str] = contextvars.ContextVar("marker", default="")


def get(number, limit=0):
    """Answer with where the handler runs."""
    if number == 0:
        raise LookupError("no pet")
    here = threading.current_thread() is threading.main_thread()
    return {"number": number, "limit": limit, "main": here, "marker": marker.get()}


async def get_later(number, limit=0):
    """Answer from a coroutine."""
    return {"number": number}


def put(number, body):
    """Echo the body."""
    return {"number": number, **body}


def pets(handler=get):
    """Return a new Connexion application."""
    handlers = {"get": handler, "put": put}
    application = connexion.FlaskApp(__name__)
    application.add_api(DOCUMENT, resolver=connexion.Resolver(handlers.__getitem__))
    return application


@pytest.fixture
def app():
    """Its Flask application behind all layers."""
    return put_front(pets())


def test_endpoints_are_known_before_the_first_request(app):
    """Connexion registers them when the first request comes."""
    assert isinstance(app, Flask)
    assert "/v1/pets/<int:number>" in {rule.rule for rule in app.url_map.iter_rules()}


def test_validation_is_part_of_the_answer(app):
    """Flask's client alone would reach the handler with anything."""
    client = app.test_client()

    assert client.get("/v1/pets/1?limit=10").status_code == 400
    assert client.get("/v1/pets/1?limit=9").json["limit"] == 9
    assert client.put("/v1/pets/1", json={}).status_code == 400
    assert client.put("/v1/pets/1", json={"name": "é"}).json == {"number": 1, "name": "é"}
    assert client.get("/v1/unknown").status_code == 404


def test_handlers_run_in_the_calling_thread_and_context(app):
    """So time limits and probes reach them."""

    def ask():
        marker.set("here")
        return app.test_client().get("/v1/pets/1").json

    answer = contextvars.Context().run(ask)

    assert answer["main"]
    assert answer["marker"] == "here"


def test_async_handlers_find_no_running_loop():
    """Flask refuses to run them inside one."""
    pytest.importorskip("asgiref")

    assert put_front(pets(get_later)).test_client().get("/v1/pets/3").json == {"number": 3}


def test_a_crash_is_an_answer_with_its_exception(app):
    """Connexion turns it into a problem document; Flask's signal still tells."""
    answer = send(app.test_client(), method="GET", path="/v1/pets/0")

    assert answer.status == 500
    assert isinstance(answer.error, LookupError)


def test_the_short_way_is_the_same(app):
    """The faster sender calls the application itself."""
    sender = LeanSender(app)

    for path in ("/v1/pets/1", "/v1/pets/1?limit=a", "/v1/pets/0", "/none"):
        first, _, query = path.partition("?")
        arguments = {"method": "GET", "path": first, "query_string": query}
        quick, usual = (
            sender.send(app.test_client(), **arguments),
            send(app.test_client(), **arguments),
        )
        assert (quick.status, quick.body) == (usual.status, usual.body)


def test_a_refusal_before_flask_still_belongs_to_its_endpoint(app):
    """A request that validation refuses was dispatched there all the same."""
    with ReadRecorder(app) as reads:
        for path, is_known in (("/v1/pets/1?limit=10", True), ("/v1/none", False)):
            reads.begin()
            app.test_client().get(path)
            assert reads.is_routed_to("/v1.get") is is_known


def test_what_is_cut_off_leaves_the_front_usable():
    """A time limit raises in the middle of a handler."""

    class CutOff(BaseException):
        pass

    def hang(number, limit=0):
        if number == 7:
            raise CutOff
        return {}

    client = put_front(pets(hang)).test_client()
    with pytest.raises(CutOff):
        client.get("/v1/pets/7")

    assert client.get("/v1/pets/1").status_code == 200


def test_the_own_client_works_as_before(app):
    """The project's own tests use it in the same process."""
    application = front_of(app).connexion

    with application.test_client() as client:
        assert client.get("/v1/pets/1").json()["number"] == 1


def test_a_second_front_is_not_put_before_the_first(app):
    """A fixture may return the same application again."""
    front = app.wsgi_app

    put_front(front.connexion)

    assert app.wsgi_app is front


def test_flask_alone_is_not_connexion():
    """Told by the type's name, without importing Connexion."""
    assert connexion_application(Flask(__name__)) is None
    assert front_of(Flask(__name__)) is None
