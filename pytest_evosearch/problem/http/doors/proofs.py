"""Proves at the end of a climb that a caller was let in, and by which inputs."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Generator
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TypeAlias
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import BEFORE_THE_CALLER
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.http_words import REFUSING
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.agenda import Agenda
from pytest_evosearch.problem.http.doors.agenda import is_sent_on
from pytest_evosearch.problem.http.doors.agenda import kind_of_answer
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.ascents import gained
from pytest_evosearch.problem.http.doors.ascents import lost
from pytest_evosearch.problem.http.doors.ascents import with_keys
from pytest_evosearch.problem.http.doors.ascents import with_spoilt_keys
from pytest_evosearch.problem.http.doors.ascents import without_keys
from pytest_evosearch.problem.http.doors.callers import Try
from pytest_evosearch.problem.http.doors.callers import can_log_in
from pytest_evosearch.problem.http.doors.clues import InputKey
from pytest_evosearch.problem.http.doors.clues import is_taken
from pytest_evosearch.problem.http.doors.clues import turns_down
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.doors.colouring import is_open
from pytest_evosearch.problem.http.doors.exact_keys import with_other_characters
from pytest_evosearch.problem.http.doors.known_callers import KnownCallers
from pytest_evosearch.problem.http.doors.log_ins import answers_to_both
from pytest_evosearch.problem.http.doors.log_ins import name_sent
from pytest_evosearch.problem.http.doors.log_ins import shortened
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import is_linked
from pytest_evosearch.problem.http.exchanges.moments import form_of
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.key_ring import KEY_LOCATIONS
from pytest_evosearch.problem.http.learning.alike import Answer
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.experience import Experience

Keys: TypeAlias = "Mapping[tuple[Location, str], Gene]"
"""Inputs that let a caller in, with their values."""

_OF_REQUESTS = frozenset(
    {
        *("accept", "accept-language", "accept-encoding", "content-type"),
        *("user-agent", "referer", "origin", "wsgi.url_scheme"),
    }
)
"""Headers and variables that describe a request, but not its sender, in lower case."""

MOST_PROOFS = 3
"""Most other endpoints at which keys are tried."""


@dataclass(frozen=True)
class Proof:
    """Tests what one climber gained, and makes a user of a caller who was let in."""

    model: EndpointModel
    maker: CallMaker
    experience: Experience
    callers: KnownCallers
    agenda: Agenda
    attempt: Try
    base: Callable[[str], Individual]
    """Returns the anonymous test of an endpoint that is tried with found keys."""
    stopped: Callable[[Observation], bool]
    """Says whether a look did not enter the view of its last call."""
    climber: str | None = None
    """The user as whom the endpoint was climbed."""

    @property
    def _is_owner(self) -> bool:
        """Whether the climber is the owner of an account that was created first."""
        return self.climber in self.callers.owners

    def closed_pages(self) -> list[Individual]:
        """Return tests of the safe endpoints that refuse or redirect anonymous callers."""
        return list(map(self.base, self.agenda.closed_pages()))

    def finds_keys(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Test whether the gain is lost without each change; return whether any is a key."""
        refusal = answer_of(ascent.first.observation.exchanges[-1])
        if not (yield from self._enters(ascent)):
            return False
        if refusal is None:  # an anonymous caller makes it crash
            return self._is_owner and (yield from self.comes_in(ascent))
        changed = {key for key in ascent.last.changed if key[0] in KEY_LOCATIONS}
        call = ascent.last.individual.calls[-1]
        if ascent.last.stored:  # the stored hash was computed from what was sent
            changed |= {given.key for given in call.inputs if given.location in KEY_LOCATIONS}
        needed, refusals = [], [refusal]
        for key, individual in with_spoilt_keys(ascent, changed):
            observation = yield individual
            # A word that crashes the code behind the check has passed the check.
            if lost(ascent, observation) and observation.exchanges[-1].crash is None:
                needed.append(key)
        keys = {given.key: given.gene for given in call.inputs if given.key in needed}
        if not keys:
            return (yield from self._comes_in_without_keys(ascent))
        if (yield from self._opens_others(ascent, refusal, keys)):
            missing = yield without_keys(ascent, needed)
            if lost(ascent, missing):
                answer = answer_of(missing.exchanges[-1])
                refusals += [answer] if answer is not None else []
            for one in dict.fromkeys(refusals):
                if one[0] not in BEFORE_THE_CALLER:
                    self.experience.note_refusal(one)
            signatures = {key for key, _place in ascent.signed_at}
            if signatures:  # each signature renews the time
                signatures |= {key for key, gene in keys.items() if form_of(str(gene.value()))}
            return self._hold(keys, signatures, ascent)
        return False

    def _comes_in_without_keys(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Make a user of a caller who needs more than one key, if this is proven."""
        if ascent.last.stored and (yield from self._takes_any_text(ascent)):
            return False
        proven = self._was_turned_down(ascent) or (yield from self._changes_others(ascent))
        return proven and (yield from self.comes_in(ascent))

    def _takes_any_text(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Say whether a stored value makes every request succeed.

        A hash accepts only its own text. A list of open pages ignores all texts.
        """
        individual = ascent.last.individual
        texts = [
            given.key
            for given in individual.calls[-1].inputs
            if given.location is not Location.PATH or is_open(given.gene)
        ]
        for changed in with_other_characters(individual, texts):
            observation = yield changed
            if lost(ascent, observation):
                return False
        return True

    def comes_in(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Make a user of the caller at the end of a climb; say whether it is a new one.

        This user sends the log-in once more, so that its response is learnt.
        """
        known = len(self.callers.admitted)
        if not (yield from self.logs_in(ascent)):
            return False
        for name in islice(list(self.callers.admitted), known, known + 1):
            yield ascent.last.individual.sent_by(name)
        return True

    def logs_in(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Make a user of a caller whom the climb has logged in; say whether there is one.

        A log-in by cookies works for all later calls. Where the response holds the token, tests go
        on sending the log-in, as the user whose row holds the values.
        """
        last = ascent.last
        before = self.callers.of(self.climber, last)
        way = self._way_after(ascent, before.way)
        if way != before.way:
            ascent = yield from shortened(ascent)
            way = self._way_after(ascent, before.way)
        changed = last.stored or before.account != self.callers.of(self.climber).account
        if way == before.way and not changed and not self._is_owner:
            return False
        caller = replace(before, way=way, name=before.name or name_sent(last))
        return self.callers.admit(caller)

    def _way_after(self, ascent: Ascent, before: tuple[Call, ...]) -> tuple[Call, ...]:
        """Return the calls that log a caller in, including the climbed one if it sets cookies."""
        first, last = ascent.first.observation.exchanges[-1], ascent.answer
        call = ascent.last.individual.calls[-1]
        sets_cookies = last.response is not None and last.response.header("Set-Cookie")
        failed = self.experience.outcomes.is_refused(first) or first.status >= FIRST_REFUSAL
        is_deed = failed or not is_safe(call.endpoint)
        calls = ascent.last.individual.calls
        if not sets_cookies or not is_deed or not all(map(can_log_in, calls)):
            return before
        return (*before, *(replace(each, user=None) for each in calls))

    def _enters(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Return whether a climb succeeded; an owner must gain something by the account."""
        if not self._is_let_in(ascent):
            return False
        if not self._is_owner:
            return True
        anonymous = yield ascent.last.individual.sent_by(None)
        return not gained(ascent) or bool(lost(ascent, anonymous))

    def _is_let_in(self, ascent: Ascent) -> bool:
        """Say whether the last response is no refusal."""
        first, last = ascent.first.observation.exchanges[-1], ascent.answer
        if self._is_owner and not self._is_entrance(first, last):
            return False
        changed = answer_of(first) != answer_of(last)
        return changed and not self.experience.outcomes.is_refused(last)

    def _is_entrance(self, first: Exchange, last: Exchange) -> bool:
        """Say whether an owner succeeds, or gets cookies, where the anonymous caller failed."""
        if turns_down(last) or _leads_elsewhere(last):
            return False
        refused = self.experience.outcomes.is_refused(first) or is_sent_on(first)
        if turns_down(first) or (refused and not is_sent_on(last)):
            return True
        account = self.callers.of(self.climber).account
        if account is not None and account.is_logged_in:
            return refused and kind_of_answer(first) != kind_of_answer(last)
        response = last.response
        return response is not None and response.header("Set-Cookie") is not None

    def _opens_others(
        self, ascent: Ascent, refusal: Answer, keys: Keys
    ) -> Generator[Individual, Observation, bool]:
        """Try keys at another place with this refusal; one place proves only that refusal's status.

        A filter of one endpoint looks like a key, but changes no response of the others.  Most
        filters are in the query: if no other endpoint gives this refusal, keys that are all in the
        query count only where the status is a refusal by definition.  A refusal with the status of
        a success counts where the view was not entered.
        """
        endpoint, user = ascent.last.individual.calls[-1].endpoint, ascent.last.user
        others = [key for key in self.experience.outcomes.alike.sharing(refusal) if key != endpoint]
        given = [one for one in ascent.last.individual.calls[-1].inputs if not is_linked(one)]
        for key in others[:MOST_PROOFS]:
            call = coloured(with_keys(self.base(key).calls[-1], keys), keys)
            beside = {one.key: one.gene for one in given if self._takes(key, one.key)}
            observation = yield Individual((with_keys(call, beside),)).sent_by(user)
            if answer_of(observation.exchanges[-1]) != refusal:
                return True
        if others:
            return False
        if refusal[0] < FIRST_REFUSAL:
            return self.stopped(ascent.first.observation)
        is_filter = all(location is Location.QUERY for location, _name in keys)
        return refusal[0] in REFUSING or not is_filter

    def _takes(self, key: str, identity: InputKey) -> bool:
        """Say whether an endpoint can be sent an input of another endpoint."""
        return identity[0] in KEY_LOCATIONS or self.model.parameter(key, identity) is not None

    def _hold(self, keys: Keys, signatures: Collection[InputKey], ascent: Ascent) -> bool:
        """Let calls hold credentials, and visit again the endpoints that take them.

        Say whether they belong to a new user. A signature is valid for one request only, and what
        describes a request (``Accept``) says nothing about its caller: every call holds both.
        """
        common = {key for key in keys if key in signatures or not _is_personal(key)}
        inputs = tuple(Input(*key, gene) for key, gene in keys.items() if key not in common)
        before = self.callers.of(self.climber, ascent.last)
        way = before.way if signatures else self._way_after(ascent, before.way)
        name = before.name if way == before.way else before.name or name_sent(ascent.last)
        caller = replace(before, inputs=(*before.inputs, *inputs), way=way, name=name)
        is_new = bool(inputs) and self.callers.admit(caller)
        for identity, gene in keys.items():
            if self.maker.keys.add(identity, gene, is_signature=identity in common):
                self.agenda.climb_again()
            for key in self.model.keys:
                if self.model.parameter(key, identity) is not None:
                    self.model.note_change(key)
        return is_new

    def _was_turned_down(self, ascent: Ascent) -> bool:
        """Say whether the first look of a climb was refused, and no form that was shown again."""
        first = ascent.first.observation.exchanges[-1]
        return turns_down(first) or self.experience.outcomes.is_refused(first)

    def _changes_others(self, ascent: Ascent) -> Generator[Individual, Observation, bool]:
        """Say whether a log-in by cookies changes responses of other endpoints, if there are any.

        It may lead to a second factor first, so that it need not be served.
        """
        answers = yield from self.answers(self.closed_pages(), ascent)
        return not answers or any(answer_of(one) != answer_of(other) for one, other in answers)

    def answers(
        self, bases: Iterable[Individual], ascent: Ascent
    ) -> Generator[Individual, Observation, list[tuple[Exchange, Exchange]]]:
        """Return the responses to tests: for the anonymous caller, and for the logged-in one.

        Return nothing if the climb did not end in a log-in.
        """
        before = self.callers.of(self.climber, ascent.last)
        way = self._way_after(ascent, before.way)
        user = self.attempt(replace(before, way=way)) if way != before.way else None
        return (yield from answers_to_both(bases, user)) if user is not None else []

    def gets_through(self, ascent: Ascent) -> bool:
        """Say whether a climb succeeded, or a form was accepted that then leads to the log-in."""
        first, last = ascent.first.observation.exchanges[-1], ascent.answer
        return is_taken(first, last) or self._is_let_in(ascent)


def _is_personal(key: InputKey) -> bool:
    """Say whether an input may tell callers apart."""
    location, name = key
    return location not in (Location.HEADER, Location.ENVIRON) or name.lower() not in _OF_REQUESTS


def _leads_elsewhere(exchange: Exchange) -> bool:
    """Say whether a response redirects to another server, as with a log-in provider."""
    location = exchange.response.header("Location") if exchange.response is not None else None
    host = urlsplit(location or "").hostname
    return host is not None and host != (exchange.request.host or "localhost")
