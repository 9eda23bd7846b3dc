"""Sequences of calls on one resource: what is created, replaced and deleted.

Each oracle needs the whole sequence in one test; `problem.http.inquiries.inquirer` makes such
tests.  An echo service, or a page for any address, could show the effect as well.  So one more call
must prove that there is a resource: the endpoint must answer 404 (or 410) for another value of its
path.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.oracles.findings import DONE
from pytest_evosearch.oracles.findings import GONE
from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import body_of
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.findings import is_plain_get
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.endpoint import path_with
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault


def _shows_existence(exchanges: Sequence[Exchange], template: str) -> bool:
    """Say whether the endpoint has answered that something does not exist."""
    return any(
        exchange.request.method == "GET"
        and exchange.request.template == template
        and exchange.status in GONE
        and exchange.routed
        for exchange in exchanges
    )


class DeleteIneffectiveOracle(WithoutKnowledge):
    """Reports resources that are unchanged after they were deleted."""

    code = "delete-ineffective"
    fewest_calls = 3
    explanation = "a resource is still served unchanged after a DELETE that succeeded"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for GET 200, DELETE 2xx, GET 200 with the same body."""
        before: dict[object, bytes] = {}
        deleted: dict[object, bytes] = {}
        for call, exchange in enumerate(exchanges):
            request = exchange.request
            address = address_of(request)
            if request.method == "DELETE" and exchange.status in DONE and address in before:
                if request.template.endswith("}"):
                    deleted[address] = before[address]
            elif is_plain_get(exchange) and exchange.status == 200:
                same = deleted.get(address) == body_of(exchange)
                if same and _shows_existence(exchanges[:call], request.template):
                    wanted = Expectation("status-in", GONE, phrase="is_gone_after_delete")
                    message = "still served unchanged after it was deleted"
                    yield finding(self.code, request.endpoint, call, "still there", message, wanted)
                before[address] = body_of(exchange)
            elif request.method not in SAFE_METHODS:
                deleted.pop(address, None)  # another call may have created it again


class LocationUnresolvableOracle(WithoutKnowledge):
    """Reports addresses of new resources at which nothing is found."""

    code = "location-unresolvable"
    fewest_calls = 2
    explanation = "the Location of a 201 response answers 404"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for a 201 response with a Location at which the next calls find nothing."""
        created: dict[str, str] = {}
        for call, exchange in enumerate(exchanges):
            response, request = exchange.response, exchange.request
            if response is not None and response.status == 201 and response.location:
                created[_path_of(response.location)] = request.endpoint
                continue
            if request.method not in SAFE_METHODS:
                created.clear()  # it may have been deleted on purpose
            if request.method != "GET" or exchange.status != 404:
                continue
            maker = created.get(_sent_path(request))
            if maker is not None:
                message = f"the Location of {maker}, which answered 201, answers 404"
                wanted = Expectation("status-is-not", 404, phrase="is_where_location_says")
                yield finding(
                    self.code, request.endpoint, call, f"Location of {maker}", message, wanted
                )


def _path_of(location: str) -> str:
    try:
        return unquote(urlsplit(location).path).rstrip("/")
    except ValueError:
        return location


def _sent_path(request: Request) -> str:
    return path_with(request.template, request.path).rstrip("/")
