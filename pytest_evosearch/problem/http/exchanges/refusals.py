"""The one place to ask whether a response refuses its caller.

The search learns refusals (`problem.http.learning.learnt_refusals`), and the executor notes them on
each exchange. Where nothing was learnt, HTTP's own statuses decide.
"""

from __future__ import annotations

from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.responses import asks_to_log_in


def turns_away(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller, whatever its status."""
    return says_so_itself(exchange) if exchange.refused is None else exchange.refused


def says_so_itself(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller by its status or by a redirect to a log-in."""
    response = exchange.response
    return response is not None and (response.status in REFUSING or asks_to_log_in(response))
