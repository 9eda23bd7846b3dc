"""Redirects that lead a visitor away to wherever a link says (CWE-601)."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.sent import distinct_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.inquiries.inquirer import STRANGE_HOST


class OpenRedirectOracle(WithoutKnowledge):
    """Reports redirects to a host which only the caller can have named.

    A list of hosts from which callers may choose is no fault, and the search finds such lists.  So
    only the host of `problem.http.inquiries.inquirer` counts, which no list contains.
    """

    code = "open-redirect"
    explanation = "a link to the application can lead its visitors to any other host"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each place whose host a redirect leads to."""
        response = exchange.response
        if response is None or not FIRST_REDIRECT <= response.status < FIRST_REFUSAL:
            return
        location = response.location
        if location is None or _host_of(location) != STRANGE_HOST:
            return
        for place, text in distinct_texts(exchange.request):
            # A link on another site cannot fill the headers of a visitor's browser.
            if STRANGE_HOST in text and not place.startswith(("header ", "cookie ")):
                message = f"{place} leads visitors to {location}"
                wanted = Expectation("location-is-not", location, phrase="does_not_lead_away")
                yield finding(self.code, exchange.request.endpoint, call, place, message, wanted)


def _host_of(location: str) -> str | None:
    """Return the host to which a browser goes; browsers read backslashes as slashes."""
    try:
        return urlsplit(location.strip().replace("\\", "/")).hostname
    except ValueError:
        return None
