"""The mails that an application sends through Flask-Mail, which must reach no person.

Flask-Mail announces each mail by a signal, whether it is sent for real or suppressed as in tests.
What the search learns from mails (an address to confirm an account) a written test takes from a
fixture that records them in the same way.

Many an application sends its mails in threads (``Thread(target=mail.send, ...).start()``), so that
a request need not wait for the mail server.  These threads are waited for, here and in the fixture.
"""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.isolation import time

OUTBOX_FIXTURE = "outbox"
"""The fixture that gives a test the mails that were sent."""

_EXTENSION = "mail"

GRACE_SECONDS = 0.5
"""For threads that send a mail, which is not delivered: it takes about a millisecond."""


class SentMail(NamedTuple):
    """The texts of a mail."""

    body: str
    html: str
    by_thread: bool
    """A thread sent it that the handler had started."""
    source: str = ""
    """Reads it where the application keeps it; empty where it was sent."""
    imports: tuple[str, ...] = ()
    """What reading it needs."""


class Outbox:
    """Sees the mails that the application sends."""

    def __init__(self) -> None:
        self._sent: list[SentMail] = []
        self._caller: threading.Thread | None = None
        self._earlier: frozenset[threading.Thread] = frozenset()
        self._lasting: set[str] = set()
        """Names, without their numbers, of threads that have other things to do than a mail."""

    def begin(self, _endpoint: str = "") -> None:
        """Forget what was sent."""
        self._sent.clear()
        self._caller = threading.current_thread()
        self._earlier = frozenset(threading.enumerate())

    def take(self) -> list[SentMail]:
        """Return what was sent since `begin` by the thread that began and those started since.

        They are waited for; a kind of thread that does not end soon is waited for only once.
        """
        end = time.monotonic() + GRACE_SECONDS
        for thread in set(threading.enumerate()) - self._earlier:
            kind = re.sub(r"\d+", "", thread.name)
            if kind not in self._lasting:
                thread.join(max(0.0, end - time.monotonic()))
                if thread.is_alive():
                    self._lasting.add(kind)
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
        thread = threading.current_thread()
        by_thread = thread is not self._caller
        if by_thread and thread in self._earlier:
            return  # a test cannot tell when the mail of such a thread will be there
        self._sent.append(SentMail(str(message.body or ""), str(message.html or ""), by_thread))


def sends_mail(app: Any) -> bool:
    """Say whether the application has Flask-Mail."""
    return "flask_mail" in sys.modules and _EXTENSION in app.extensions


def suppress(app: Any) -> None:
    """Let the application believe that its mails are sent, as Flask-Mail does in tests."""
    app.extensions[_EXTENSION].suppress = True


def suppressing_lines(app: str) -> str:
    """Return the statement of a written fixture that does what `suppress` does."""
    return f'{app}.extensions["{_EXTENSION}"].suppress = True'


def outbox_fixture(client_fixture: str, by_threads: bool = False) -> str:
    """Return a fixture with the mails that the application sends while a test runs.

    `by_threads` says that threads of the handlers send them: the test waits for these.
    """
    header = (
        "@pytest.fixture\n"
        f"def {OUTBOX_FIXTURE}({client_fixture}{', monkeypatch' if by_threads else ''}):\n"
        '    """The mails that the application sends while a test runs."""\n'
    )
    return (
        header
        + (_WAITING if by_threads else "")
        + f'    mail = {client_fixture}.application.extensions["{_EXTENSION}"]\n'
        "    with mail.record_messages() as sent:\n"
        "        yield sent"
    )


_WAITING = """\
    from threading import Thread

    start = Thread.start

    def start_and_wait(thread):
        start(thread)
        thread.join(1)

    monkeypatch.setattr(Thread, "start", start_and_wait)
"""
"""A test that went on at once might look for a mail before it is there."""
