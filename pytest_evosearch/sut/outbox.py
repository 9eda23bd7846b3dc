"""The mails that an application sends through Flask-Mail, which nobody shall get.

Flask-Mail announces each mail by a signal, whether it is sent for real or suppressed as in tests.
What the search learns from mails (an address to confirm an account) a written test takes from a
fixture that records them in the same way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any
from typing import NamedTuple

OUTBOX_FIXTURE = "outbox"
"""The fixture that gives a test the mails that were sent."""

_EXTENSION = "mail"


class SentMail(NamedTuple):
    """The texts of a mail."""

    body: str
    html: str


class Outbox:
    """Hears of the mails that the application sends."""

    def __init__(self) -> None:
        self._sent: list[SentMail] = []
        self._thread = 0

    def begin(self) -> None:
        """Forget what was sent."""
        self._sent.clear()
        self._thread = get_ident()

    def take(self) -> list[SentMail]:
        """Return what was sent since `begin` by the thread that began.

        A written test cannot tell when the mail of another thread will be there.
        """
        return list(self._sent)

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listen until the end of the block."""
        dispatched = getattr(sys.modules.get("flask_mail"), "email_dispatched", None)
        if dispatched is None:
            yield
            return
        with dispatched.connected_to(self._keep):
            yield

    def _keep(self, sender: Any, **details: Any) -> None:
        """Note a mail, which was the sender of the signal before Flask-Mail 0.10."""
        message = details.get("message", sender)
        if get_ident() == self._thread:
            self._sent.append(SentMail(str(message.body or ""), str(message.html or "")))


def sends_mail(app: Any) -> bool:
    """Say whether the application has Flask-Mail."""
    return "flask_mail" in sys.modules and _EXTENSION in app.extensions


def suppress(app: Any) -> None:
    """Let the application believe that its mails are sent, as Flask-Mail does in tests."""
    app.extensions[_EXTENSION].suppress = True


def suppressing_lines(app: str) -> str:
    """Return the statement of a written fixture that does what `suppress` does."""
    return f'{app}.extensions["{_EXTENSION}"].suppress = True'


def outbox_fixture(client_fixture: str) -> str:
    """Return a fixture with the mails that the application sends while a test runs."""
    return (
        "@pytest.fixture\n"
        f"def {OUTBOX_FIXTURE}({client_fixture}):\n"
        '    """The mails that the application sends while a test runs."""\n'
        f'    mail = {client_fixture}.application.extensions["{_EXTENSION}"]\n'
        "    with mail.record_messages() as sent:\n"
        "        yield sent"
    )
