"""Whether an answer turns its caller away: the one place where that is asked.

The search learns it (`problem.http.learning.learnt_refusals`), and the executor notes it on each
exchange.  Where it has learnt nothing, HTTP's own words count.
"""

from __future__ import annotations

from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.responses import asks_to_log_in


def turns_away(exchange: Exchange) -> bool:
    """Say whether an answer refuses its caller, whatever its status."""
    return says_so_itself(exchange) if exchange.refused is None else exchange.refused


def says_so_itself(exchange: Exchange) -> bool:
    """Say whether an answer refuses its caller by a status or by a redirect to a log-in."""
    response = exchange.response
    return response is not None and (response.status in REFUSING or asks_to_log_in(response))
