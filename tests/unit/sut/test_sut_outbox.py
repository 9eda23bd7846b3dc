"""Flask-Mail's mails are heard of and reach nobody."""

from __future__ import annotations

import threading

import pytest
from flask import Flask
from flask_mail import Mail

from pytest_evosearch.sut.outbox import Outbox
from pytest_evosearch.sut.outbox import outbox_fixture
from pytest_evosearch.sut.outbox import sends_mail
from pytest_evosearch.sut.outbox import suppress
from pytest_evosearch.sut.outbox import suppressing_lines


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
        assert [(mail.body, mail.html) for mail in outbox.take()] == [("first", "<p>")]
        outbox.begin()
        assert outbox.take() == []
    send(app, "after the end")
    assert outbox.take() == []


def test_mails_of_other_threads_come_too_late(app: Flask) -> None:
    suppress(app)
    outbox = Outbox()
    with outbox.installed():
        outbox.begin()
        sender = threading.Thread(target=send, args=(app, "later"))
        sender.start()
        sender.join()
    assert outbox.take() == []


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
