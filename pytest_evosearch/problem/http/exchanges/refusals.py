"""The one place to ask whether a response refuses its caller.

The search learns refusals (`problem.http.learning.learnt_refusals`), and the executor notes them on
each exchange. Where nothing was learnt, HTTP's own statuses decide.
"""

from __future__ import annotations

from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.exchange import MESSAGE_KEYS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.responses import asks_to_log_in

ERROR = "error"


def is_told(exchange: Exchange) -> bool:
    """Say whether a JSON object tells of a refusal with the status of a success.

    That is an object with an ``error``, or one with a flag that is false, or ``"error"``, beside a
    message.  A stored thing has an identifier, and flags of its own.
    """
    response = exchange.response
    body = response.document() if response is not None and exchange.status < 300 else None
    if not isinstance(body, dict) or exchange.crash is not None:
        return False
    is_thing = any(IDENTIFIER.is_meant_by(str(key), Certainty.LIKELY) for key in body)
    texts = [body[key] for key in MESSAGE_KEYS if isinstance(body.get(key), str)]
    named = any(part and str(key).lower() in (ERROR, "errors") for key, part in body.items())
    is_flagged = any(part is False or part == ERROR for part in body.values())
    is_said = any(text not in ("", ERROR) for text in texts)
    return named or (is_flagged and is_said and not is_thing)


def turns_away(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller, whatever its status."""
    return says_so_itself(exchange) if exchange.refused is None else exchange.refused


def says_so_itself(exchange: Exchange) -> bool:
    """Say whether a response refuses its caller by its status or by a redirect to a log-in."""
    response = exchange.response
    return response is not None and (response.status in REFUSING or asks_to_log_in(response))
