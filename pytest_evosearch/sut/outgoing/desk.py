"""Decides which call gets which answer, and keeps what was asked."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.sut.outgoing.answer_formats import JSON
from pytest_evosearch.sut.outgoing.answer_formats import TEXT
from pytest_evosearch.sut.outgoing.answer_formats import WrittenAnswer
from pytest_evosearch.sut.outgoing.answer_formats import written
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.outgoing.asked_calls import NO_TIME_OUT
from pytest_evosearch.sut.outgoing.asked_calls import OPEN_TRANSACTION
from pytest_evosearch.sut.outgoing.asked_calls import Answer
from pytest_evosearch.sut.outgoing.asked_calls import AskedCall
from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest
from pytest_evosearch.sut.outgoing.asked_calls import name_of
from pytest_evosearch.sut.outgoing.asked_calls import place_of
from pytest_evosearch.sut.outgoing.aws_answers import AwsOperations
from pytest_evosearch.sut.outgoing.open_transactions import holds_transaction
from pytest_evosearch.sut.outgoing.request_under_way import request_under_way

MOST_ASKED = 200
"""Most calls that are kept of one request: a client may try again without end."""

TEXT_TYPE = "text/plain; charset=utf-8"


class AnswerDesk:
    """Holds the answers for one call of the application."""

    def __init__(self) -> None:
        self.reads = AnswerReads()
        self.aws = AwsOperations(self.reads)
        self.is_open = False
        """Whether a test is running."""
        self.looked_up: dict[str, None] = {}
        """Names of hosts that the call has looked up, in lower case, in order."""
        self._answers: Mapping[str, Mapping[str, object]] = {}
        self._texts: Callable[[], Collection[str]] = frozenset
        self._sent: Collection[str] | None = None
        self._asked: list[AskedCall] = []
        self._times: dict[str, int] = {}
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
                given = given if turn == times else _of_last_page(given)
                break
        answer, content = answer_from(given or {}, request.url)
        of_aws = self.aws.answer(name, (given or {}).get("json"), answer.status)
        if of_aws is not None:
            content = of_aws.content
            answer = replace(answer, headers=of_aws.headers, body=content.body)
        named = repeated_name(name, times)
        if len(self._asked) < MOST_ASKED:
            self._asked.append(AskedCall(named, request, answer, _careless(timeout), timeout == 0))
            self.reads.serve(name, content, of_aws is None or of_aws.is_plain)
        return answer

    def fails(self, host: str, port: int, failure: str) -> bool:
        """Say whether a host fails in this way, and note it."""
        name = place_of(host, port)
        given = self._answers.get(name)
        if given is None or given.get("failure") != failure:
            return False
        if len(self._asked) < MOST_ASKED:
            sought = request_under_way()
            self._asked.append(AskedCall(name, None, Answer(failure=failure), sought=sought))
        return True

    def note_other_protocol(self, host: str, port: int) -> None:
        """Leave a host to the policy below from now on."""
        self._otherwise.add((host, port))

    def speaks_otherwise(self, host: str, port: int) -> bool:
        """Say whether a client of this host did not speak HTTP."""
        return (host, port) in self._otherwise


def _careless(timeout: float | None) -> tuple[str, ...]:
    """Return what a call does that may hold others up."""
    waits = (NO_TIME_OUT,) if timeout is None else ()
    return (*waits, OPEN_TRANSACTION) if holds_transaction() else waits


def repeated_name(name: str, turn: int) -> str:
    """Return the name of a call that is made for the second or a later time: ``GET http://a 2``."""
    return name if turn == 1 else f"{name} {turn}"


def _of_last_page(given: Mapping[str, object]) -> Mapping[str, object]:
    """Return an answer that is given again: it does not lead to a next page, else none is last."""
    headers = given.get("headers")
    if not isinstance(headers, dict):
        return given
    return {**given, "headers": {k: v for k, v in headers.items() if k.lower() != "link"}}


def answer_from(given: Mapping[str, object], url: str = "") -> tuple[Answer, WrittenAnswer]:
    """Return the answer that plain values describe, and its body.

    They are ``status``, ``json`` or ``text``, ``format``, ``headers`` and ``failure``; each may be
    missing.  ``{url}`` in a header is the address that was asked.
    """
    status, headers, text = given.get("status", 200), given.get("headers", {}), given.get("text")
    if isinstance(text, bytes):
        content = WrittenAnswer(text, TEXT_TYPE)
    elif isinstance(text, str):
        content = written(text, TEXT)
    else:
        content = written(given.get("json", {}), str(given.get("format") or JSON))
    found = headers.items() if isinstance(headers, dict) else ()
    own = [(str(name), _in_one_line(value, url)) for name, value in found]
    if not any(name.lower() == "content-type" for name, _value in own):
        own = [("Content-Type", content.kind), *own]
    usable = isinstance(status, int) and 100 <= status <= 999
    number = status if usable and isinstance(status, int) else 200
    failure = str(given.get("failure") or "")
    return Answer(number, tuple(own), content.body, failure), content


def _in_one_line(value: object, url: str) -> str:
    return " ".join(str(value).replace("{url}", url).split())
