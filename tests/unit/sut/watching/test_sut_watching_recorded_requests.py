"""What an application was asked is heard, in whatever way it was sent."""

from __future__ import annotations

import io
import pickle

import flask
import pytest

from pytest_evosearch.sut.watching.recorded_requests import RequestRecorder


@pytest.fixture
def app():
    application = flask.Flask(__name__)

    @application.post("/echo")
    def echo():
        flask.session["seen"] = True
        return {"form": flask.request.form, "json": flask.request.get_json(silent=True)}

    @application.get("/plain/<name>")
    def plain(name):
        return name

    application.secret_key = "x"
    return application


def heard(app, send):
    requests = RequestRecorder()
    with requests.listening():
        send(app.test_client())
    return pickle.loads(pickle.dumps(requests.take()))


def test_a_json_body_is_heard_with_its_answer_and_cookies(app):
    (request,) = heard(app, lambda client: client.post("/echo?a=1", json={"b": [2]}))

    assert (request.method, request.path, request.query) == ("POST", "/echo", (("a", "1"),))
    assert request.body == {"json": {"b": [2]}}
    assert request.answer == {"form": {}, "json": {"b": [2]}}
    assert request.set_cookies == ("session",)


def test_a_form_with_a_file_is_heard(app):
    data = {"title": "Emma", "cover": (io.BytesIO(b"abc"), "emma.png")}
    (request,) = heard(app, lambda client: client.post("/echo", data=data))

    assert request.body == {"data": {"title": "Emma", "cover": [b"abc", "emma.png"]}}


def test_what_every_client_sends_is_not_heard(app):
    (request,) = heard(app, lambda client: client.get("/plain/a", headers={"X-Key": "k"}))

    assert ("X-Key", "k") in request.headers
    assert "User-Agent" not in dict(request.headers)


def test_a_request_context_of_a_test_is_heard(app):
    def send(_client):
        with app.test_request_context("/plain/b", headers={"X-Key": "k"}):
            app.full_dispatch_request()

    (request,) = heard(app, send)

    assert (request.path, request.status) == ("/plain/b", 200)


def test_nothing_is_heard_afterwards(app):
    requests = RequestRecorder()
    with requests.listening():
        pass
    app.test_client().get("/plain/a")

    assert requests.take() == ()
