"""One visit of the browser: its requests become the calls of a test that grows.

the test begins with the first page; then, again and again (`next_call`):
the answer of the last call goes to the browser  ->  the page asks for more   -> the next call
                                                 ->  the page is quiet        -> act on it
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.forms import FormField
from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.engine.browsing.page_problems import Key
from pytest_evosearch.engine.browsing.page_problems import PageProblems
from pytest_evosearch.engine.browsing.seen_screens import SeenScreens
from pytest_evosearch.engine.browsing.seen_screens import offer_of
from pytest_evosearch.engine.preparing.recorded_examples import examples_from
from pytest_evosearch.problem.http.composing.seeding import individuals_from
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.learning.pages import gene_for_field
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.screens.choosing import Step
from pytest_evosearch.sut.browser.asked_requests import answer
from pytest_evosearch.sut.browser.asked_requests import json_of
from pytest_evosearch.sut.browser.asked_requests import led_on
from pytest_evosearch.sut.browser.asked_requests import recorded
from pytest_evosearch.sut.browser.driven_browser import ORIGIN
from pytest_evosearch.sut.browser.driven_browser import BrowserGone
from pytest_evosearch.sut.browser.driven_browser import DrivenBrowser
from pytest_evosearch.sut.browser.page_steps import PageStep
from pytest_evosearch.sut.browser.page_steps import step_of
from pytest_evosearch.sut.watching.recorded_requests import RecordedRequest
from pytest_evosearch.sut.watching.recorded_requests import RecordedTest

MOST_ACTIONS = 6
"""Most actions of one visit."""

MOST_REQUESTS = 20
"""Most calls of one visit; further requests of the page fail."""

AS_SHOWN_SHARE = 0.5
"""How often a field gets what the page shows in it, or the plainest value of its kind."""

NO_ANSWER: Mapping[str, Any] = {"status": 0}


@dataclass(frozen=True)
class VisitGuide:
    """What all visits share."""

    model: EndpointModel
    selector: ActionSelector
    serve: Callable[[RecordedRequest], Response | None]
    """Answers a request for what is no endpoint of the search, such as a script of the page."""
    problems: PageProblems
    seen: SeenScreens


class Visit:
    """Drives the browser from one start page, and remembers which requests it has made."""

    def __init__(
        self,
        browser: DrivenBrowser,
        guide: VisitGuide,
        first: Call,
        rng: Random,
    ) -> None:
        self._browser = browser
        self._guide = guide
        self._first = first
        self._rng = rng
        self._requests: list[RecordedRequest] = []
        self._asked: dict[str, Any] | None = None
        """The request of the page that the last call of the test stands for."""
        self._set_cookies: set[str] = set()
        self._own_headers: set[str] = set()
        """Headers that the browser sends by itself, as for the first page."""
        self._situation: Situation | None = None
        self._taken: Offer | None = None
        self._by_link = False
        """Whether the last action followed a link."""
        self._way: list[PageStep] = []
        self._shown: Mapping[str, Any] = {}
        """The quiet page on which the next action is due."""
        self._looked_for: list[Key] = []
        """Problems that the picture will show for which the browser was asked."""
        self._is_over = False
        self.actions = 0
        self.gone: str = ""
        """Why the browser has ended during the visit; empty where it has not."""

    @property
    def _start(self) -> str:
        """Return the path of the page with which the visit begins."""
        return self._first.endpoint.removeprefix("GET ")

    def next_call(self, exchanges: Sequence[Exchange]) -> Call | None:
        """Return what the page asks for next; None at the end of the visit."""
        try:
            return self._next_call(exchanges)
        except BrowserGone as error:
            self.gone = str(error)
            return None

    def _next_call(self, exchanges: Sequence[Exchange]) -> Call | None:
        exchange = exchanges[-1]
        self._note_answer(exchange)
        if len(exchanges) == 1:
            self._browser.settle()
            self._browser.tell({"open": self._start})
            self._asked = self._browser.heard()
            if "request" not in self._asked:  # the page could not be opened
                return None
            self._own_headers = {*self._asked["headers"], "origin", "referer"}
            self._requests = [recorded(self._asked, (), self._own_headers)]
            self._note_answer(exchange)
        call = self._replied(exchange)
        while call is None and not self._is_over:
            call = self._after(self._browser.heard())
        return call

    def _replied(self, exchange: Exchange) -> Call | None:
        """Answer the page; return a call where the answer leads on, and a script waits for it."""
        asked, response = self._asked, exchange.response
        assert asked is not None
        if exchange.crash is not None and response is None:
            self._browser.tell(answer(exchange.status, (), b""))
        elif response is None:
            self._browser.tell(NO_ANSWER)
        elif response.location and FIRST_REDIRECT <= response.status < FIRST_REFUSAL:
            if not asked["leads"]:
                target = "/" + response.location.removeprefix(ORIGIN).lstrip("/")
                following = {**asked, "request": "GET", "target": target, "body": ""}
                call = self._called(following)
                if call is not None:
                    return call
            self._browser.tell(led_on(response.headers, response.location))
        else:
            self._browser.tell(answer(response.status, response.headers, response.body))
        return None

    def _after(self, message: dict[str, Any]) -> Call | None:
        if "request" in message:
            return self._asked_for(message)
        new: list[Key] = []
        if len(self._requests) < MOST_REQUESTS:  # later requests fail because of us
            told = [one for one in message["problems"] if self._is_ours(one)]
            new = self._guide.problems.note(told, self._start, self._way, self._first.user)
        if "looked" in message:
            picture = self._guide.seen.keep(message["looked"])
            self._guide.problems.show((*self._looked_for, *new), picture)
            self._act(self._shown)
            return None
        self._shown, self._looked_for = message, new
        self._arrive(message)
        assert self._situation is not None
        look = self._guide.seen.look(self._situation.state, bool(new))
        if look:
            self._browser.tell({"look": look})
        else:
            self._act(message)
        return None

    def _is_ours(self, problem: Mapping[str, str]) -> bool:
        """Say whether a problem is one of the page: only a link can be a broken link."""
        return self._by_link or problem["kind"] != "broken link"

    def _arrive(self, message: Mapping[str, Any]) -> None:
        """Note what the quiet page is, and where the last action led."""
        offers = tuple(dict.fromkeys(map(offer_of, message["screen"])))
        state = self._guide.seen.arrived(message, offers)
        situation = Situation(state, offers, self._taken)
        if self._situation is not None and self._taken is not None:
            step = Step(self._situation, self._taken, situation)
            self._guide.selector.tell(step)
            self._guide.seen.states.note(step)
        self._situation = situation

    def _asked_for(self, asked: dict[str, Any]) -> Call | None:
        """Return the call for a request of the page; answer what becomes none."""
        call = self._called(asked) if len(self._requests) < MOST_REQUESTS else None
        if call is None:
            response = self._guide.serve(recorded(asked))
            said = response and answer(response.status, response.headers, response.body)
            self._browser.tell(said or NO_ANSWER)
        return call

    def _called(self, asked: dict[str, Any]) -> Call | None:
        """Return the call that sends what the page asks for, with links to earlier answers."""
        request = recorded(asked, self._set_cookies, self._own_headers)
        requests = (*self._requests, request)
        found = individuals_from(
            examples_from([RecordedTest("visit", requests)]), self._guide.model, len(requests)
        )
        made = next(found, None)
        if made is None or len(made) < len(requests):
            return None
        self._asked, self._requests = asked, list(requests)
        return replace(made.calls[-1], user=self._first.user)

    def _note_answer(self, exchange: Exchange) -> None:
        response = exchange.response
        if response is None or not self._requests:
            return
        last = self._requests[-1]
        self._requests[-1] = replace(last, status=response.status, answer=json_of(response.body))
        for name, text in response.headers:
            if name.lower() == "set-cookie":
                self._set_cookies.add(text.partition("=")[0].strip())

    def _act(self, message: Mapping[str, Any]) -> None:
        """Choose what is next on a quiet page, and do it; or end the visit."""
        situation = self._situation
        assert situation is not None
        if not situation.offers or self.actions >= MOST_ACTIONS:
            self._is_over = True
            return
        self.actions += 1
        self._taken = taken = self._guide.selector.ask(situation, self._rng)
        control = self._rng.choice([one for one in message["screen"] if offer_of(one) == taken])
        texts = {one["index"]: self._text(one) for one in control["fields"]}
        self._by_link = bool(control["link"])
        self._way.append(step_of(control, texts))
        fill = [{"index": index, "value": text} for index, text in texts.items()]
        self._browser.tell({"act": control["index"], "fill": fill})

    def _text(self, shown: Mapping[str, Any]) -> str:
        """Return what is typed into a field."""
        kind, value, rng = shown["kind"], str(shown["value"]), self._rng
        if kind in ("checkbox", "radio"):
            return "on" if rng.random() < AS_SHOWN_SHARE else ""
        options = [str(one) for one in shown["options"] if one]
        if options:
            return rng.choice(options)
        if value and rng.random() < AS_SHOWN_SHARE:
            return value
        gene = gene_for_field(FormField(shown["name"], kind.partition("-")[0]))
        return str(gene.value() if rng.random() < AS_SHOWN_SHARE else gene.sample(rng).value())
