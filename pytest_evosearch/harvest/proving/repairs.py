"""Puts one part of a request back to a good value, that of a similar accepted call."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import find
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import Link
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import renamed
from pytest_evosearch.problem.http.exchanges.links import unwrapped
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.write.content.inputs import BODY
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import identifies
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import ALL_ROWS
from pytest_evosearch.write.content.proven_causes import BEFORE
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import ROW
from pytest_evosearch.write.content.proven_causes import USER
from pytest_evosearch.write.content.proven_causes import WHOLE_BODY
from pytest_evosearch.write.content.proven_causes import Cause

JSON = Location.JSON.value

FIRST_IDENTIFIER = 1
"""What most tables number their first row with."""


@dataclass(frozen=True)
class Model:
    """An accepted call, with the calls before it."""

    calls: tuple[Call, ...]
    exchange: Exchange
    is_whole: bool = False
    """Whether its values need all calls before, sent by the users who sent them."""

    @property
    def call(self) -> Call:
        """The accepted call itself."""
        return self.calls[-1]

    def beside(self, individual: Individual) -> Model:
        """Return it as part of a test: with that test's user, and labels of its own."""
        offset, user = individual.next_label, individual.calls[-1].user
        labels = {one.label: one.label + offset for one in self.calls}
        calls = [
            Call(
                one.endpoint,
                tuple(given.with_gene(renamed(given.gene, labels)) for given in one.inputs),
                labels[one.label],
                one.user if self.is_whole else user,
            )
            for one in self.calls
        ]
        return replace(self, calls=tuple(calls))


def differing_parts(user: str | None, request: Request, model: Model) -> list[Cause]:
    """Return the parts in which a request differs from an accepted one, as possible causes."""
    mine, theirs = slots_of(request), slots_of(model.exchange.request)
    is_whole = body_kind(request) != body_kind(model.exchange.request)
    slots = [slot for slot in {**mine, **theirs} if not (is_whole and slot[0] in BODY)]
    pairs = {slot: (mine.get(slot, NOT_SENT), theirs.get(slot, NOT_SENT)) for slot in slots}
    found = [Cause(*slot, *pair) for slot, pair in pairs.items() if not _same(*pair)]
    if is_whole:
        found.append(whole_body(request, model))
    rows, usual = _rows_of(request), _rows_of(model.exchange.request)
    for name in {**rows, **usual}:
        if rows.get(name) != usual.get(name):
            held, kept = (values.get(name, NOT_SENT) for values in (rows, usual))
            found.append(Cause(ROW, name, held, kept))
    if model.is_whole and len(model.calls) > 1:  # the value is good after these calls alone
        found = [
            replace(one, usual=LINKED) if one.location == Location.PATH.value else one
            for one in found
        ]
    if user != model.call.user:
        found.append(Cause(USER, "", user, model.call.user))
    return found


def whole_body(request: Request, model: Model) -> Cause:
    """Return the whole body as a possible cause, for when no field of it decides alone."""
    usual = body_kind(model.exchange.request)
    sent = request.payload if request.has_json else dict(request.form) or request.text
    return Cause(WHOLE_BODY, body_kind(request), sent, usual)


def calls_before() -> Cause:
    """Return the calls before the model's as what may be missing."""
    return Cause(BEFORE)


def body_kind(request: Request) -> str:
    """Return ``json``, ``json list``, ``form``, ``text`` or nothing."""
    if request.has_json:
        return JSON if isinstance(request.json, dict) else f"{JSON} {_shape(request.json)}"
    if request.form or request.files:
        return Location.FORM.value
    return "" if request.text is None else Location.TEXT.value


def _shape(value: object) -> str:
    if value is None:
        return "null"
    return "list" if isinstance(value, list) else "text" if isinstance(value, str) else "scalar"


def repaired(individual: Individual, part: Cause, model: Model) -> Individual | None:
    """Return the test with one part of its last call as in the model; None when that is impossible.

    Calls of the model's test that its value comes from are sent first.
    """
    last = individual.calls[-1]
    if part.location == USER:  # who sends the calls before stays as it is
        asked = replace(last, user=model.call.user)
        return individual.with_call(len(individual) - 1, asked)
    model = model.beside(individual)
    before = model.calls[:-1]
    if part.location == BEFORE:
        return Individual((*before, *individual.calls))
    inputs = _inputs_with(last, part, model.call)
    if inputs is None:
        return None
    values = [one.gene.value() for one in inputs]
    needed = before if model.is_whole else _sources(values, before)
    return Individual((*needed, *individual.calls[:-1], replace(last, inputs=inputs)))


def with_part_of(
    model: Model, part: Cause, individual: Individual, act: Exchange
) -> Individual | None:
    """Return the model with one part as in a failing test."""
    failing = replace(part, value=part.usual, usual=part.value)
    return repaired(Individual(model.calls), failing, Model(individual.calls, act))


def _inputs_with(call: Call, part: Cause, model: Call) -> tuple[Input, ...] | None:
    """Return the inputs of a call with one part of the model; None for an incomplete path."""
    given, usual = _object_in(call), _object_in(model)
    if part.location == JSON and given is not None and usual is not None:
        mine, theirs = _fields(given), _fields(usual)
        mine.pop(part.name, None)
        taken = {part.name: theirs[part.name]} if part.name in theirs else {}
        changed: dict[str, object] = {**mine, **taken}
        kept = (one for one in call.inputs if one is not given)
        return (*kept, given.with_gene(ConstantGene(changed)))
    adopted = [one for one in model.inputs if _is_meant(one, part)]
    if part.location == Location.PATH.value and not adopted:
        return None
    return (*(one for one in call.inputs if not _is_meant(one, part)), *adopted)


def _is_meant(given: Input, part: Cause) -> bool:
    """Say whether an input is a part, or belongs to it."""
    if part.location == WHOLE_BODY:
        return given.location in BODY_LOCATIONS
    if given.location.value != part.location:
        return False
    if part.location == ROW:
        return part.name in (ALL_ROWS, given.name.partition(" ")[0])
    name = given.name
    if part.location == Location.HEADER.value:
        name = name.lower()
    return part.location in (JSON, Location.TEXT.value) or name == part.name


def _object_in(call: Call) -> Input | None:
    """Return the input that is the JSON object of a call, None without one."""
    found = [one for one in call.inputs if one.location is Location.JSON]
    return found[0] if found and isinstance(found[0].gene.value(), dict) else None


def _fields(given: Input) -> dict[str, object]:
    value = given.gene.value()
    return dict(value) if isinstance(value, dict) else {}


def with_member(individual: Individual, name: str, value: object) -> Individual | None:
    """Return the test with one more member in its last JSON object; None where that is not new."""
    last = individual.calls[-1]
    given = _object_in(last)
    if given is None or name in _fields(given):
        return None
    changed = with_field(last, name, ConstantGene(value))
    return None if changed is None else individual.with_call(len(individual) - 1, changed)


def with_field(call: Call, name: str, gene: Gene) -> Call | None:
    """Return a call with another gene in its JSON object; None where it has none."""
    given = _object_in(call)
    if given is None:
        return None
    place = find(given.gene, (name,))
    if place is None:
        return call.with_input(
            given.with_gene(ConstantGene({**_fields(given), name: gene.value()}))
        )
    return call.with_input(given.with_gene(replaced(given.gene, place, gene)))


def shared_texts(exchanges: Sequence[Exchange]) -> list[tuple[Slot, str]]:
    """Return the texts in the last body that an earlier call has sent under the same name."""
    *before, act = exchanges
    sent = {(slot[1], value) for one in before for slot, value in _texts_in(one.request)}
    found = _texts_in(act.request)
    return [(slot, value) for slot, value in found if (slot[1], value) in sent]


def _texts_in(request: Request) -> list[tuple[Slot, str]]:
    return [
        (slot, value)
        for slot, value in slots_of(request).items()
        if slot[0] in BODY and isinstance(value, str) and value not in ("", LINKED)
    ]


def with_text(individual: Individual, slot: Slot, text: str) -> Individual | None:
    """Return the test with a text in a field of its last body; None where it has no such field."""
    place, name = slot
    last = individual.calls[-1]
    changed = None
    if place == JSON:
        changed = with_field(last, name, TextGene(current=text))
    for given in last.inputs:
        if (given.location.value, given.name) == slot:
            changed = last.with_input(given.with_gene(TextGene(current=text)))
    return None if changed is None else individual.with_call(len(individual) - 1, changed)


def asking_for_what_is_there(individual: Individual, maker: Model | None) -> Iterator[Individual]:
    """Yield tests that ask for what may be there, after an accepted call, or from the beginning.

    The last place in the address of the call under test gets the identifier in the answer, else
    what was sent under its name, else 1.  What the accepted call has stored as rows is stored
    before the call under test.
    """
    last = individual.calls[-1]
    in_path = [one for one in last.inputs if one.location is Location.PATH]
    if not in_path:
        return
    asked = in_path[-1]
    before: tuple[Call, ...] = ()
    values: list[object] = [FIRST_IDENTIFIER]
    if maker is not None:
        maker = replace(maker, is_whole=True).beside(individual)
        rows = [one for one in maker.call.inputs if one.location is Location.ROW]
        before = maker.calls[:-1] if rows else maker.calls
        others = [one for one in last.inputs if one.location is not Location.ROW]
        last = replace(last, inputs=(*others, *rows)) if rows else last
        selector = identifier_in(maker.exchange, last.endpoint.partition(" ")[2])
        if selector and not rows:
            gene: Gene = LinkGene(maker.call.label, selector, unwrapped(asked.gene))
            yield Individual((*before, last.with_input(asked.with_gene(gene))))
            return
        shown = [select(maker.exchange, selector)] if selector else []
        values = [*shown, *_sent_as(asked.name, maker.exchange.request), *values]
    for value in values:
        if unwrapped(asked.gene).adopt(value) is not None:
            yield Individual((*before, last.with_input(asked.with_gene(ConstantGene(value)))))


def _sent_as(name: str, request: Request) -> list[object]:
    """Return the values that a request sends under a name."""
    slots = slots_of(request).items()
    return [value for slot, value in slots if slot[1] == name and value != LINKED]


def identifier_in(exchange: Exchange, template: str) -> Selector:
    """Return where an answer has the identifier of what it shows; () where it has none.

    A redirect to an address of the `template` ends with it, whatever it is.
    """
    response = exchange.response
    if response is None or response.status >= FIRST_REFUSAL:
        return ()
    parent, _, identifier = urlsplit(response.location or "").path.rpartition("/")
    if identifier.isdigit() or (identifier and f"{parent}/" == template.partition("{")[0]):
        return ("location", -1)
    body = response.document()
    within: tuple[int, ...] = (0,) if isinstance(body, list) and body else ()
    shown = body[0] if isinstance(body, list) and body else body
    names = [name for name in shown if identifies(name)] if isinstance(shown, dict) else []
    return ("json", *within, min(names, key=len)) if names else ()


def with_sources_alone(individual: Individual) -> Individual:
    """Return the last call with those before it that its values come from."""
    *before, last = individual.calls
    values = [one.gene.value() for one in last.inputs]
    return Individual((*_sources(values, before), last))


def _sources(values: Iterable[object], before: Sequence[Call]) -> list[Call]:
    """Return those of the calls before the model that values come from, in their order."""
    needed = {label for value in values for label in _labels_in(value)}
    found: list[Call] = []
    for call in reversed(before):
        if call.label in needed:
            needed.update(label for one in call.inputs for label in _labels_in(one.gene.value()))
            found.insert(0, call)
    return found


def _labels_in(value: object) -> Iterator[int]:
    if isinstance(value, Link):
        yield value.label
    elif isinstance(value, (dict, list, tuple)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _labels_in(part)


def _rows_of(request: Request) -> dict[str, object]:
    return {row.model: dict(row.values) for row in request.rows}


def _same(mine: object, theirs: object) -> bool:
    """Say whether two values are equal as they are written: 1, 1.0 and True differ."""
    return repr(mine) == repr(theirs)
