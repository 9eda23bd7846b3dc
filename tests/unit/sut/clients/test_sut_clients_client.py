from __future__ import annotations

import json
from itertools import count

import pytest
from flask import Flask
from flask import Response
from flask import abort
from flask import request
from flask.signals import got_request_exception
from flask.testing import FlaskClient

from pytest_evosearch.errors import CutOff
from pytest_evosearch.sut.clients.client import BODY_LIMIT
from pytest_evosearch.sut.clients.client import CHUNK_LIMIT
from pytest_evosearch.sut.clients.client import BodyReader
from pytest_evosearch.sut.clients.client import make_client
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.clients.fast_client import LeanSender


@pytest.fixture(params=[True, False], ids=["propagating", "handled"])
def app(load, request):
    application = load("failing").app
    application.config["PROPAGATE_EXCEPTIONS"] = request.param
    return application


def test_exception_is_captured_whether_it_propagates_or_not(app):
    response = send(make_client(app), path="/crash")

    assert isinstance(response.error, KeyError)
    assert response.entered
    assert response.status == (0 if app.config["PROPAGATE_EXCEPTIONS"] else 500)
    traceback = response.error.__traceback__
    while traceback.tb_next:
        traceback = traceback.tb_next
    assert traceback.tb_frame.f_code.co_name == "crash"


def test_exit_is_an_error_like_others(app):
    response = send(make_client(app), path="/exit")

    assert isinstance(response.error, SystemExit)
    assert response.entered


def test_http_exceptions_are_answers(app):
    response = send(make_client(app), path="/refuse")

    assert (response.status, response.error) == (418, None)


class TokenClient(FlaskClient):
    """As projects write it: every form is sent with the token of a page."""

    def post(self, *args, **kwargs):
        kwargs["data"] = {**kwargs.get("data", {}), "token": self.get("/token").text}
        return super().post(*args, **kwargs)


def test_a_client_is_asked_in_the_way_that_it_prepares_requests():
    app = Flask(__name__)
    app.test_client_class = TokenClient

    @app.get("/token")
    def token():
        return "secret"

    @app.route("/form", methods=["POST", "PUT"])
    def form():
        return dict(request.form)

    sent = {
        method: json.loads(
            send(make_client(app), method=method, path="/form", data={"name": ["ann"]}).body
        )
        for method in ("POST", "PUT")
    }

    assert sent == {"POST": {"name": "ann", "token": "secret"}, "PUT": {"name": "ann"}}


def test_a_stream_that_breaks_keeps_what_was_sent(app):
    response = send(make_client(app), path="/stream")

    assert response.status == 200
    assert response.body == b"first"
    assert isinstance(response.error, ValueError)


def test_an_endless_stream_is_cut(app):
    response = send(make_client(app), path="/endless")

    assert len(response.body) == BODY_LIMIT
    assert response.truncated


def stream(pieces, mimetype):
    app = Flask(__name__)
    app.add_url_rule("/", "stream", lambda: Response(pieces(), mimetype=mimetype))
    return make_client(app)


def counted():
    for number in count(1):
        yield f"{number}\n"


def cut_off_after(number):
    def pieces():
        yield from ["piece"] * number
        raise CutOff

    return pieces


def test_an_endless_stream_of_small_pieces_is_cut():
    response = send(stream(counted, "text/plain"), path="/")

    assert response.truncated
    assert response.body.count(b"\n") == CHUNK_LIMIT


@pytest.mark.parametrize("mimetype", ["text/event-stream", "multipart/x-mixed-replace; boundary=a"])
def test_of_a_live_stream_the_first_piece_is_read(mimetype):
    heard = []
    reader = BodyReader(when_live=lambda: heard.append("live"), when_first=lambda: heard.append(1))
    response = send(stream(counted, mimetype), path="/", reader=reader)

    assert response.body == b"1\n"
    assert (response.truncated, response.live, response.late) == (True, True, False)
    assert heard == ["live", 1]


def test_what_another_client_has_read_whole_is_no_live_stream():
    class OtherResponse:
        """As those of httpx and of a server's client are."""

        status_code = 200
        headers = {"Content-Type": "text/event-stream"}  # noqa: RUF012
        content = b"data: 1\n\ndata: 2\n\n"

    class OtherClient:
        def open(self, **_arguments):
            return OtherResponse()

    response = send(OtherClient(), path="/")

    assert response.body == OtherResponse.content
    assert (response.truncated, response.live) == (False, False)


def test_what_keeps_coming_until_time_is_up_has_not_hung():
    response = send(stream(cut_off_after(2), "text/plain"), path="/", passing=(CutOff,))
    assert response.body == b"piecepiece"
    assert (response.truncated, response.live, response.late) == (True, False, True)

    with pytest.raises(CutOff):
        send(stream(cut_off_after(1), "text/plain"), path="/", passing=(CutOff,))


def test_an_error_while_closing_is_recorded(app):
    response = send(make_client(app), path="/close")

    assert response.body == b"closed badly"
    assert isinstance(response.error, ZeroDivisionError)


def test_a_request_that_cannot_be_built_is_told_apart(app):
    response = send(make_client(app), path="/cookie", headers={"X-Bad": "a\nb"})

    assert isinstance(response.error, ValueError)
    assert not response.entered


def test_own_exceptions_and_interrupts_pass(app):
    class OutOfTime(BaseException):
        pass

    @app.get("/late")
    def late():
        raise OutOfTime

    @app.get("/interrupt")
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(OutOfTime):
        send(make_client(app), passing=(OutOfTime,), path="/late")
    with pytest.raises(KeyboardInterrupt):
        send(make_client(app), path="/interrupt")


def test_cookies_stay_with_the_client(app):
    client = make_client(app)

    response = send(client, path="/cookie")

    assert ("Set-Cookie", "flavour=oat; Path=/") in response.headers
    assert send(client, path="/taste").body == b"oat"


def test_an_exception_that_a_handler_answered_is_no_crash():
    app = Flask("reporting")

    @app.get("/")
    def report_and_answer():
        got_request_exception.send(app, exception=LookupError("reported too early"))
        return "not here", 404

    for sender in (send, LeanSender(app).send):
        response = sender(app.test_client(), method="GET", path="/")
        assert (response.status, response.error) == (404, None)


def handling(status):
    """An application whose error handler answers every exception."""
    app = Flask("handling")

    @app.get("/crash")
    def crash():
        raise LookupError("no such thing")

    @app.get("/refuse")
    def refuse():
        abort(503)

    @app.errorhandler(Exception)
    def answer(error):
        return type(error).__name__, getattr(error, "code", status)

    return app


@pytest.mark.parametrize("sender", ["ordinary", "lean"])
def test_an_exception_that_an_error_handler_answers_with_500_is_told(sender):
    """The handler's page hides the same bug as Flask's own."""
    app = handling(500)
    attributes = set(vars(app))
    way = send if sender == "ordinary" else LeanSender(app).send

    response = way(app.test_client(), method="GET", path="/crash")

    assert (response.status, response.body) == (500, b"LookupError")
    assert isinstance(response.error, LookupError)
    assert set(vars(app)) == attributes


@pytest.mark.parametrize("sender", ["ordinary", "lean"])
@pytest.mark.parametrize(
    ("status", "path", "answered"),
    [(409, "/crash", 409), (500, "/refuse", 503)],
    ids=["a client error", "an answer of 503 that was meant"],
)
def test_what_a_handler_makes_an_answer_of_is_no_crash(sender, status, path, answered):
    app = handling(status)
    way = send if sender == "ordinary" else LeanSender(app).send

    response = way(app.test_client(), method="GET", path=path)

    assert (response.status, response.error) == (answered, None)
    assert (response.abort is not None) == (answered == 503)
    assert way(app.test_client(), method="GET", path="/crash").abort is None


@pytest.mark.parametrize("sender", ["ordinary", "lean"])
@pytest.mark.parametrize("signals", [False, True], ids=["Flask", "as Flask-RESTful does"])
def test_an_exception_that_is_answered_with_a_bare_500_is_told(sender, signals):
    """A message that goes with the answer says more than what it was caught for."""
    app = Flask(__name__)

    @app.get("/<message>")
    def crash(message):
        try:
            {}["missing"]
        except KeyError:
            abort(500, None if message == "none" else message)

    @app.errorhandler(500)
    def answer(error):
        if signals:
            got_request_exception.send(app, exception=error)
        return error

    way = send if sender == "ordinary" else LeanSender(app).send

    bare = way(app.test_client(), method="GET", path="/none")
    explained = way(app.test_client(), method="GET", path="/no%20space")

    assert isinstance(bare.error, KeyError)
    assert explained.error is None
    assert explained.abort.description == "no space"


def test_what_an_extension_put_in_the_place_of_the_handler_stays():
    """Flask-RESTful covers up the method, too."""
    app = handling(500)
    app.handle_user_exception = covering = lambda error: (f"covered {error!r}", 500)

    response = send(app.test_client(), method="GET", path="/crash")

    assert response.body == b"covered LookupError('no such thing')"
    assert isinstance(response.error, LookupError)
    assert app.handle_user_exception is covering
