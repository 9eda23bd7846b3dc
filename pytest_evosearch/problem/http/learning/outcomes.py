"""Outcomes: which responses are a success, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.problem.http.descriptions.endpoint_relations import Resources
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.endpoint import View
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.learning.learnt_refusals import Refusals

MAILED_SUCCESS, CLEAR_SUCCESS, DOUBTFUL_SUCCESS, FAILURE = 3, 2, 1, 0
"""How surely a call succeeded; a page that shows the sent form again is doubtful.

The surest calls follow an address from a mail. A guessed token gets the same redirect, but confirms
nothing.
"""


class Outcomes:
    """Distinguishes success and refusal, including redirects to a log-in page or a wall."""

    def __init__(
        self, resources: Resources, views: Mapping[str, View | None] = MappingProxyType({})
    ) -> None:
        self.refusals = Refusals(resources, views)
        self.walls = self.refusals.walls
        self.alike = self.refusals.alike

    def quality(self, exchange: Exchange) -> int:
        """Return how surely a call succeeded."""
        response = exchange.response
        if response is None or exchange.crash is not None:
            return FAILURE
        if not 200 <= exchange.status < FIRST_REFUSAL or self.is_refused(exchange):
            return FAILURE
        if exchange.request.method not in SAFE_METHODS and _is_form_again(response):
            return DOUBTFUL_SUCCESS
        return MAILED_SUCCESS if exchange.request.was_mailed else CLEAR_SUCCESS

    def is_refused(self, exchange: Exchange) -> bool:
        """Say whether a response refused its caller, as far as known now."""
        return self.refusals.refuses_caller(exchange)


def _is_form_again(response: Response) -> bool:
    return response.status == 200 and b"<form" in response.body
