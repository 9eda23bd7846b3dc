"""Shows the effect of a request by a read after it, whose response differs without the request.

A redirect, an empty response or a bare identifier says almost nothing about the handler's effect: a
test that asserts only this passes whatever was stored. For a short test with this kind of end,
reads of the resource are tried, with and without the request. A read that shows the difference is
appended. If necessary, the request gets texts that can be recognised.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import field
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.core.http_words import WRITING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.harvest.readable_texts import with_article
from pytest_evosearch.minimize.shortening import without_call
from pytest_evosearch.problem.http.descriptions.parameters import BODY_LOCATIONS
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.json_places import walk_json
from pytest_evosearch.problem.http.exchanges.links import unwrapped
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.answers.page_texts import page_texts
from pytest_evosearch.write.content.endpoint_words import template_segments
from pytest_evosearch.write.content.input_values import sent_scalars

MOST_READS = 4
"""Most reads tried after one request; each takes two or three executions."""

MOST_READS_BESIDE = 6
"""Most reads that are sent together to find one that shows a change of the code."""

LONGEST_TEST = 3
"""Most calls of a test that may get one more: what is made, changed and removed is looked for."""

NEAR, WRITTEN_BEFORE, FAR = 0, 3, 4
"""How far a page is: where a call leads, what an earlier call wrote to, what shows the caller."""

SHORTEST_SIGN = 3
"""Fewest characters of a text that is recognised on a page."""


@dataclass(frozen=True)
class Shown:
    """A test with a final read that shows the effect of the call before it."""

    evaluation: FullEvaluation[Individual]
    before: Exchange
    """This read without that call."""

    @property
    def after(self) -> Exchange:
        """The read after that call."""
        return exchanges_of(self.evaluation.evaluation)[-1]


@dataclass(frozen=True)
class _Attempt:
    """A read that does not show the sent values, but may show another effect."""

    shown: Shown
    again: Exchange
    """The read after the call, repeated."""
    without: Individual
    """The read without the call."""


@dataclass
class Aftermath:
    """Finds reads that show an effect, among the successful ones of the harvest."""

    execute: Callable[[Individual], FullEvaluation[Individual]]
    reads: dict[str, Call] = field(default_factory=dict)
    """Endpoint -> a successful read of it."""
    private: set[str] = field(default_factory=set)
    """Endpoints that turn strangers away."""

    def note(self, individual: Individual, exchanges: tuple[Exchange, ...]) -> None:
        """Remember successful reads."""
        for call, exchange in zip(individual.calls, exchanges, strict=False):
            if call.user is None and turns_away(exchange):
                self.private.add(call.endpoint)
            if exchange.request.method == "GET" and exchange.status == 200:
                known = self.reads.get(call.endpoint)
                if known is None or len(call.inputs) < len(known.inputs):
                    self.reads[call.endpoint] = call

    def shown(
        self, evaluation: FullEvaluation[Individual], duty: frozenset[TargetId]
    ) -> Shown | None:
        """Return the test with a read that shows the effect of its last call, None without one.

        A read that shows sent values is best. Otherwise, a page with any other change is used (a
        message, a name, a removed entry).
        """
        individual, act = evaluation.evaluation.individual, exchanges_of(evaluation.evaluation)[-1]
        if len(individual) > LONGEST_TEST or not says_little(act):
            return None
        unclear: list[_Attempt] = []
        for start in dict.fromkeys((_legible(individual), individual)):
            for read in self._reads_after(start, act):
                found = self._tried(start, read, act, duty)
                if isinstance(found, Shown):
                    is_again = read.endpoint == individual.calls[-1].endpoint
                    return (self._changed_among(unclear) if is_again else None) or found
                if found is not None:
                    unclear.append(found)
        return self._changed_among(unclear) or self._shut_out(individual, act, duty)

    def _shut_out(
        self, individual: Individual, act: Exchange, duty: frozenset[TargetId]
    ) -> Shown | None:
        """Return the redirect of a stranger sent by a user instead, whom it shuts out of a page.

        A log-out answers everybody alike, and only shows what it does to who is in.
        """
        location = act.response.location if act.response is not None else None
        if location is None or turns_away(act) or any(one.user for one in individual.calls):
            return None
        kept = (self.reads[one] for one in sorted(self.private & self.reads.keys()))
        plain = [one for one in kept if one.user and not any(map(_is_linked, one.inputs))]
        for read in plain[:1]:
            start = individual.sent_by(read.user)
            found = self._tried(start, replace(read, label=start.next_label), act, duty)
            if isinstance(found, Shown) and turns_away(found.after):
                return found
        return None

    def _changed_among(self, attempts: Iterable[_Attempt]) -> Shown | None:
        """Return the first read that shows some effect: it tells more than the call repeated."""
        return next((one.shown for one in attempts if self._changes(one)), None)

    def reads_beside(self, individual: Individual) -> list[Call]:
        """Return reads of anything that a test can end with, those of its own resource first."""
        last = individual.calls[-1]
        given = {one.name: one for call in individual for one in call.inputs if _is_in_path(one)}
        own = template_segments(last.endpoint.partition(" ")[2])[:1]
        found: list[tuple[bool, Call]] = []
        for endpoint, call in sorted(self.reads.items()):
            known = [given.get(one.name, one) if _is_in_path(one) else one for one in call.inputs]
            inputs = tuple(one for one in known if not one.gene.children() or one in given.values())
            if all(any(one.name == other.name for other in inputs) for one in call.inputs):
                is_foreign = template_segments(endpoint.partition(" ")[2])[:1] != own
                read = Call(endpoint, inputs, individual.next_label + len(found), last.user)
                found.append((is_foreign, read))
        found.sort(key=lambda entry: entry[0])
        return [read for _, read in found][:MOST_READS_BESIDE]

    def _exchanges(self, individual: Individual) -> tuple[Exchange, ...]:
        return exchanges_of(self.execute(individual).evaluation)

    def _changes(self, attempt: _Attempt) -> bool:
        """Say whether a page changes in more than its unstable parts."""
        before_again = self._exchanges(attempt.without)[-1]
        pages = (attempt.shown.after, attempt.again, attempt.shown.before, before_again)
        after, again, before, earlier = (_texts(page) for page in pages)
        return bool(after & again - before - earlier or before & earlier - after - again)

    def _reads_after(self, individual: Individual, act: Exchange) -> list[Call]:
        last = individual.calls[-1]
        given = {one.name: one for call in individual for one in call.inputs if _is_in_path(one)}
        found = []
        leaves = last.user is not None and _changes_session(act)
        written = {one.endpoint.partition(" ")[2] for one in individual.calls[:-1] if _writes(one)}
        for endpoint, call in sorted(self.reads.items()):
            wanted = [one.name for one in call.inputs if _is_in_path(one)]
            distance = _distance(endpoint.partition(" ")[2], act)
            if distance is None and endpoint.partition(" ")[2] in written:
                distance = WRITTEN_BEFORE
            if distance is None and leaves and endpoint in self.private:
                distance = FAR
            placed = _led_to(act, call, given)
            if placed or (distance is not None and all(name in given for name in wanted)):
                distance = NEAR if placed or distance is None else distance
                inputs = (*(placed or [given[name] for name in wanted]), *_beside_path(call))
                read = Call(endpoint, inputs, individual.next_label, last.user)
                # Of equally near reads, that of the item comes before that of its list.
                found.append((distance, -len(wanted), len(inputs), endpoint, read))
        found.sort(key=lambda entry: entry[:4])
        return [read for *_, read in found][:MOST_READS]

    def _tried(
        self, individual: Individual, read: Call, act: Exchange, duty: frozenset[TargetId]
    ) -> Shown | _Attempt | None:
        whole = Individual((*individual.calls, read))
        after = self.execute(whole)
        exchanges = exchanges_of(after.evaluation)
        if len(exchanges) <= len(individual) or exchanges[-2].status != act.status:
            return None
        if not duty <= after.covered_by_call[-2] or not _is_sound(exchanges[-1]):
            return None
        without = without_call(whole, len(individual) - 1)
        before = self._exchanges(without)[-1]
        if not _is_sound(before) or 200 not in (before.status, exchanges[-1].status):
            return None
        shown = Shown(after, before)
        if exchanges[-1].status != before.status:
            return shown
        again = self._exchanges(whole)[-1]
        sent = [str(value) for value in sent_scalars(exchanges[-2])]
        if _shows_effect(exchanges[-1], again, before, sent):
            return shown
        return None if _is_json(before) else _Attempt(shown, again, without)


def says_little(act: Exchange) -> bool:
    """Say whether the response to a successful write does not show its effect."""
    if act.response is None or act.crash is not None:
        return False
    location = act.response.location
    if location is not None and _sends_back(location):
        return False
    if act.request.method not in WRITING:
        return location is not None
    if act.status >= 300 or not act.response.body:
        return 200 <= act.status < 400
    sent = [text for text in map(str, sent_scalars(act)) if text]
    return act.response.is_json and not any(text in act.response.text for text in sent)


def _changes_session(act: Exchange) -> bool:
    return act.response is not None and act.response.header("Set-Cookie") is not None


def _led_to(act: Exchange, read: Call, given: Mapping[str, Input]) -> list[Input]:
    """Return the inputs of the page of an item to which a call leads; none for other pages.

    What the test sends itself stays as it is `given` there: it may come from an earlier call.
    """
    path = urlsplit(act.response.location or "").path if act.response is not None else ""
    held = {one.name: one for one in read.inputs if _is_in_path(one)}
    wanted, asked = read.endpoint.partition(" ")[2].split("/"), path.split("/")
    found: list[Input] = []
    for part, value in zip(wanted, asked, strict=False):
        one = held.get(part[1:-1]) if part.startswith("{") else None
        gene = unwrapped(one.gene).adopt(value) if one is not None else None
        if one is not None and gene is not None:
            is_same = str(act.request.path.get(one.name)) == value and one.name in given
            found.append(given[one.name] if is_same else one.with_gene(gene))
        elif part != value:
            return []
    return found if len(wanted) == len(asked) else []


def _sends_back(location: str) -> bool:
    """Say whether a redirect leads to a log-in: then the call had no effect."""
    return "next=" in urlsplit(location).query


def _is_json(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.is_json


def _texts(exchange: Exchange) -> frozenset[str]:
    return texts_of(exchange.response.text if exchange.response is not None else "")


def texts_of(page: str) -> frozenset[str]:
    """Return the texts of a page that are long enough to recognise."""
    return frozenset(one.text for one in page_texts(page) if len(one.text) >= SHORTEST_SIGN)


def _is_sound(exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.sent and 200 <= exchange.status < 500


def _is_linked(given: Input) -> bool:
    return bool(given.gene.children())


def _writes(call: Call) -> bool:
    return call.endpoint.partition(" ")[0] in WRITING


def _is_in_path(given: Input) -> bool:
    return given.location is Location.PATH


def _beside_path(call: Call) -> Iterator[Input]:
    """Yield the inputs of a read besides its path; a link would have no source here."""
    return (one for one in call.inputs if not _is_in_path(one) and not one.gene.children())


def _distance(template: str, act: Exchange) -> int | None:
    """Return how far a read is from the resource that `act` changed; None for another resource."""
    location = act.response.location if act.response is not None else None
    if location and urlsplit(location).path == template:
        return 0  # the page to which every caller is redirected
    if act.request.template == template:
        return 1
    if act.request.template.startswith(f"{template.rstrip('/')}/") and template != "/":
        return 2
    mine, theirs = template_segments(act.request.template), template_segments(template)
    return 3 if mine[:1] == theirs[:1] and mine else None


def _shows_effect(after: Exchange, again: Exchange, before: Exchange, sent: list[str]) -> bool:
    """Say whether a response shows a change, in addition to its unstable parts."""
    assert after.response is not None
    assert before.response is not None
    assert again.response is not None
    if after.response.is_json and before.response.is_json and again.response.is_json:
        try:
            bodies = [one.response.json() for one in (after, again, before) if one.response]
        except ValueError:
            return False
        now, then, earlier = (dict(_scalars(body)) for body in bodies)
        stable = {place: value for place, value in now.items() if then.get(place) == value}
        return any(place not in earlier or earlier[place] != stable[place] for place in stable)
    shown, hidden = after.response.text, before.response.text
    return any(len(text) >= SHORTEST_SIGN and text in shown and text not in hidden for text in sent)


def _scalars(body: object) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Yield the scalars of a body with their places, and the lengths of its lists."""
    for place, value in walk_json(body):
        if isinstance(value, list):
            yield (*place, "length"), len(value)
        elif not isinstance(value, dict):
            yield place, value


def _legible(individual: Individual) -> Individual:
    """Return the test with texts in its last call that a page cannot contain by chance."""
    last = individual.calls[-1]
    inputs = tuple(
        replace(given, gene=_named(given)) if given.location in BODY_LOCATIONS else given
        for given in last.inputs
    )
    return individual.with_call(len(individual) - 1, replace(last, inputs=inputs))


def _named(given: Input) -> Gene:
    """Return the gene with the parameter's name in place of texts that are too short."""
    gene = given.gene
    for value_path, path, leaf in leaves(given.gene):
        if isinstance(leaf, TextGene) and len(leaf.current) < SHORTEST_SIGN:
            name = next((step for step in reversed(value_path) if isinstance(step, str)), "")
            gene = replaced(gene, path, leaf.holding(_readable(name or given.name)))
    return gene


def _readable(name: str) -> str:
    """Return ``A blog title`` for a field ``blogTitle``."""
    return with_article(snake_case(name).replace("_", " ") or "text")
