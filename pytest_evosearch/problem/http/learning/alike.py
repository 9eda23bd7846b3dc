"""Answers that are alike: a wall gives one answer at many addresses, whatever its status.

A refusal may have any status, also 200.  What tells it from a success is that many endpoints
give it, and that a key which opens one of them changes it.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

CROWD = 4
"""Addresses with one answer before it is worth a closer look."""

MOST_ANSWERS = 8
"""Answers of one endpoint that are told apart; with more of them it is no wall that answers."""

LONGEST_ANSWER = 400
"""Characters of a body that are compared."""

_CHANCE = re.compile(r"\d+")

Answer: TypeAlias = "tuple[int, str]"
"""Status and beginning of the body, numbers left out."""


def answer_of(exchange: Exchange) -> Answer | None:
    """Return what tells an answer from others; None for no answer, and for an empty success."""
    response = exchange.response
    if response is None or not (response.body or response.status >= 400):
        return None
    return response.status, _CHANCE.sub("0", response.text[:LONGEST_ANSWER])


class AlikeAnswers:
    """Knows which answers many addresses share, and which of them turn callers away."""

    def __init__(self) -> None:
        self._addresses: dict[Answer, set[str]] = {}
        self._answers: dict[str, set[Answer | None]] = {}
        self._refusals: set[Answer] = set()

    def learn(self, exchange: Exchange) -> None:
        """Take in one answer."""
        known = self._answers.setdefault(exchange.request.endpoint, set())
        answer = answer_of(exchange)
        if len(known) < MOST_ANSWERS:
            known.add(answer)
        if answer is not None and answer in known:
            self._addresses.setdefault(answer, set()).add(exchange.request.template)

    def is_only_alike(self, key: str) -> bool:
        """Say whether an endpoint has only given answers that many others give, too."""
        answers = self._answers.get(key, set())
        return bool(answers) and all(
            answer is not None and len(self._addresses[answer]) >= CROWD for answer in answers
        )

    def sharing(self, answer: Answer | None) -> list[str]:
        """Return the endpoints that have given an answer."""
        return [key for key, answers in self._answers.items() if answer in answers]

    def refuses(self, exchange: Exchange) -> bool:
        """Say whether an answer is known to turn callers away."""
        return bool(self._refusals) and answer_of(exchange) in self._refusals

    def note_refusal(self, answer: Answer) -> list[str]:
        """Note that an answer turns callers away; return the endpoints that have given it."""
        self._refusals.add(answer)
        return self.sharing(answer)
