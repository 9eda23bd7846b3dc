"""Remembers calls of executed tests, as models for others: what was accepted, refused, or made."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from itertools import islice
from operator import itemgetter

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import STORING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.harvest.proving.compared_answers import answer_kind
from pytest_evosearch.harvest.proving.compared_answers import body_of
from pytest_evosearch.harvest.proving.compared_answers import differs
from pytest_evosearch.harvest.proving.compared_answers import goes_further
from pytest_evosearch.harvest.proving.compared_answers import is_answered
from pytest_evosearch.harvest.proving.compared_answers import is_failing
from pytest_evosearch.harvest.proving.compared_answers import is_open
from pytest_evosearch.harvest.proving.compared_answers import is_redirect
from pytest_evosearch.harvest.proving.compared_answers import leads_back
from pytest_evosearch.harvest.proving.compared_answers import reads
from pytest_evosearch.harvest.proving.ordinary_values import odd_slots
from pytest_evosearch.harvest.proving.ordinary_values import texts_among
from pytest_evosearch.harvest.proving.repairs import Model
from pytest_evosearch.harvest.proving.repairs import asking_for_what_is_there
from pytest_evosearch.harvest.proving.repairs import body_kind
from pytest_evosearch.harvest.proving.repairs import differing_parts
from pytest_evosearch.minimize.reducing import sent_inputs
from pytest_evosearch.problem.http.composing.rows import RowComposer
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.write.content.endpoint_words import collection_of
from pytest_evosearch.write.content.inputs import LINKED
from pytest_evosearch.write.content.inputs import Slot
from pytest_evosearch.write.content.inputs import slots_of
from pytest_evosearch.write.content.proven_causes import NOT_SENT
from pytest_evosearch.write.content.proven_causes import Cause

MOST_REPAIRS = 16
"""Most executions for one test: what no repair of these shows is not told."""

MOST_MODELS = 3
"""Most models that one test is compared with, the nearest first."""

NOT_FOUND = 404

Execute = Callable[[Individual], FullEvaluation[Individual]]


@dataclass
class KnownCalls:
    """Calls that were answered, and who was welcome."""

    execute: Execute
    is_over: Callable[[], bool] = lambda: False
    rows: RowComposer | None = None
    models: dict[str, dict[str, Model]] = field(default_factory=dict)
    """Endpoint -> content and kind of answer of a call -> that call in the shortest test."""
    crashed: dict[str, list[Model]] = field(default_factory=dict)
    """Endpoint -> calls of it without an answer."""
    _welcomed: set[tuple[str, str | None]] = field(default_factory=set)
    """Endpoints and users whose writes, sent alone, were answered with a page."""
    _made: dict[str, list[Model]] = field(default_factory=dict)
    """Endpoint -> a call of it that asks for what is there, where one was found."""

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Remember the calls of an executed test that were answered, as models."""
        for place, exchange in enumerate(exchanges):
            model = Model(individual.calls[: place + 1], exchange)
            if not is_answered(exchange):
                self.crashed.setdefault(exchange.request.endpoint, []).append(model)
                continue
            if not place and not reads(exchange) and exchange.status < FIRST_REDIRECT:
                self._welcomed.add((exchange.request.endpoint, model.call.user))
            known = self.models.setdefault(exchange.request.endpoint, {})
            key = repr((answer_kind(exchange), model.call.user, sent_inputs(model.call)))
            if key not in known or len(known[key].calls) > len(model.calls):
                known[key] = model

    def note_all(self, tests: Iterable[FullEvaluation[Individual]]) -> None:
        """Remember the calls of executed tests."""
        for one in tests:
            self.note(one.evaluation.individual, exchanges_of(one.evaluation))

    def nearest(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return the models with another answer that differ in the fewest parts."""
        known = [
            replace(one, exchange=self.as_meant(one.exchange))
            for one in self.models.get(act.request.endpoint, {}).values()
        ]
        models = [one for one in known if differs(act, one.exchange)]
        models = models or self._made_models(individual, act)
        if not models:
            others = self._by_other_methods(lambda one: self.models.get(one, {}).values(), act)
            models = [one for one in others if differs(act, one.exchange)]
        return self.sorted_by_nearness(models, individual, act)[:MOST_MODELS]

    def accepted_beside(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return the accepted calls by the same user that differ in the fewest parts, if in any."""
        user = individual.calls[-1].user
        models = [
            one
            for one in self.models.get(act.request.endpoint, {}).values()
            if one.call.user == user and not is_open(one.exchange)
        ]
        others = [one for one in models if differing_parts(user, act.request, one)]
        return self.sorted_by_nearness(others, individual, act)[:MOST_MODELS]

    def failing_otherwise(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return the nearest calls that are refused, too, but with another answer."""
        if not is_open(act):
            return []
        found: list[Model] = []
        for models in (
            self._known_at(act.request.endpoint),
            self._by_other_methods(self._known_at, act),
        ):
            others = [
                one
                for one in models
                if is_open(one.exchange) and body_of(one.exchange) != body_of(act)
            ]
            found += self.sorted_by_nearness(others, individual, act)[:MOST_MODELS]
        return found

    def _known_at(self, endpoint: str) -> list[Model]:
        """Return the known calls of an endpoint, those that crash last."""
        return [*self.models.get(endpoint, {}).values(), *self.crashed.get(endpoint, ())]

    def _by_other_methods(
        self, known: Callable[[str], Iterable[Model]], act: Exchange
    ) -> list[Model]:
        """Return `known` calls of one address by another method that stores, as if by this one."""
        method, template = act.request.method, act.request.template
        others = [one for one in STORING if one != method] if method in STORING else []
        return [
            _by_method(model, method, act.request.endpoint)
            for other in others
            for model in known(f"{other} {template}")
        ]

    def sorted_by_nearness(
        self, models: Iterable[Model], individual: Individual, act: Exchange
    ) -> list[Model]:
        """Return models, those first that differ from a call in the fewest parts."""
        user = individual.calls[-1].user

        def order(model: Model) -> tuple[int, int, int]:
            parts = differing_parts(user, act.request, model)
            return len(parts), len(model.calls), len(model.call.inputs)

        return sorted(models, key=order)

    def accepts(self, act: Exchange, part: Cause) -> bool:
        """Say whether any accepted call sends this value."""
        models = self.models.get(act.request.endpoint, {}).values()
        served = [one.exchange for one in models if not is_failing(one.exchange)]
        slot = (part.location, part.name)
        if part.value is NOT_SENT:
            return False
        return any(repr(slots_of(one.request).get(slot)) == repr(part.value) for one in served)

    def handed_out(self, act: Exchange) -> list[Slot]:
        """Return the fields of a form with a literal, where an accepted call takes an answer's."""
        known = self.models.get(act.request.endpoint, {}).values()
        served = [one.exchange for one in known if not is_failing(one.exchange)]
        taken = {
            slot
            for one in served
            for slot, value in slots_of(one.request).items()
            if value == LINKED
        }
        mine = slots_of(act.request).items()
        return [slot for slot, value in mine if slot in taken and value != LINKED]

    def usual_parts(self, act: Exchange) -> list[tuple[Cause, Model]]:
        """Return the fields of the fullest form that a call lacks, and texts where it has none."""
        known = self._known_at(act.request.endpoint)
        texts = texts_among([one.exchange.request for one in known if not is_failing(one.exchange)])
        texts = texts or texts_among([one.exchange.request for one in known])
        mine = slots_of(act.request)
        odd = {*odd_slots(act.request, texts)}
        found: dict[Slot, tuple[Cause, Model]] = {}
        for model in sorted(known, key=_emptiness):
            for slot, usual in slots_of(model.exchange.request).items():
                lacks = slot[0] == Location.FORM.value and slot not in mine
                is_good = usual not in ("", None, LINKED) and (lacks or isinstance(usual, str))
                if (lacks or slot in odd) and is_good and slot not in found:
                    found[slot] = (Cause(*slot, mine.get(slot, NOT_SENT), usual), model)
        has_other_body = body_kind(act.request) not in ("", Location.FORM.value)
        return [one for slot, one in found.items() if slot in odd or not has_other_body]

    def as_meant(self, exchange: Exchange) -> Exchange:
        """Return a call; a redirect to the log-in refuses no one who gets a page there, too.

        After a registration, people log in.  A write that leads back to its form is refused, if
        another one leads elsewhere, and a stranger who is led from a page that a user gets.
        """
        if self._is_sent_back(exchange) or self._is_sent_away(exchange):
            return replace(exchange, refused=True)
        is_welcome = (exchange.request.endpoint, exchange.user) in self._welcomed
        is_refused = FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL and turns_away(exchange)
        return replace(exchange, refused=False) if is_welcome and is_refused else exchange

    def _is_sent_back(self, exchange: Exchange) -> bool:
        """Say whether a write leads back to its own form, where accepted ones lead elsewhere."""
        if not leads_back(exchange):
            return False
        known = [one.exchange for one in self.models.get(exchange.request.endpoint, {}).values()]
        redirects = [one for one in known if is_redirect(one) and not turns_away(one)]
        return not all(map(leads_back, redirects))

    def _is_sent_away(self, exchange: Exchange) -> bool:
        """Say whether a stranger is led elsewhere by what shows a page to a user."""
        if exchange.user is not None or not is_redirect(exchange) or not reads(exchange):
            return False
        known = self.models.get(exchange.request.endpoint, {}).values()
        shown = [one.exchange for one in known if one.exchange.status < FIRST_REDIRECT]
        return bool(shown) and all(one.user is not None for one in shown)

    def users(self) -> list[str]:
        """Return the users who have sent calls that were answered, in the order of their names."""
        models = (one for each in self.models.values() for one in each.values())
        return sorted({one.call.user for one in models if one.call.user is not None})

    def _made_models(self, individual: Individual, act: Exchange) -> list[Model]:
        """Return a new model where none was accepted: the call asks for what is there."""
        endpoint = act.request.endpoint
        if act.status == NOT_FOUND and endpoint not in self._made:
            self._made[endpoint] = []
            makers = self.makers(collection_of(act.request.template))
            attempts = (
                attempt
                for maker in (None, *makers)
                for attempt in asking_for_what_is_there(individual, maker)
            )
            for attempt in islice(attempts, MOST_REPAIRS):
                if self.is_over():
                    break
                exchanges = exchanges_of(self.execute(attempt).evaluation)
                found = exchanges[-1]
                if len(exchanges) < len(attempt) or not is_answered(found):
                    continue
                if differs(act, found) or goes_further(act, found):
                    self._made[endpoint] = [Model(attempt.calls, found, is_whole=True)]
                    break
        return self._made.get(endpoint, [])

    def makers(self, subject: str) -> list[Model]:
        """Return the shortest accepted calls that make or store something, a collection's first."""
        found: list[tuple[bool, int, Model]] = []
        for key, known in self.models.items():
            method, _, template = key.partition(" ")
            accepted = [one for one in known.values() if one.exchange.status < FIRST_REFUSAL]
            makes = [one for one in accepted if method == "POST" or one.exchange.request.rows]
            if makes:
                best = min(makes, key=lambda one: len(one.calls))
                found.append((collection_of(template) != subject, len(best.calls), best))
        return [model for *_, model in sorted(found, key=itemgetter(0, 1))]


def _by_method(model: Model, method: str, endpoint: str) -> Model:
    """Return a call with another method; its answer is that of the method that it was sent by."""
    call = replace(model.call, endpoint=endpoint)
    exchange = replace(model.exchange, request=replace(model.exchange.request, method=method))
    return replace(model, calls=(*model.calls[:-1], call), exchange=exchange)


def _emptiness(model: Model) -> tuple[bool, int, int]:
    """Return how little a call shows what people send: refused ones, then those of few fields."""
    sent = slots_of(model.exchange.request)
    fields = [slot for slot in sent if slot[0] == Location.FORM.value]
    return is_failing(model.exchange), -len(fields), len(repr(sent))
