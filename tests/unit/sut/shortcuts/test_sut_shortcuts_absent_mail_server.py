"""The stand-in for a mail server answers as one does, and delivers nothing."""

from __future__ import annotations

import smtplib
import socket
from collections.abc import Callable
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from pytest_evosearch.sut.shortcuts.absent_mail_server import absent_mail_server


@pytest.fixture
def sends() -> Iterator[Callable[[], bool]]:
    with absent_mail_server(()) as found:
        yield found


@pytest.mark.parametrize("kind", [smtplib.SMTP, smtplib.SMTP_SSL])
def test_mails_are_taken(kind: type[smtplib.SMTP], sends: Callable[[], bool]) -> None:
    assert not sends()
    message = EmailMessage()
    message["From"], message["To"] = "shop@example.com", "inga@example.com"
    message.set_content("Thanks\nfor your order")
    with kind("mail.example.com", 2525) as server:
        if kind is smtplib.SMTP:
            assert server.starttls()[0] == 220
        assert server.login("shop", "secret")[0] == 235
        assert server.noop()[0] == 250
        assert server.send_message(message) == {}
        assert server.sendmail("a@example.com", ["b@example.com"], "QUIT as a text") == {}
    assert sends()
    with pytest.raises(smtplib.SMTPServerDisconnected):
        server.sendmail("a@example.com", ["b@example.com"], "after the end")


@pytest.mark.usefixtures("sends")
def test_what_no_server_takes_is_refused() -> None:
    server = smtplib.SMTP("mail.example.com")
    with pytest.raises(UnicodeEncodeError):
        server.sendmail("a@example.com", ["bj\u00f8rn@example.com"], "text")
    server.close()


def test_server_that_may_be_reached_is_asked() -> None:
    with socket.socket() as taken:  # bound, and listening to nobody
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with absent_mail_server(("127.0.0.1",)) as sends:
            with pytest.raises(ConnectionRefusedError):
                smtplib.SMTP("127.0.0.1", port)
            assert not sends()
