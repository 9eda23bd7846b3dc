"""Writes what other services answer in a test, and what the application asks them.

The project's own library is used, if it can say all that is needed, else our own fixture
(`write.answers.stub_styles`):

    services.get("http://prices.internal/today", json={"oats": 3.2})
    ...
    assert services.requests[0].json == {"amount": 5}
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.sut.fixture_texts.services_text import SERVICES_FIXTURE
from pytest_evosearch.write.answers.stub_styles import OWN
from pytest_evosearch.write.answers.stub_styles import StubStyle
from pytest_evosearch.write.answers.stub_styles import failure_of
from pytest_evosearch.write.answers.stub_styles import header
from pytest_evosearch.write.answers.stub_styles import place_of
from pytest_evosearch.write.code.literals import Item
from pytest_evosearch.write.code.literals import Text
from pytest_evosearch.write.code.literals import call
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.arranged_rows import wrapped
from pytest_evosearch.write.content.assertions import SENT
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.written_calls import Unwritable

_REFUSED = "refused"
_JSON, _PLAIN = "application/json", "text/plain"

WIDTH = 84
"""Columns of a statement in a function of which black leaves the line breaks."""

MOST_ANSWERS = 12
"""Most answers of one service in a test that a reader follows."""


def asks_services(steps: Sequence[Exchange]) -> bool:
    """Say whether a test needs answers of other services."""
    return any(step.outgoing for step in steps)


def needs_of(steps: Sequence[Exchange]) -> set[str]:
    """Return what tests with these calls need of our own fixture (`services_text`)."""
    asked = [one for step in steps for one in step.outgoing]
    found = {
        "failing": any(one.failure and one.method for one in asked),
        "looping": any(one.in_loop for one in asked),
        "searching": any("elasticsearch" in header(one, "user-agent") for one in asked),
        "sleeping": any(step.slept for step in steps),
        "unreached": not all(one.method for one in asked),
        "waiting": any(header(one, "expect") for one in asked),
    }
    return {need for need, is_needed in found.items() if is_needed}


def stub_statements(steps: Sequence[Exchange], index: int, style: StubStyle = OWN) -> list[str]:
    """Return the statements for the services that are asked first by call `index` of a test."""
    earlier = {style.place_of(one) for step in steps[:index] for one in step.outgoing}
    later: dict[str, list[Outgoing]] = {}
    for one in (one for step in steps[index:] for one in step.outgoing):
        later.setdefault(style.place_of(one), []).append(one)
    lines: list[str] = []
    for place in dict.fromkeys(map(style.place_of, steps[index].outgoing)):
        if place not in earlier:
            lines += _answers(later[place], style)
    return lines


def _answers(asked: Sequence[Outgoing], style: StubStyle) -> list[str]:
    """Return the statements for the answers to equal requests, in their order."""
    if not asked[0].method and not style.library:
        if any(one.failure != asked[0].failure for one in asked):
            raise Unwritable("a service fails in several ways during the test")
        return _unreachable(asked[0])
    answers = [_content(one) for one in asked]
    while style.repeats_last and len(answers) > 1 and answers[-1] == answers[-2]:
        del answers[-1]
    if len(answers) > MOST_ANSWERS:
        raise Unwritable("a service gives too many different answers")
    method, url = place_of(asked[0]).split(" ", 1)
    statements = style.stubs(method, url, answers)
    return [line for statement in statements for line in wrapped(statement, width=WIDTH)]


def _unreachable(asked: Outgoing) -> list[str]:
    items = [Item(Text(asked.name.partition(":")[0]))]
    if asked.failure != _REFUSED:
        items.append(Item(Text(asked.failure)))
    return wrapped(call(f"{SERVICES_FIXTURE}.unreachable", *items))


def _content(asked: Outgoing) -> dict[str, object]:
    """Return the arguments that tell the answer; what is usual is left out."""
    if asked.failure and asked.failure != "truncated":
        return {"fails": failure_of(asked)}
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


def sent_facts(specimen: Specimen, index: int, style: StubStyle = OWN) -> Iterator[Fact]:
    """Yield what the application asked services in a call: documents, forms and queries."""
    seen = [one for step in specimen.steps[:index] for one in step.outgoing]
    for place, one in enumerate(specimen.steps[index].outgoing):
        # A library also counts what did not arrive.
        number = sum(bool(other.method or style.library) for other in seen)
        seen.append(one)
        if one.method and specimen.reason(index, ("outgoing", place)) is None:
            for part in _parts_sent(one):
                code, value = style.sent[part](one)
                yield Fact(SENT, (code.format(style.requests.format(number)),), value)


def _parts_sent(asked: Outgoing) -> Iterator[str]:
    if asked.query:
        yield "query"
    kind = next((value for name, value in asked.headers if name.lower() == "content-type"), "")
    if asked.body and "json" in kind and _is_document(asked.body):
        yield "json"
    elif asked.body and "urlencoded" in kind:
        yield "form"


def _is_document(body: bytes) -> bool:
    with suppress(ValueError):
        json.loads(body)
        return True
    return False
