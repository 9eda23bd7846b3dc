"""One walk: what to do next, after each answer.

redirect       follow it
page           one of its actions, which the selector chooses
no way out     go back to the last page that had one
JSON           one of the endpoints, where walks go over answers, too
failure, enough actions   the walk ends
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import replace

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.composing.composition import Composer
from pytest_evosearch.problem.http.composing.composition import Plan
from pytest_evosearch.problem.http.composing.knowledge import Knowledge
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.resource_states import ResourceStates
from pytest_evosearch.screens.choosing import CALL
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.screens.screen import Screen
from pytest_evosearch.screens.screen import screen_of
from pytest_evosearch.screens.state_model import StateModel

MOST_ACTIONS = 12
"""Most actions of one walk, beyond those with which it begins."""

MOST_REQUESTS = 30
"""Most requests of one walk, with redirects and those with which it begins."""

START = "start"
"""The state before the first page."""


@dataclass(frozen=True)
class Guide:
    """What all walks of a search share."""

    known: Knowledge
    composer: Composer
    calls: PageCalls
    selector: ActionSelector
    states: StateModel
    over_answers: bool = False
    """Whether walks also go over answers that are no pages."""


@dataclass(frozen=True)
class Place:
    """A page with a way out, and the call that showed it."""

    screen: Screen
    exchange: Exchange
    label: int
    situation: Situation


class Walk:
    """A walk of one user; `next_call` decides, and everything is told to the selector."""

    def __init__(
        self,
        guide: Guide,
        begun: Iterable[Call],
        rng: Random,
        note_arrival: Callable[[str, Sequence[Call]], None] = lambda _state, _calls: None,
    ) -> None:
        self._guide = guide
        self._rng = rng
        self._note_arrival = note_arrival
        self.calls = list(begun)
        """Everything that is sent, in order."""
        self.is_over = False
        self._actions = 0
        self._pending: tuple[Situation, Offer, Screen | None] | None = None
        self._place: Place | None = None
        self._resources = ResourceStates()
        self._waiting: list[Call] = []
        self._path: list[str] = []

    def begin(self, situation: Situation, offer: Offer) -> None:
        """Note the choice of the first page."""
        self._pending = (situation, offer, None)

    def next_call(self, exchanges: Sequence[Exchange]) -> Call | None:
        """Return what follows the last of `exchanges`; None at the end of the walk."""
        call = None if self.is_over else self._decided(exchanges)
        if call is None:
            self.is_over = True
        else:
            self.calls.append(call)
        return call

    def _decided(self, exchanges: Sequence[Exchange]) -> Call | None:
        if len(exchanges) < len(self.calls) or exchanges[-1].is_broken:
            return None
        exchange, label = exchanges[-1], self.calls[-1].label
        self._resources.learn(exchange)
        if self._waiting:
            return self._waiting.pop(0)
        if FIRST_REDIRECT <= exchange.status < FIRST_REFUSAL:
            followed = self._labelled(self._guide.calls.followed(label, exchange))
            if followed is not None:
                return followed if len(self.calls) < MOST_REQUESTS else None
        situation = self._arrived(exchange, label)
        if self._actions >= MOST_ACTIONS or len(self.calls) >= MOST_REQUESTS:
            return None
        self._actions += 1
        return self._acted(situation)

    def _acted(self, situation: Situation) -> Call | None:
        """Choose an action, and return its call."""
        if self._place is not None:
            return self._on_page(self._place)
        if not situation.offers:
            return None
        offer = self._guide.selector.ask(situation, self._rng)
        self._pending = (situation, offer, None)
        user = self.calls[-1].user
        plan = Plan(self._rng, user, len(self.calls) + MOST_ACTIONS, calls=list(self.calls))
        self._guide.composer.append(plan, offer.name)
        first, *self._waiting = plan.calls[len(self.calls) :]
        return first

    def _on_page(self, place: Place) -> Call | None:
        offer = self._guide.selector.ask(place.situation, self._rng)
        self._pending = (place.situation, offer, place.screen)
        chosen = [action for action in place.screen.actions if action.offer == offer]
        action = self._rng.choice(chosen)
        made = self._guide.calls.made(action, place.label, place.exchange, self._rng)
        return self._labelled(made)

    def _labelled(self, call: Call | None) -> Call | None:
        """Return `call` under a label that no other call has."""
        if call is None:
            return None
        return replace(call, label=max(one.label for one in self.calls) + 1)

    def _arrived(self, exchange: Exchange, label: int) -> Situation:
        """Note where the last action led, and return the situation there."""
        screen = self._screen(exchange)
        states, pending = self._guide.states, self._pending
        if pending is not None and pending[2] is not None and not is_safe(self.calls[-1].endpoint):
            states.note_change(pending[2], screen)
        situation = self._situation(states.name(screen), screen.offers)
        if pending is not None:
            step = Step(pending[0], pending[1], situation)
            states.note(step)
            self._guide.selector.tell(step)
        states.note_visit(situation.state, situation.offers)
        self._note_path(situation.state)
        if screen.actions:
            self._place = Place(screen, exchange, label, situation)
            self._note_arrival(situation.state, self.calls)
        return situation

    def _situation(self, state: str, offers: tuple[Offer, ...]) -> Situation:
        if self._pending is None:
            return Situation(state, offers, new_offers=len(offers))
        before, taken, _screen = self._pending
        new = len(set(offers) - set(before.offers))
        return Situation(state, offers, taken, state != before.state, new)

    def _screen(self, exchange: Exchange) -> Screen:
        """Return what an answer shows; without pages, the state of the resources."""
        guide, request, response = self._guide, exchange.request, exchange.response
        if response is not None and response.mimetype == "text/html":
            resolve = guide.calls.resolving(request)
            page = screen_of(request.endpoint, exchange.status, response.text, resolve)
            if page.actions or not guide.over_answers:
                return page
        if guide.over_answers and self._place is None:
            requests = tuple(Offer(key, CALL) for key in guide.known.model.keys)
            return Screen(self._resources.state, requests=requests)
        return Screen(f"{request.endpoint} {exchange.status}")

    def _note_path(self, state: str) -> None:
        """Count the longest run without a repeated state; staying in a state is no step."""
        if self._path and self._path[-1] == state:
            return
        if state in self._path:
            del self._path[: self._path.index(state) + 1]
        self._path.append(state)
        states = self._guide.states
        states.longest_path = max(states.longest_path, len(self._path))
