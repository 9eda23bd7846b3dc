"""Records the mails that an application sends through Flask-Mail, and delivers none.

Flask-Mail sends a signal for each mail, really sent or suppressed. A written test needs the values
that the search learnt from mails (an address to confirm an account). So a fixture records the mails
in this way, too.

Many applications send mails in threads (``Thread(target=mail.send, ...).start()``), so that a
request need not wait for the mail server. The search and the fixture wait for these threads.
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
from pytest_evosearch.sut.deeds import Deed

OUTBOX_FIXTURE = "outbox"
"""The fixture that returns the sent mails to a test."""

_EXTENSION = "mail"

GRACE_SECONDS = 0.5
"""Seconds for threads that send a mail; without delivery this takes about a millisecond."""


class SentMail(NamedTuple):
    """The texts of a mail."""

    body: str
    html: str
    by_thread: bool
    """Whether a thread sent it that the handler had started."""


class Outbox:
    """Sees the mails that the application sends."""

    def __init__(self) -> None:
        self._sent: list[SentMail] = []
        self._caller: threading.Thread | None = None
        self._earlier: frozenset[threading.Thread] = frozenset()
        self._lasting: set[str] = set()
        """Names, without numbers, of threads that do more than send a mail."""

    def begin(self, _endpoint: str = "") -> None:
        """Forget sent mails."""
        self._sent.clear()
        self._caller = threading.current_thread()
        self._earlier = frozenset(threading.enumerate())

    def take(self) -> list[SentMail]:
        """Return the mails since `begin` of its thread, and of threads started since.

        It waits for these threads, but only once for a kind of thread that does not end soon.
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
        """Record mails inside the block."""
        dispatched = getattr(sys.modules.get("flask_mail"), "email_dispatched", None)
        if dispatched is None:
            yield
            return
        with dispatched.connected_to(self._keep):
            yield

    def _keep(self, sender: Any, **details: Any) -> None:
        """Note a mail; before Flask-Mail 0.10, the signal's sender was the mail."""
        message = details.get("message", sender)
        thread = threading.current_thread()
        by_thread = thread is not self._caller
        if by_thread and thread in self._earlier:
            return  # a test cannot know when the mail of this thread will arrive
        self._sent.append(SentMail(str(message.body or ""), str(message.html or ""), by_thread))


def sends_mail(app: Any) -> bool:
    """Say whether the application has Flask-Mail."""
    return "flask_mail" in sys.modules and _EXTENSION in app.extensions


def suppress(app: Any) -> None:
    """Suppress mails as Flask-Mail does in tests; the application sees no difference."""
    Deed((suppressing_lines("app"),)).run(app=app)


def suppressing_lines(app: str) -> str:
    """Return the statement of a written fixture that suppresses mails."""
    return f'{app}.extensions["{_EXTENSION}"].suppress = True'


def outbox_fixture(client_fixture: str, by_threads: bool = False) -> str:
    """Return a fixture with the mails that the application sends during a test.

    With `by_threads`, threads of the handlers send them, and the test waits for these threads.
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
"""Without a wait, a test might look for a mail before it arrives."""
