"""The one place to ask whether a response refuses its caller.

The search learns refusals (`problem.http.learning.learnt_refusals`), and the executor notes them on
each exchange. Where nothing was learnt, HTTP's own statuses decide.
"""

from __future__ import annotations

from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.responses import asks_to_log_in

ERROR = "error"


def is_told(exchange: Exchange) -> bool:
    """Say whether a JSON object tells of a refusal with the status of a success.

    That is an object with an ``error``, or one with a flag that is false, or ``"error"``, beside a
    text.
    """
    response = exchange.response
    body = response.document() if response is not None and exchange.status < 300 else None
    if not isinstance(body, dict) or exchange.crash is not None:
        return False
    texts = [part for part in body.values() if isinstance(part, str) and part]
    named = any(part and str(key).lower() in (ERROR, "errors") for key, part in body.items())
    is_flagged = any(part is False or part == ERROR for part in body.values())
    return named or (is_flagged and any(text != ERROR for text in texts))


def turns_away(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller, whatever its status."""
    return says_so_itself(exchange) if exchange.refused is None else exchange.refused


def says_so_itself(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller by its status or by a redirect to a log-in."""
    response = exchange.response
    return response is not None and (response.status in REFUSING or asks_to_log_in(response))
