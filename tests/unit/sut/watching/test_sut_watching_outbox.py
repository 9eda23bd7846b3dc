"""Flask-Mail's mails are heard of and reach nobody."""

from __future__ import annotations

import threading
import time

import pytest
from flask import Flask
from flask_mail import Mail

from pytest_evosearch.sut.watching.outbox import GRACE_SECONDS
from pytest_evosearch.sut.watching.outbox import Outbox
from pytest_evosearch.sut.watching.outbox import outbox_fixture
from pytest_evosearch.sut.watching.outbox import sends_mail
from pytest_evosearch.sut.watching.outbox import suppress
from pytest_evosearch.sut.watching.outbox import suppressing_lines


@pytest.fixture
def app() -> Flask:
    app = Flask("shop")
    app.config["MAIL_PORT"] = 1  # nobody listens
    Mail(app)
    return app


def send(app: Flask, body: str) -> None:
    with app.app_context():
        mail: Mail = app.extensions["mail"]
        mail.send_message("Hello", ["ann@example.com"], body, html="<p>", sender="us@example.com")


def test_suppressed_mails_are_heard_of(app: Flask) -> None:
    outbox = Outbox()
    with pytest.raises(OSError, match="refused"):
        send(app, "for real")

    suppress(app)
    with outbox.installed():
        outbox.begin()
        send(app, "first")
        assert outbox.take() == [("first", "<p>", False)]
        outbox.begin()
        assert outbox.take() == []
    send(app, "after the end")
    assert outbox.take() == []


def test_threads_of_a_handler_that_send_mails_are_waited_for(app: Flask) -> None:
    suppress(app)
    outbox = Outbox()

    def send_soon() -> None:
        time.sleep(0.05)
        send(app, "soon")

    with outbox.installed():
        outbox.begin()
        threading.Thread(target=send_soon).start()
        assert outbox.take() == [("soon", "<p>", True)]


def test_mails_of_threads_that_were_there_before_come_any_time(app: Flask) -> None:
    suppress(app)
    outbox = Outbox()
    go = threading.Event()

    def send_when_told() -> None:
        go.wait(10)
        send(app, "later")

    sender = threading.Thread(target=send_when_told)
    with outbox.installed():
        sender.start()
        outbox.begin()
        go.set()
        sender.join()
        assert outbox.take() == []


def test_threads_that_go_on_are_waited_for_once() -> None:
    outbox = Outbox()
    go = threading.Event()

    def work() -> None:
        go.wait(10)

    def seconds_to_take() -> float:
        outbox.begin()
        threading.Thread(target=work).start()
        started = time.monotonic()
        outbox.take()
        return time.monotonic() - started

    assert seconds_to_take() >= GRACE_SECONDS
    assert seconds_to_take() < GRACE_SECONDS
    go.set()


def test_only_flask_mail_is_known(app: Flask) -> None:
    assert sends_mail(app)
    assert not sends_mail(Flask("bare"))


def test_written_lines_do_the_same(app: Flask) -> None:
    exec(suppressing_lines("app"), {"app": app})
    client = app.test_client()
    namespace: dict[str, object] = {}
    source = outbox_fixture("client").removeprefix("@pytest.fixture\n")

    exec(source, namespace)

    fixture = namespace["outbox"](client)  # type: ignore[operator]
    sent = next(fixture)
    send(app, "hello")
    assert [message.body for message in sent] == ["hello"]


def test_the_written_fixture_waits_for_threads(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    suppress(app)
    namespace: dict[str, object] = {}
    exec(outbox_fixture("client", by_threads=True).removeprefix("@pytest.fixture\n"), namespace)

    def send_soon() -> None:
        time.sleep(0.05)
        send(app, "soon")

    fixture = namespace["outbox"](app.test_client(), monkeypatch)  # type: ignore[operator]
    sent = next(fixture)
    threading.Thread(target=send_soon).start()
    assert [message.body for message in sent] == ["soon"]
