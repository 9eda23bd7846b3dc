"""Forged tokens that the application accepts: changed, unsigned, expired, or for others."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import FORBIDDEN
from pytest_evosearch.core.http_words import UNAUTHORIZED
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.inquiries.forged_inquiry import NO_TOKEN

WORDS_OF_KINDS = {
    "alg none": (
        "refuses_alg_none",
        "accepts a token that says it is not signed (alg: none)",
    ),
    "changed payload": (
        "refuses_a_changed_payload",
        "accepts a token whose payload was changed after it was signed",
    ),
    "changed signature": (
        "refuses_a_changed_signature",
        "accepts a token whose signature was changed",
    ),
    "expired": ("refuses_an_expired_token", "accepts a token that expired long ago"),
    "wrong audience": (
        "refuses_another_audience",
        "accepts a token that was made for another audience",
    ),
}
"""For each kind of forgery the name of its test, and the text of its fault."""


class ForgedTokenOracle:
    """Reports forged tokens that are accepted, where a text that is not a token is refused.

    Usually one function checks the tokens of all endpoints.  So a kind is reported once.
    """

    code = "forged-token"
    fewest_calls = 2
    explanation = "a token is accepted that was changed, is not signed, expired or is for others"

    def __init__(self, knowledge: Knowledge) -> None:
        self._forged = knowledge.forged
        self._first: dict[tuple[str, str], str] = {}
        """Kind and place of a token -> the first endpoint that accepted it."""

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each forged token that is accepted."""
        if not self._forged:
            return
        refused: dict[tuple[str, str], Exchange] = {}
        for call, exchange in enumerate(exchanges):
            endpoint = exchange.request.endpoint
            for place, token in _tokens(exchange.request):
                if token == NO_TOKEN:
                    if turns_away(exchange) or exchange.status >= FIRST_REFUSAL:
                        refused[endpoint, place] = exchange
                    continue
                kind, refusal = self._forged.get(token), refused.get((endpoint, place))
                if kind is None or refusal is None or not _is_served(exchange):
                    continue
                if self._first.setdefault((kind, place), endpoint) == endpoint:
                    phrase, message = WORDS_OF_KINDS[kind]
                    wanted = _expected(refusal, exchange, phrase)
                    yield finding(self.code, endpoint, call, kind, message, wanted)


def _tokens(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the places where tokens may be: names of headers, cookies and arguments."""
    for name, value in (*request.headers, *request.cookies, *request.query):
        if isinstance(value, str):
            yield name, value.rpartition(" ")[2]


def _is_served(exchange: Exchange) -> bool:
    return 200 <= exchange.status < FIRST_REFUSAL and not turns_away(exchange)


def _expected(refusal: Exchange, served: Exchange, phrase: str) -> Expectation:
    """Return the expected response: the one for a text that is not a token."""
    statuses = [one.response.status for one in (refusal, served) if one.response is not None]
    if len(set(statuses)) < len(statuses):
        return Expectation("unseen", phrase=phrase)
    wanted = tuple(dict.fromkeys((statuses[0], UNAUTHORIZED, FORBIDDEN)))
    return Expectation("status-in", wanted, phrase=phrase)
