"""Chooses what a test asserts about a response: plain facts, not yet code.

The rule of thumb is a careful colleague's: the status always; where a redirect goes; a
small JSON body whole, of a large one what the request determined; of a page the text that
only this branch produces; nothing that changes from run to run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace
from functools import cached_property
from xml.etree.ElementTree import Element

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.problem.http.exchanges.endpoint import operation_of
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.framework_words import is_framework_sentence
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import inside
from pytest_evosearch.problem.http.exchanges.xml_places import root_of
from pytest_evosearch.write.code.layout import height
from pytest_evosearch.write.code.literals import Expression
from pytest_evosearch.write.code.literals import Unstable
from pytest_evosearch.write.code.literals import node_of
from pytest_evosearch.write.content.differences import JsonPath
from pytest_evosearch.write.content.differences import changed_places
from pytest_evosearch.write.content.environment import bound_to
from pytest_evosearch.write.content.page_texts import GENERIC
from pytest_evosearch.write.content.page_texts import says_only_the_status
from pytest_evosearch.write.content.references import BARE_IDENTIFIERS
from pytest_evosearch.write.content.references import Reference
from pytest_evosearch.write.content.references import nouns_of
from pytest_evosearch.write.content.references import variable_for
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Circumstances
from pytest_evosearch.write.content.telling_texts import distinctive_texts
from pytest_evosearch.write.content.telling_texts import vanished_text
from pytest_evosearch.write.content.today import REASON as TODAY
from pytest_evosearch.write.content.today import names_today
from pytest_evosearch.write.content.versions import REFUSED_CONTENT_TYPE
from pytest_evosearch.write.content.versions import refuses_content_type
from pytest_evosearch.write.content.xml_facts import XmlFact
from pytest_evosearch.write.content.xml_facts import xml_facts

LARGEST_LITERAL = 16
"""Lines up to which a JSON body is asserted whole."""

LARGEST_PART = 6
"""Lines up to which one value inside a large JSON body is asserted whole."""

MOST_FACTS = 6
"""Assertions about one large body: more would bury the point."""

MOST_SIBLINGS = 12
"""Other answers of an endpoint with which one is compared."""

MOST_ERRORS = 2
"""Messages of an answer of GraphQL that are asserted."""

LONGEST_EXACT_TEXT = 200
"""Characters up to which a plain text is asserted whole."""

NO_CONTENT = 204

FRAMEWORK = "the framework's own words"
"""Of a description that no handler gives and another version of Werkzeug may word otherwise."""

NOT_A_NUMBER = "not a number"

REDIRECTS = "You should be redirected automatically"
"""What Werkzeug's page for a redirect begins with."""


@dataclass(frozen=True)
class Fact:
    """One thing to assert about a response.

    `kind` is one of ``status``, ``location``, ``json``, ``json-contains``, ``length``, ``nan``,
    ``contains``, ``lacks``, ``text``, ``starts``, ``empty``, ``mimetype``, ``header``, ``below``,
    ``expected``, or one of `xml_facts`, whose path is that of an element and the name of an
    attribute; `path` is the place inside a JSON body (or the header's name), `value` a value
    tree, of a status also the tuple of those that versions of the framework answer with.  What
    is ``expected`` instead of a fault is an `Expectation`, its path the variable of the client.
    """

    kind: str
    path: JsonPath = ()
    value: object = None


@dataclass(frozen=True)
class _Body:
    """A response body together with what is known about its reliability."""

    specimen: Specimen
    index: int
    response: Response
    inputs: tuple[object, ...]
    known: Sequence[Reference] = ()
    before: str | None = None
    """What the same page showed before the call under test."""
    others: Sequence[object] = ()
    """Other JSON answers of the same endpoint."""

    @property
    def nouns(self) -> tuple[str, ...]:
        return nouns_of(self.specimen.steps[self.index].request)

    def reason(self, *path: str | int) -> str | None:
        return self.specimen.reason(self.index, path)

    @cached_property
    def _changed(self) -> frozenset[JsonPath]:
        """The places of a JSON body that the call under test changed, those above them too."""
        try:
            now, before = self.response.json(), json.loads(self.before or "")
        except ValueError:
            return frozenset()
        found = [path for path in changed_places(now, before) if not self.reason("json", *path)]
        return frozenset(path[:depth] for path in found for depth in range(1, len(path) + 1))

    def is_changed(self, path: JsonPath) -> bool:
        """Say whether the call under test changed something at a place of a JSON body."""
        return path in self._changed

    def is_special(self, path: JsonPath, value: object) -> bool:
        """Say whether most other answers of the endpoint hold something else at a place."""
        same = sum(inside(one, path) == value for one in self.others)
        return 2 * same < len(self.others)

    def shows_today(self, text: str) -> bool:
        """Say whether `text` has the date of today without anybody having sent it."""
        if not names_today(text):
            return False
        sent = map(str, self.inputs)
        return not any(value in text and names_today(value) for value in sent)

    def has_unstable_part(self, *path: str | int) -> bool:
        return any(
            call == self.index and fact[: len(path)] == path
            for call, fact in self.specimen.unstable
        )


def act_facts(
    specimen: Specimen, index: int, corpus: Corpus, known: Sequence[Reference] = ()
) -> tuple[Fact, ...]:
    """Return what to assert about the call under test; `known` identifiers become variables."""
    exchange = specimen.steps[index]
    inputs = tuple(sent_values(specimen, index))
    body: tuple[Fact, ...] = ()
    if exchange.response is not None:
        follow_up = specimen.follow_up if index == len(specimen.exchanges) else None
        before = follow_up.before if follow_up is not None else None
        others = _other_answers(exchange, corpus)
        seen = _Body(specimen, index, exchange.response, inputs, known, before, others)
        body = tuple(_body_facts(seen, exchange, corpus))
    return (*arrange_facts(specimen, index), *body)


def _other_answers(exchange: Exchange, corpus: Corpus) -> list[object]:
    """Return some other JSON answers of an endpoint: what they all hold tells nothing."""
    if exchange.response is None or not exchange.response.is_json:
        return []
    found = []
    for text in corpus.others(exchange.request.endpoint, exchange.response.text)[:MOST_SIBLINGS]:
        with suppress(ValueError, RecursionError):
            found.append(json.loads(text))
    return found


def arrange_facts(specimen: Specimen, index: int) -> tuple[Fact, ...]:
    """Return what to assert about a call: its status and where it leads."""
    exchange = specimen.steps[index]
    response = exchange.response
    if response is None:
        return ()
    if refuses_content_type(response):
        return (Fact("status", (), REFUSED_CONTENT_TYPE),)
    facts = [Fact("status", (), response.status)]
    if response.location is not None and specimen.reason(index, ("header", "Location")) is None:
        facts.append(Fact("location", (), response.location))
    return tuple(facts)


def _body_facts(body: _Body, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    response = body.response
    if exchange.request.method == "HEAD":
        return
    if refuses_content_type(response):
        return  # the body repeats the status, which depends on the version of the framework
    yield from _header_facts(body)
    if response.truncated:  # a test that reads a stream without an end never ends itself
        if response.live and response.body:
            yield from _first_piece_facts(body)
        return
    if 300 <= response.status < 400:
        return
    if response.body:
        yield from _content_facts(body, exchange, corpus)
    elif response.status < 400 and response.mimetype == "text/plain":
        yield Fact("text", (), "")
    elif response.status < 400 and response.status != NO_CONTENT:  # that never has a body
        yield Fact("empty")


def input_values(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values that a request carried, in its order."""
    request = exchange.request
    for value in request.path.values():
        yield value
    for _name, value in (*request.query, *request.form, *request.headers):
        yield value
    yield from _scalars(request.payload)


def sent_scalars(exchange: Exchange) -> Iterator[object]:
    """Yield the scalar values of a request's body."""
    for _name, value in exchange.request.form:
        yield value
    yield from _scalars(exchange.request.payload)


def sent_values(specimen: Specimen, index: int) -> Iterator[object]:
    """Yield what the call `index` sent, then what the calls before it did."""
    for exchange in reversed(specimen.steps[: index + 1]):
        yield from input_values(exchange)


def _scalars(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for element in value.values():
            yield from _scalars(element)
    elif isinstance(value, (list, tuple)):
        for element in value:
            yield from _scalars(element)
    elif value is not None:
        yield value


def _header_facts(body: _Body) -> Iterator[Fact]:
    challenge = body.response.header("WWW-Authenticate")
    if not challenge or len(challenge) > 60:
        return
    if body.reason("header", "WWW-Authenticate") is None and "nonce" not in challenge:
        yield Fact("header", ("WWW-Authenticate",), challenge)


def _content_facts(body: _Body, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    response = body.response
    if response.is_json:
        try:
            value = response.json()
        except ValueError:
            return
        if body.reason("json") is None and not _is_opaque(body):
            for path in _told_at(value, exchange):
                told = _marked(inside(value, path), body, path)
                yield from _refusal_facts(told, path) or _json_facts(body, told, path)
        return
    root = root_of(response)
    if root is not None:
        yield from _xml_facts(body, root, exchange, corpus)
        return
    readable = "\ufffd" not in response.text  # else an error in some versions of Werkzeug
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


def _told_at(value: object, exchange: Exchange) -> list[JsonPath]:
    """Return the places of a JSON body that say what was answered.

    An operation of GraphQL is told by its field, and errors by their messages: where in the text
    of the query they occurred says nothing of the application.
    """
    field = operation_of(exchange.request.template).partition(".")[2]
    if not field or not isinstance(value, dict):
        return [()]
    errors = value.get("errors")
    count = min(len(errors), MOST_ERRORS) if isinstance(errors, list) else 0
    told: list[JsonPath] = [("errors", place, "message") for place in range(count)]
    if not told or inside(value, ("data", field)) not in (None, MISSING):
        told.append(("data", field))
    found = [path for path in told if inside(value, path) is not MISSING]
    return found or [()]


def _is_opaque(body: _Body) -> bool:
    """Say whether a JSON body changes in ways that no path describes."""
    return body.reason("text") is not None and not body.has_unstable_part("json")


def _page_facts(body: _Body, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
    text, failed = body.response.text, body.response.status >= 400
    if body.response.location is not None and REDIRECTS in text:
        return  # ``redirect("/", 404)``: the page repeats the address
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
    foils = replace(foils, again=again)
    for found in distinctive_texts(text, foils, around):
        if found in text:
            yield Fact("contains", (), found)
    if body.before and body.response.status == 200:
        gone = vanished_text(body.before, text, foils, around)
        if gone is not None:
            yield Fact("lacks", (), gone)


def _xml_facts(body: _Body, root: Element, exchange: Exchange, corpus: Corpus) -> Iterator[Fact]:
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
    """Return the roots of other answers of the kind of `response`."""
    bodies = (replace(response, body=text.encode()) for text in texts)
    return [root for body in bodies if (root := root_of(body)) is not None]


def _plain_text_facts(body: _Body, text: str) -> Iterator[Fact]:
    if bound_to(text) or body.shows_today(text):
        return
    if len(text) <= LONGEST_EXACT_TEXT and text.count("\n") <= 3:
        yield Fact("text", (), text)
        return
    first_line = first_words(text)
    if first_line and text.startswith(first_line):
        yield Fact("starts", (), first_line)
    elif first_line:
        yield Fact("contains", (), first_line)


def _first_piece_facts(body: _Body) -> Iterator[Fact]:
    """Assert what a live stream sends first, in any case that it sends something.

    Werkzeug's client has waited for the first piece already, of any stream.
    """
    piece, text = body.response.body, body.response.text
    if body.reason("text") is not None or bound_to(text) or body.shows_today(text):
        yield Fact("piece", (), b"")
    elif len(piece) <= LONGEST_EXACT_TEXT:
        yield Fact("piece", (), piece)
    else:
        yield Fact("piece-starts", (), piece.splitlines(keepends=True)[0][:60])


def first_words(text: str) -> str:
    """Return the beginning of the first line with a word in it, else of any; empty without one."""
    lines = [line for line in text.splitlines() if line.strip()]
    spoken = [line for line in lines if re.search(r"[^\W\d_]{3}", line)]
    return next(iter(spoken or lines), "").strip()[:60].rstrip()


def _marked(value: object, body: _Body, path: JsonPath, owner: str = "") -> object:
    """Return a JSON value with known identifiers as variables and unreliable parts `Unstable`.

    `owner` is what the value belongs to, inside of something that has an identifier of its own:
    the ``id`` of the role of a user is that of a role.
    """
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    named = f"{owner}_{key}" if owner and key in BARE_IDENTIFIERS else key
    variable = variable_for(value, named, body.known, body.nouns)
    if variable is not None:
        return variable
    reason = body.reason("json", *path)
    if reason is not None:
        return Unstable(reason)
    if isinstance(value, dict):
        identified = not value.keys().isdisjoint(BARE_IDENTIFIERS)
        return {
            name: _marked(part, body, (*path, name), _owner_of(name, part, owner, identified))
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_marked(part, body, (*path, place), owner) for place, part in enumerate(value)]
    if isinstance(value, float) and math.isnan(value):
        return Unstable(NOT_A_NUMBER)
    if isinstance(value, str) and bound_to(value):
        return Unstable(bound_to(value))
    if isinstance(value, str) and body.shows_today(value):
        return Unstable(TODAY)
    if isinstance(value, str) and path and is_framework_sentence(value):
        return Unstable(FRAMEWORK)
    return value


def _owner_of(name: str, part: object, owner: str, identified: bool) -> str:
    """Return what the parts of `part` belong to, which is called `name` in an object."""
    is_thing = identified and isinstance(part, (dict, list))
    return singular(snake_case(name)) if is_thing else owner


def _refusal_facts(value: object, path: JsonPath) -> list[Fact]:
    """Return facts about a document in which the framework explains a status; [] for any other.

    What repeats the status is left out, as far as something is left.
    """
    if not isinstance(value, dict) or Unstable(FRAMEWORK) not in value.values():
        return []
    parts = {key: part for key, part in value.items() if not isinstance(part, Unstable)}
    texts = {key: part for key, part in parts.items() if isinstance(part, str)}
    own = {key: part for key, part in parts.items() if not _repeats_status(part)}
    told = own or texts
    return [fact for key, part in told.items() for fact in _part_facts(part, (*path, key))]


def _repeats_status(value: object) -> bool:
    if isinstance(value, str):
        return says_only_the_status(value) or value.lower() in GENERIC
    return isinstance(value, int) and 400 <= value < 600


def _json_facts(body: _Body, value: object, path: JsonPath) -> Iterator[Fact]:
    yield from _not_a_number_facts(value, path)
    if isinstance(value, Unstable) or (isinstance(value, dict) and _all_unstable(value)):
        return
    if height(node_of(value)) <= LARGEST_LITERAL:
        yield Fact("json", path, value)
    elif isinstance(value, list):
        yield from _list_facts(body, value, path)
    elif isinstance(value, dict):
        yield from _telling_facts(body, value, path)
    elif isinstance(value, str):
        yield from _long_text_facts(value, path)


def _long_text_facts(text: str, path: JsonPath) -> Iterator[Fact]:
    """Yield the first words of a long text; its length tells a reader nothing."""
    beginning = first_words(text)
    if beginning:
        yield Fact("json-contains", path, beginning)


def _not_a_number_facts(value: object, path: JsonPath) -> Iterator[Fact]:
    """NaN equals nothing, so a literal cannot say that it is there."""
    parts = value.items() if isinstance(value, dict) else ()
    if value == Unstable(NOT_A_NUMBER):
        yield Fact("nan", path)
    for key, part in parts:
        if part == Unstable(NOT_A_NUMBER):
            yield Fact("nan", (*path, key))


def _all_unstable(value: Mapping[str, object]) -> bool:
    return bool(value) and all(isinstance(part, Unstable) for part in value.values())


def _list_facts(body: _Body, value: list[object], path: JsonPath) -> Iterator[Fact]:
    yield Fact("length", path, len(value))
    place = _telling_place(body, value, path)
    item = value[place]
    if isinstance(item, Unstable):
        return
    if height(node_of(item)) <= LARGEST_PART or not isinstance(item, (dict, list)):
        yield Fact("json", (*path, place), item)
    elif isinstance(item, dict) and len(path) < 3:
        yield from _telling_facts(body, item, (*path, place), MOST_FACTS // 2)


def _telling_place(body: _Body, value: Sequence[object], path: JsonPath) -> int:
    """Return the place of the item that the test is about.

    It is the one that the call under test changed, else one that an earlier call created, else
    the first.
    """
    changed = (place for place in range(len(value)) if body.is_changed((*path, place)))
    created = (place for place, item in enumerate(value) if _has_variable(item))
    return next(changed, next(created, 0))


def _has_variable(item: object) -> bool:
    return isinstance(item, dict) and any(isinstance(part, Expression) for part in item.values())


def _telling_facts(
    body: _Body, value: dict[str, object], path: JsonPath, most: int = MOST_FACTS
) -> Iterator[Fact]:
    """Yield facts about the keys that matter most, in the order in which they stand."""
    usable = [key for key in value if not isinstance(value[key], Unstable)]
    dullness = {key: _dullness(body, (*path, key), value[key]) for key in usable}
    chosen = set(sorted(usable, key=lambda key: dullness[key])[:most])
    for key in usable:
        if key in chosen and body.is_changed((*path, key)) and len(path) < 3:
            yield from _json_facts(body, value[key], (*path, key))
        elif key in chosen:
            yield from _part_facts(value[key], (*path, key))


def _part_facts(value: object, path: JsonPath) -> Iterator[Fact]:
    if height(node_of(value)) <= LARGEST_PART:
        yield Fact("json", path, value)
    elif isinstance(value, list):
        yield Fact("length", path, len(value))
    elif isinstance(value, str):
        yield from _long_text_facts(value, path)
    elif isinstance(value, dict):
        yield Fact("json-keys", path, sorted(map(str, value)))


def _dullness(body: _Body, path: JsonPath, value: object) -> int:
    """Return how little a key says about what the test is about; 0 says most."""
    if body.is_changed(path):
        return 0
    telling = not isinstance(value, (dict, list)) and value not in (None, "", 0, 1)
    if telling and any(str(value) == str(given) for given in body.inputs):
        return 0
    if isinstance(value, (dict, list)):
        return 3
    is_identifier = IDENTIFIER.is_meant_by(str(path[-1]), Certainty.LIKELY)
    return 1 if is_identifier or body.is_special(path, value) else 2
