"""One walk: what to do next, after each answer.

redirect       follow it
page           one of its actions, which the selector chooses
no way out     go back to the last page that had one
JSON           one of the endpoints, where walks go over answers, too
failure, enough actions   the walk ends
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import field
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
from pytest_evosearch.problem.http.walks.frontier import Changes
from pytest_evosearch.problem.http.walks.frontier import Frontier
from pytest_evosearch.problem.http.walks.frontier import Place
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.resource_states import ResourceStates
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

PROVEN_SHARE = 0.7
"""How often a request without a page is much like one that succeeded: what it leads to matters."""

REPEAT_SHARE = 0.25
"""How often an action that has changed something is done again, where that is possible."""

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
    frontier: Frontier = field(default_factory=Frontier)
    over_answers: bool = False
    """Whether walks also go over answers that are no pages."""


@dataclass(frozen=True)
class Shown:
    """A page with a way out, and the call that showed it."""

    screen: Screen
    exchange: Exchange
    label: int
    situation: Situation


class Walk:
    """A walk of one user; `next_call` decides, and everything is told to the selector."""

    def __init__(
        self, guide: Guide, begun: Iterable[Call], rng: Random, changes: Changes = ()
    ) -> None:
        self._guide = guide
        self._rng = rng
        self._changes = changes
        """What was changed so far; at first by the calls with which the walk begins."""
        self.calls = list(begun)
        """Everything that is sent, in order."""
        self.is_over = False
        self._actions = 0
        self._pending: tuple[Situation, Offer, Screen | None] | None = None
        self._page: Shown | None = None
        self._place: Place | None = None
        self._again: Offer | None = None
        """The last action, if it has changed something."""
        self._resources = ResourceStates()
        self._learnt = 0
        """How many answers the resources know."""
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
        for one in exchanges[self._learnt :]:
            self._resources.learn(one)
        self._learnt = len(exchanges)
        self._note_change(exchange)
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

    def _note_change(self, exchange: Exchange) -> None:
        """Note that the last call has changed something, if it has."""
        endpoint = self.calls[-1].endpoint
        if self._pending is None or is_safe(endpoint) or exchange.status >= FIRST_REFUSAL:
            return
        offer = self._pending[1]
        name = endpoint
        if offer.name.startswith(endpoint):
            self._again, name = offer, offer.name
        self._changes = tuple(sorted((*self._changes, name)))

    def _acted(self, situation: Situation) -> Call | None:
        """Choose an action, and return its call."""
        if self._page is not None:
            return self._on_page(self._page)
        if not situation.offers:
            return None
        offer = self._chosen(situation, None)
        user = self.calls[-1].user
        plan = Plan(self._rng, user, len(self.calls) + MOST_ACTIONS, calls=list(self.calls))
        key, given = self._guide.calls.requested(offer)
        self._guide.composer.append(plan, key, depth=int(self._rng.random() < PROVEN_SHARE))
        if given is not None:
            plan.calls[-1] = plan.calls[-1].with_input(given)
        first, *self._waiting = plan.calls[len(self.calls) :]
        return first

    def _chosen(self, situation: Situation, screen: Screen | None) -> Offer:
        """Choose what to do: at times the same again, or what was not done here, else any."""
        rng, place, again, offers = self._rng, self._place, self._again, situation.offers
        self._again = None
        untried = [one for one in offers if place is not None and one not in place.done]
        if again in offers and rng.random() < REPEAT_SHARE:
            offers = (again,)
        elif untried and self._actions == 1:  # the walk returned here for this
            offers = tuple(untried)
        offer = self._guide.selector.ask(replace(situation, offers=offers), rng)
        if place is not None:
            place.done.add(offer)
        self._pending = (situation, offer, screen)
        return offer

    def _on_page(self, page: Shown) -> Call | None:
        offer = self._chosen(page.situation, page.screen)
        chosen = [action for action in page.screen.actions if action.offer == offer]
        action = self._rng.choice(chosen)
        made = self._guide.calls.made(action, page.label, page.exchange, self._rng)
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
            self._page = Shown(screen, exchange, label, situation)
        if screen.offers:
            given = situation.state, self._changes, situation.offers, self.calls
            self._place = self._guide.frontier.arrive(*given)
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
        if guide.over_answers and self._page is None:
            return Screen(self._resources.state, requests=tuple(guide.calls.requests()))
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
