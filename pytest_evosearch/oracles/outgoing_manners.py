"""What an application does to the services that it calls, and to those who wait for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from urllib.parse import parse_qsl

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.targets import fault_target
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.oracles.findings import UNSEEN
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing

_KEY = re.compile(
    r"(?:^|[_-])(?:authorization|(?:api|access|auth)[_-]?(?:key|token))$", re.IGNORECASE
)

_HOLDS_UP = {
    "no time-out": "would wait without end for an answer",
    "open transaction": "waits for an answer while a database transaction is open",
}
"""What may hold others up -> how it is told."""

_TURN = re.compile(r" \d+$")


class OutgoingOracle(WithoutKnowledge):
    """Reports secrets in plain text, calls without a time-out, and calls in a transaction.

    Each is told once for a call to a service, whichever endpoint makes it.
    """

    code = "outgoing"
    explanation = "a call to another service gives a secret away, or can hold everything up"

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield a fault for each kind of call that should be made otherwise."""
        told = set()
        for asked in exchange.outgoing:
            name = _TURN.sub("", asked.name)
            for kind, message in _findings(asked):
                if (name, kind) not in told:
                    told.add((name, kind))
                    target = fault_target(name, f"{self.code} {kind}", UNKNOWN_POSITION)
                    yield Fault(
                        *(self.code, exchange.request.endpoint, kind, UNKNOWN_POSITION),
                        *(f"{name}: {message}", call, target, UNSEEN),
                        way=name,
                    )


def _findings(asked: Outgoing) -> Iterator[tuple[str, str]]:
    if not asked.method:
        return
    secret = next(_secrets(asked), None) if asked.url.startswith("http://") else None
    if secret is not None:
        yield "secret in plain text", f"sends {secret} without TLS"
    for kind in asked.careless:
        yield kind, _HOLDS_UP[kind]


def _secrets(asked: Outgoing) -> Iterator[str]:
    """Yield what a call sends that only the service may know."""
    for part, pairs in (
        ("the header", asked.headers),
        ("the parameter", parse_qsl(asked.query)),
        ("the member", _members(asked)),
    ):
        for name, value in pairs:
            if value and (_KEY.search(name) or PASSWORD.is_meant_by(name, Certainty.LIKELY)):
                yield f"{part} {name}"


def _members(asked: Outgoing) -> list[tuple[str, str]]:
    kind = next((value for name, value in asked.headers if name.lower() == "content-type"), "")
    if "urlencoded" in kind:
        return parse_qsl(asked.body.decode("latin-1"))
    try:
        document = json.loads(asked.body)
    except ValueError:
        return []
    return (
        [(str(name), str(one)) for name, one in document.items()]
        if isinstance(document, dict)
        else []
    )
