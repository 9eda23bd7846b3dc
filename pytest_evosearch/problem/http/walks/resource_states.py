"""The state of an application without pages: what its answers say of each resource.

    POST /orders        {"id": 1, "status": "open"}     /orders: status=open
    POST /orders/1/pay  {"id": 1, "status": "paid"}     /orders: status=paid
    DELETE /products/3  204                             /orders: status=paid  /products: gone

A resource is what stands before the first value in an address.  The latest answer counts.
"""

from __future__ import annotations

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.exchanges.endpoint import address_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.screens.answer_words import state_words
from pytest_evosearch.screens.screen import state_named


class ResourceStates:
    """The states of the resources during one walk."""

    def __init__(self) -> None:
        self._words: dict[str, tuple[str, ...]] = {}

    def learn(self, exchange: Exchange) -> None:
        """Note what an answer says; refusals and failures say nothing of a state."""
        response = exchange.response
        if response is None or exchange.crash is not None or exchange.status >= FIRST_REFUSAL:
            return
        resource = address_of(exchange.request.template).partition("{")[0].rstrip("/") or "/"
        if exchange.request.method == "DELETE":
            self._words[resource] = ("gone",)
            return
        if not response.is_json:
            return
        try:
            words = state_words(response.json())
        except ValueError:
            return
        if words:
            self._words[resource] = tuple(words)

    @property
    def state(self) -> str:
        """The name of the present state."""
        parts = [f"{resource}: {' '.join(words)}" for resource, words in self._words.items()]
        return state_named("answers", len(parts), parts)
