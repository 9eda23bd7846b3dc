"""Chooses what a test asserts about a response: plain facts, not yet code.

The rules are those of a careful person. Always assert the status, and the target of a redirect.
Assert a small JSON body as a whole, and those parts of a large one that the request determined.
Assert the text of a page that only this branch produces. Assert nothing that differs between runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from xml.etree.ElementTree import Element

from pytest_evosearch.core.isolation import json
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.problem.http.exchanges.responses import leads_to_nothing
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.write.answers.differences import JsonPath
from pytest_evosearch.write.answers.versions import REFUSED_CONTENT_TYPE
from pytest_evosearch.write.answers.versions import refuses_content_type
from pytest_evosearch.write.code.layout import height
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.content.answered_body import AnsweredBody
from pytest_evosearch.write.content.answered_body import Fact
from pytest_evosearch.write.content.environment import bound_to
from pytest_evosearch.write.content.identifier_names import Reference
from pytest_evosearch.write.content.input_values import sent_values
from pytest_evosearch.write.content.json_facts import LARGEST_PART
from pytest_evosearch.write.content.json_facts import facts_of_json
from pytest_evosearch.write.content.json_facts import first_words
from pytest_evosearch.write.content.json_facts import marked
from pytest_evosearch.write.content.json_facts import refusal_facts
from pytest_evosearch.write.content.references import variable_for
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import FactPath
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import MOST_TEXTS
from pytest_evosearch.write.content.telling_texts import Circumstances
from pytest_evosearch.write.content.telling_texts import Foils
from pytest_evosearch.write.content.telling_texts import distinctive_texts
from pytest_evosearch.write.content.telling_texts import vanished_text
from pytest_evosearch.write.content.xml_facts import XmlFact
from pytest_evosearch.write.content.xml_facts import xml_facts

MOST_SIBLINGS = 12
"""Most other responses of an endpoint for a comparison."""

MOST_ERRORS = 2
"""Most messages of a GraphQL response that are asserted."""

LONGEST_EXACT_TEXT = 200
"""Most characters of a plain text that is asserted as a whole."""

NO_CONTENT = 204


TEXTS = ("contains", "lacks")
"""Kinds of facts that are named by their text: an answer may have several."""

REDIRECTS = "You should be redirected automatically"
"""Beginning of Werkzeug's page for a redirect."""


def act_facts(
    specimen: Specimen, index: int, corpus: Corpus, known: Sequence[Reference] = ()
) -> tuple[Fact, ...]:
    """Return the facts to assert about the call under test; `known` identifiers are variables."""
    exchange = specimen.steps[index]
    inputs = tuple(sent_values(specimen, index))
    body: tuple[Fact, ...] = ()
    if exchange.response is not None:
        before = specimen.text_before(index)
        others = _other_answers(exchange, corpus)
        seen = AnsweredBody(specimen, index, exchange.response, inputs, known, before, others)
        body = tuple(_body_facts(seen, exchange, corpus))
        if index == len(specimen.steps) - 1:
            heard = [one for one in body if key_of(one) not in specimen.telling.silent]
            body = _with_further(heard, seen)
    return (*arrange_facts(specimen, index), *body)


def key_of(fact: Fact) -> FactPath:
    """Return what names a fact about one answer: its kind, and its place or its text."""
    return (fact.kind, str(fact.value)) if fact.kind in TEXTS else (fact.kind, *fact.path)


def _with_further(facts: Sequence[Fact], body: AnsweredBody) -> tuple[Fact, ...]:
    """Return the facts, and those that detect changes of the code, as executions have shown."""
    known = set(map(key_of, facts))
    further = [_fact_of(key, body) for key in body.specimen.telling.further if key not in known]
    return (*facts, *further)


def _fact_of(key: FactPath, body: AnsweredBody) -> Fact:
    """Return the fact that a key names."""
    kind, *path = key
    if kind in TEXTS:
        return Fact(str(kind), (), path[0])
    if kind == "header":
        return Fact("header", tuple(path), body.response.header(str(path[0])))
    if kind == "mimetype":
        return Fact("mimetype", (), body.response.mimetype)
    value = inside(body.response.json(), path)
    if kind == "length" and isinstance(value, list):
        return Fact("length", tuple(path), len(value))
    return Fact("json", tuple(path), marked(value, body, tuple(path)))


def further_facts(
    specimen: Specimen, corpus: Corpus, place: FactPath, other: Exchange
) -> Iterator[FactPath]:
    """Yield keys of a fact about the last answer that is not true for another answer.

    `place` is where they differ.
    """
    index = len(specimen.steps) - 1
    exchange = specimen.steps[index]
    response = exchange.response
    if response is None or other.response is None:
        return
    body = AnsweredBody(specimen, index, response, tuple(sent_values(specimen, index)))
    if place[0] == "json":
        yield from _further_json(body, place[1:])
    elif place == ("text",) and response.is_markup:
        around, foils = _around_page(body, exchange, corpus)
        text = vanished_text(response.text, other.response.text, foils, around)
        if text is not None:
            yield ("contains", text)


def _further_json(body: AnsweredBody, path: JsonPath) -> Iterator[FactPath]:
    value = inside(body.response.json(), path)
    if value is MISSING or _is_opaque(body):
        return
    if height(node_of(value)) <= LARGEST_PART:
        part = marked(value, body, path)
        if not isinstance(part, Unstable):
            yield ("json", *path)
    elif isinstance(value, list):
        yield ("length", *path)


def shows_a_change(specimen: Specimen) -> bool:
    """Say whether the last step has a fact that is not true without the write before it."""
    index = len(specimen.steps) - 1
    response, before = specimen.steps[index].response, specimen.text_before(index)
    if response is None or before is None:
        return True
    body = AnsweredBody(specimen, index, response, (), (), before)
    if response.is_json:
        return body.has_changed
    if root_of(response) is not None or not response.is_markup:
        return response.text != before and body.reason("text") is None
    facts = act_facts(specimen, index, Corpus())
    shown = [str(one.value) for one in facts if one.kind == "contains"]
    return any(one.kind == "lacks" for one in facts) or any(one not in before for one in shown)


def _other_answers(exchange: Exchange, corpus: Corpus) -> list[object]:
    """Return some other JSON responses of an endpoint: parts common to all are not informative."""
    if exchange.response is None or not exchange.response.is_json:
        return []
    found = []
    for text in corpus.others(exchange.request.endpoint, exchange.response.text)[:MOST_SIBLINGS]:
        with suppress(ValueError, RecursionError):
            found.append(json.loads(text))
    return found


def arrange_facts(specimen: Specimen, index: int) -> tuple[Fact, ...]:
    """Return the facts to assert about an earlier call: its status and its redirect."""
    exchange = specimen.steps[index]
    response = exchange.response
    if response is None:
        return ()
    if refuses_content_type(response):
        return (Fact("status", (), REFUSED_CONTENT_TYPE),)
    facts = [Fact("status", (), response.status)]
    is_stable = specimen.reason(index, ("header", "Location")) is None
    if response.location is not None and is_stable and not leads_to_nothing(response):
        facts.append(Fact("location", (), response.location))
    return tuple(facts)


def _body_facts(body: AnsweredBody, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    response = body.response
    if exchange.request.method == "HEAD":
        return
    if refuses_content_type(response):
        return  # the body repeats the status, which depends on the framework's version
    yield from _header_facts(body)
    if response.truncated:  # a test that reads an endless stream never ends
        if response.live and response.body:
            yield from _first_piece_facts(body)
        return
    if 300 <= response.status < 400:
        return
    if response.body:
        yield from _content_facts(body, exchange, corpus)
    elif response.status < 400 and response.mimetype == "text/plain":
        yield Fact("text", (), "")
    elif response.status < 400 and response.status != NO_CONTENT:  # a 204 response never has a body
        yield Fact("empty")


def _header_facts(body: AnsweredBody) -> Iterator[Fact]:
    challenge = body.response.header("WWW-Authenticate")
    if not challenge or len(challenge) > 60:
        return
    if body.reason("header", "WWW-Authenticate") is None and "nonce" not in challenge:
        yield Fact("header", ("WWW-Authenticate",), challenge)


def _content_facts(body: AnsweredBody, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    response = body.response
    if response.is_json:
        try:
            value = response.json()
        except ValueError:
            return
        if body.reason("json") is None and not _is_opaque(body):
            for path in _places_of_facts(value, exchange):
                part = marked(inside(value, path), body, path)
                yield from refusal_facts(part, path) or facts_of_json(body, part, path)
        return
    root = root_of(response)
    if root is not None:
        yield from _xml_facts(body, root, exchange, corpus)
        return
    readable = "\ufffd" not in response.text  # some versions of Werkzeug raise for other texts
    spoken = response.mimetype.startswith("text/") and not response.is_measurement
    if response.is_xml or not spoken:
        yield Fact("mimetype", (), response.mimetype)
        if response.is_xml and response.is_markup and readable:
            yield from _page_facts(body, exchange, corpus)
    elif not readable:
        return
    elif response.is_markup:
        yield from _page_facts(body, exchange, corpus)
    elif body.reason("text") is None:
        yield from _plain_text_facts(body, response.text)


def _places_of_facts(value: object, exchange: Exchange) -> list[JsonPath]:
    """Return the places of a JSON body with its content.

    For a GraphQL operation, this is its field, and the messages of errors. The positions of errors
    in the query say nothing about the application.
    """
    field = operation_of(exchange.request.template).partition(".")[2]
    if not field or not isinstance(value, dict):
        return [()]
    errors = value.get("errors")
    count = min(len(errors), MOST_ERRORS) if isinstance(errors, list) else 0
    places: list[JsonPath] = [("errors", place, "message") for place in range(count)]
    if not places or inside(value, ("data", field)) not in (None, MISSING):
        places.append(("data", field))
    found = [path for path in places if inside(value, path) is not MISSING]
    return found or [()]


def _is_opaque(body: AnsweredBody) -> bool:
    """Say whether a JSON body has changes that no path describes."""
    return body.reason("text") is not None and not body.has_unstable_part("json")


def _page_facts(body: AnsweredBody, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    text = body.response.text
    if body.response.location is not None and REDIRECTS in text:
        return  # ``redirect("/", 404)``: the page repeats the address
    around, foils = _around_page(body, exchange, corpus)
    for found in _own_texts(body, foils, around):
        if found in text:
            yield Fact("contains", (), found)
    if body.before and REDIRECTS not in body.before and body.response.status == 200:
        gone = vanished_text(body.before, text, foils, around)
        if gone is not None:
            yield Fact("lacks", (), gone)


def _own_texts(body: AnsweredBody, foils: Foils, around: Circumstances) -> tuple[str, ...]:
    """Return the most informative texts of a page; of a refusal, none in words of a library."""
    foreign: set[str] = set()

    def is_unreliable(found: str) -> bool:
        return found in foreign or around.unreliable(found)

    for _ in range(MOST_TEXTS):
        others = replace(around, unreliable=is_unreliable)
        found = distinctive_texts(body.response.text, foils, others)
        plain = [one.strip("><") for one in found] if around.refused or body.before else []
        said = {one for one in plain if not foils.wording.has(one) and body.repeats_a_library(one)}
        if not said:
            return found
        foreign |= said
    return ()


def _around_page(
    body: AnsweredBody, exchange: Exchange, corpus: Corpus
) -> tuple[Circumstances, Foils]:
    """Return what matters for the texts of a page, and the pages that it differs from."""
    text, failed = body.response.text, body.response.status >= 400
    foils = corpus.foils(exchange.request, text)
    again = body.specimen.again.get(body.index, ())
    if body.before is not None:
        foils = replace(foils, served=(*foils.served, body.before))
    around = Circumstances(
        hints=frozenset(str(value) for value in body.inputs),
        wordy=body.reason("text") is not None and not again,
        failed=failed,
        refused=failed or exchange.request.method not in ("GET", "HEAD"),
        unreliable=lambda found: bool(bound_to(found)) or body.shows_today(found),
    )
    return around, replace(foils, again=again)


def _xml_facts(
    body: AnsweredBody, root: Element, exchange: Exchange, corpus: Corpus
) -> Iterator[Fact]:
    def is_unstable(fact: XmlFact, text: str) -> bool:
        place = (fact.kind, fact.path, fact.name)
        return body.reason(*place) is not None or bool(bound_to(text)) or body.shows_today(text)

    def reference(name: str, text: str) -> Expression | None:
        return variable_for(text, name, body.known, body.nouns)

    others = corpus.others(exchange.request.endpoint, body.response.text)
    again = _documents(body.specimen.again.get(body.index, ()), body.response)
    siblings = _documents(others[:MOST_SIBLINGS], body.response)
    for fact in xml_facts(root, again, siblings, is_unstable, reference):
        yield Fact(fact.kind, (fact.path, fact.name), fact.value)


def _documents(texts: Sequence[str], response: Response) -> list[Element]:
    """Return the roots of other responses with `response`'s content type."""
    bodies = (replace(response, body=text.encode()) for text in texts)
    return [root for body in bodies if (root := root_of(body)) is not None]


def _plain_text_facts(body: AnsweredBody, text: str) -> Iterator[Fact]:
    if (
        bound_to(text)
        or body.shows_today(text)
        or (body.is_refusal and body.repeats_a_library(text))
    ):
        return
    if len(text) <= LONGEST_EXACT_TEXT and text.count("\n") <= 3:
        yield Fact("text", (), text)
        return
    first_line = first_words(text)
    if first_line and text.startswith(first_line):
        yield Fact("starts", (), first_line)
    elif first_line:
        yield Fact("contains", (), first_line)


def _first_piece_facts(body: AnsweredBody) -> Iterator[Fact]:
    """Assert the first piece of a live stream, or at least that there is one.

    Werkzeug's client has already waited for the first piece of any stream.
    """
    piece, text = body.response.body, body.response.text
    if body.reason("text") is not None or bound_to(text) or body.shows_today(text):
        yield Fact("piece", (), b"")
    elif len(piece) <= LONGEST_EXACT_TEXT:
        yield Fact("piece", (), piece)
    else:
        yield Fact("piece-starts", (), piece.splitlines(keepends=True)[0][:60])
