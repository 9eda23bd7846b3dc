"""Decides which call gets which answer, and keeps what was asked."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping

from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.outgoing.asked_calls import USUAL_PORTS
from pytest_evosearch.sut.outgoing.asked_calls import Answer
from pytest_evosearch.sut.outgoing.asked_calls import AskedCall
from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest
from pytest_evosearch.sut.outgoing.asked_calls import name_of
from pytest_evosearch.sut.outgoing.asked_calls import place_of

MOST_ASKED = 200
"""Most calls that are kept of one request: a client may try again without end."""

JSON_TYPE = ("Content-Type", "application/json")
TEXT_TYPE = ("Content-Type", "text/plain; charset=utf-8")


class AnswerDesk:
    """Holds the answers for one call of the application."""

    def __init__(self) -> None:
        self.reads = AnswerReads()
        self.is_open = False
        """Whether a test is running."""
        self.looked_up: dict[str, None] = {}
        """Names of hosts that the call has looked up, in lower case, in order."""
        self._answers: Mapping[str, Mapping[str, object]] = {}
        self._texts: Callable[[], Collection[str]] = frozenset
        self._sent: Collection[str] | None = None
        self._asked: list[AskedCall] = []
        self._times: dict[str, int] = {}
        self._encrypted: set[str] = set()
        self._otherwise: set[tuple[str, int]] = set()
        """Hosts and ports whose clients do not speak HTTP."""

    def begin(
        self, answers: Mapping[str, Mapping[str, object]], sent: Callable[[], Collection[str]]
    ) -> None:
        """Take the answers for the next call, and a function that returns the texts it sends."""
        self._answers, self._texts, self._sent = answers, sent, None
        if self._asked or self.looked_up:
            self._asked, self._times, self.looked_up = [], {}, {}
        self.reads.clear()

    def take(self) -> tuple[AskedCall, ...]:
        """Return what was asked since `begin`, in order."""
        return tuple(self._asked)

    def answer(self, request: OutgoingRequest, timeout: float | None) -> Answer:
        """Return the answer to a request; without a given one, 200 and an empty object."""
        if self._sent is None:
            self._sent = self._texts()
        name = name_of(request, self._sent)
        times = self._times[name] = self._times.get(name, 0) + 1
        given: Mapping[str, object] | None = None
        for turn in range(times, 0, -1):
            given = self._answers.get(repeated_name(name, turn))
            if given is not None:
                break
        answer = answer_from(given or {})
        named = repeated_name(name, times)
        if len(self._asked) < MOST_ASKED:
            self._asked.append(AskedCall(named, request, answer, timeout is None, timeout == 0))
            self.reads.serve(name, answer.body)
        return answer

    def fails(self, host: str, port: int, failure: str) -> bool:
        """Say whether a host fails in this way, and note it."""
        name = place_of(host, port)
        given = self._answers.get(name)
        if given is None or given.get("failure") != failure:
            return False
        if len(self._asked) < MOST_ASKED:
            self._asked.append(AskedCall(name, None, Answer(failure=failure)))
        return True

    def note_other_protocol(self, host: str, port: int) -> None:
        """Leave a host to the policy below from now on."""
        self._otherwise.add((host, port))

    def speaks_otherwise(self, host: str, port: int) -> bool:
        """Say whether a client of this host did not speak HTTP."""
        return (host, port) in self._otherwise

    def note_encryption(self, host: str) -> None:
        """Note that an event loop speaks TLS with a host."""
        self._encrypted.add(host)

    def is_encrypted(self, host: str, port: int) -> bool:
        """Say whether an event loop speaks TLS with a host."""
        return host in self._encrypted and port != USUAL_PORTS["http"]


def repeated_name(name: str, turn: int) -> str:
    """Return the name of a call that is made for the second or a later time: ``GET http://a 2``."""
    return name if turn == 1 else f"{name} {turn}"


def answer_from(given: Mapping[str, object]) -> Answer:
    """Return the answer that plain values describe.

    They are ``status``, ``json`` or ``text``, ``headers`` and ``failure``; each may be missing.
    """
    status, headers = given.get("status", 200), given.get("headers", {})
    text = given.get("text")
    if isinstance(text, str | bytes):
        body, kind = text if isinstance(text, bytes) else text.encode(), TEXT_TYPE
    else:
        body, kind = json.dumps(given.get("json", {})).encode(), JSON_TYPE
    own = [(str(k), str(v)) for k, v in headers.items()] if isinstance(headers, dict) else []
    if not any(name.lower() == "content-type" for name, _value in own):
        own = [kind, *own]
    usable = isinstance(status, int) and 100 <= status <= 999
    number = status if usable and isinstance(status, int) else 200
    return Answer(number, tuple(own), body, str(given.get("failure") or ""))
