"""Writes what other services answer in a test, and what the application asks them.

services.get("http://prices.internal/today", json={"oats": 3.2})
services.unreachable("prices.internal")
...
assert services.requests[0].json == {"amount": 5}
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import parse_qsl

from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.sut.fixture_texts.services_text import SERVICES_FIXTURE
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.arranged_rows import wrapped
from pytest_evosearch.write.content.assertions import SENT
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.written_calls import Unwritable

_REFUSED = "refused"
_JSON, _PLAIN = "application/json", "text/plain"

MOST_ANSWERS = 12
"""Most answers of one service in a test that a reader follows."""


def asks_services(steps: Sequence[Exchange]) -> bool:
    """Say whether a test needs answers of other services."""
    return any(step.outgoing for step in steps)


def stub_statements(steps: Sequence[Exchange], index: int) -> list[str]:
    """Return the statements for the services that are asked first by call `index` of a test."""
    earlier = {_place(one) for step in steps[:index] for one in step.outgoing}
    lines: list[str] = []
    for place in dict.fromkeys(_place(one) for one in steps[index].outgoing):
        if place not in earlier:
            asked = [one for step in steps[index:] for one in step.outgoing if _place(one) == place]
            lines += _answers(asked)
    return lines


def _place(asked: Outgoing) -> str:
    return f"{asked.method} {asked.url}" if asked.method else asked.name


def _answers(asked: Sequence[Outgoing]) -> list[str]:
    """Return the statements for the answers to equal requests, in their order."""
    if not asked[0].method:
        if any(one.failure != asked[0].failure for one in asked):
            raise Unwritable("a service fails in several ways during the test")
        return _unreachable(asked[0])
    statements = [_stub(one) for one in asked]
    while len(statements) > 1 and statements[-1] == statements[-2]:
        del statements[-1]  # the last answer is given again
    if len(statements) > MOST_ANSWERS:
        raise Unwritable("a service gives too many different answers")
    return [line for statement in statements for line in statement]


def _unreachable(asked: Outgoing) -> list[str]:
    items = [Item(Text(asked.name.partition(":")[0]))]
    if asked.failure != _REFUSED:
        items.append(Item(Text(asked.failure)))
    return wrapped(call(f"{SERVICES_FIXTURE}.unreachable", *items))


def _stub(asked: Outgoing) -> list[str]:
    items = [Item(Text(asked.url))]
    if asked.method in (*SAFE[:2], *WRITING):
        function = asked.method.lower()
    else:
        function, items = "add", [Item(Text(asked.method)), *items]
    items += [Item(node_of(value), f"{name}=") for name, value in _content(asked).items()]
    return wrapped(call(f"{SERVICES_FIXTURE}.{function}", *items))


def _content(asked: Outgoing) -> dict[str, object]:
    """Return the arguments that tell the answer; what is usual is left out."""
    if asked.failure and asked.failure != "truncated":
        return {"fails": asked.failure}
    found: dict[str, object] = {}
    if asked.status != HTTPStatus.OK:
        found["status"] = asked.status
    headers = dict(asked.answer_headers)
    kind = headers.pop("Content-Type", _JSON)
    text = asked.answer.decode("utf-8", "replace")
    if kind == _JSON:
        content = json.loads(text) if text else {}
        if content != {}:
            found["json"] = content
    else:
        found["text"] = text
        if not kind.startswith(_PLAIN):
            headers["Content-Type"] = kind
    if headers:
        found["headers"] = headers
    if asked.failure:
        found["fails"] = asked.failure
    return found


def sent_facts(specimen: Specimen, index: int) -> Iterator[Fact]:
    """Yield what the application asked services in a call: documents, forms and queries."""
    before = sum(bool(one.method) for step in specimen.steps[:index] for one in step.outgoing)
    asked = [one for one in specimen.steps[index].outgoing if one.method]
    for place, one in enumerate(asked):
        if specimen.reason(index, ("outgoing", place)) is None:
            for part, value in _sent(one).items():
                yield Fact(SENT, (before + place, part), value)


def _sent(asked: Outgoing) -> Mapping[str, object]:
    found: dict[str, object] = {}
    if asked.query:
        found["query"] = dict(parse_qsl(asked.query, keep_blank_values=True))
    kind = next((value for name, value in asked.headers if name.lower() == "content-type"), "")
    if asked.body and "json" in kind:
        try:
            found["json"] = json.loads(asked.body)
        except ValueError:
            found["body"] = asked.body
    elif asked.body and "urlencoded" in kind:
        found["form"] = dict(parse_qsl(asked.body.decode("latin-1")))
    return found
