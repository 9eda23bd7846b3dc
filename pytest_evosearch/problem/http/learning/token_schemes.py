"""Learns the form in which a header carries a token, by which calls succeed.

RFC 6750 requires ``Authorization: Bearer <token>``. Many applications take the bare token, or put
words of their own before it.
"""

from __future__ import annotations

from pytest_evosearch.problem.http.exchanges.exchange import Exchange

HEADER = "authorization"

_PRIORS = {"Bearer ": 10.0, "": 1.0, "Token ": 0.2, "JWT ": 0.2}
"""Text before the token -> its prior weight.

Django REST framework and the RealWorld applications use ``Token``, Flask-JWT uses ``JWT``.
"""


class TokenSchemes:
    """Counts, for every text before a token, how many calls with it succeeded."""

    def __init__(self) -> None:
        self._sent = dict.fromkeys(_PRIORS, 0)
        self._served = dict.fromkeys(_PRIORS, 0)

    def learn(self, exchange: Exchange) -> None:
        """Note the response to a call that sent a token of an earlier response."""
        for place, origin in exchange.request.origins.items():
            if _is_authorization(place) and origin.prefix in self._sent:
                self._sent[origin.prefix] += 1
                self._served[origin.prefix] += 200 <= exchange.status < 400

    def weights(self) -> dict[str, float]:
        """Return the texts with their weights (above 0): prior times rule of succession."""
        return {
            prefix: prior * (self._served[prefix] + 1) / (self._sent[prefix] + 2)
            for prefix, prior in _PRIORS.items()
        }


def _is_authorization(place: tuple[str | int, ...]) -> bool:
    return place[0] == "header" and str(place[-1]).lower() == HEADER
