"""Visits with a browser after the search, until their share of the budget is spent.

They end before where the last ones have shown nothing new; what is left goes back to the search.
A visit is one evaluation.  What it gains is kept as the walks over pages keep it: as a short test
of what its call seems to need, else with all that came before.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.browsing.page_problems import PageProblems
from pytest_evosearch.engine.browsing.page_visit import Visit
from pytest_evosearch.engine.browsing.page_visit import VisitGuide
from pytest_evosearch.engine.browsing.seen_screens import SeenScreens
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.walks.page_walks import Walking
from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.observed import exchanges_of
from pytest_evosearch.report.page_visits import BrowserSummary
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.choosing import Situation
from pytest_evosearch.search.selecting.counting import LeastUsedSelector
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.oracle_specs import PAGE_NAMES
from pytest_evosearch.settings.oracle_specs import expanded
from pytest_evosearch.sut.browser.driven_browser import BrowserGone
from pytest_evosearch.sut.browser.driven_browser import DrivenBrowser
from pytest_evosearch.sut.browser.driven_browser import driven_browser
from pytest_evosearch.sut.watching.recorded_requests import RecordedRequest

BROWSER = "the browser"
"""A part of a search without which it goes on."""

MOST_PAGES = 40
"""Most addresses that are looked at to find pages."""

HOME_SHARE = 0.5
"""How often a visit opens the first page, as most people do."""

MOST_QUIET = 25
"""Visits in a row without a new target, screen or problem, after which there are no more."""

MOST_STARTS = 3
"""How often a browser is started that ends, or whose page hangs."""


@dataclass
class Browsing:
    """The visits of one run."""

    program: str
    ready: Prepared
    loop: SearchLoop
    rng: Random
    problems: PageProblems
    seen: SeenScreens
    visits: int = 0
    actions: int = 0
    hindrance: str = ""
    """Why there were no visits, or no more."""
    notes: tuple[str, ...] = ()
    """What is told of the checks that were asked for."""

    def run(self) -> None:
        """Visit pages until the budget of the search is spent, or nothing new is seen."""
        pages = list(self._pages())
        if not pages:
            self.hindrance = "no address answers with a page of HTML"
            return
        guide = VisitGuide(
            self.loop.problem.known.model,
            LeastUsedSelector(),
            self._served,
            self.problems,
            self.seen,
        )
        for _start in range(MOST_STARTS):
            try:
                with driven_browser(self.program) as browser, ExitStack() as spared:
                    self.ready.offspring.spare(browser.number)
                    spared.callback(self.ready.offspring.spare, 0)
                    self.hindrance = self._visited(browser, guide, pages)
            except BrowserGone as error:
                self.hindrance = str(error)
            if not self.hindrance:
                return

    def _visited(self, browser: DrivenBrowser, guide: VisitGuide, pages: list[str]) -> str:
        """Visit until the end; return why the browser has ended before."""
        loop, known, quiet = self.loop, self._known(), 0
        while not loop.ending.is_interrupted() and loop.share < 1.0 and quiet < MOST_QUIET:
            first = Call(self._begun(guide, pages), (), 1, self._user())
            visit = Visit(browser, guide, first, Random(self.rng.getrandbits(64)))
            loop.grow(self._walking, Individual((first,)), self._going_on(visit))
            self.visits += 1
            self.actions += visit.actions
            if visit.gone:
                page = first.endpoint[4:]
                told = {"kind": "hanging page", "message": visit.gone, "page": page}
                self.problems.note([told], page)
                return visit.gone
            before, known = known, self._known()
            quiet = quiet + 1 if known == before else 0
        if quiet == MOST_QUIET:
            note = f"browser: {self.visits} visits; the last {quiet} showed nothing new"
            self.notes = (*self.notes, note)
        return ""

    def _known(self) -> int:
        """Return how many targets, screens and problems are known."""
        seen = len(self.seen.states.records), len(self.problems.all())
        return len(self.loop.archive.covered) + sum(seen)

    @property
    def _walking(self) -> Walking:
        """Return what keeps the gains of a visit, as it keeps those of a walk."""
        walking = self.loop.occasions.walking
        assert walking is not None
        return walking

    def _going_on(self, visit: Visit) -> Callable[..., Call | None]:
        fence = self.ready.fence
        return lambda seen: fence.run(BROWSER, visit.next_call, seen, otherwise=None)

    def _user(self) -> str | None:
        return self.loop.problem.choose_user(self.rng)

    def _begun(self, guide: VisitGuide, pages: list[str]) -> str:
        """Return the page with which a visit begins."""
        if self.rng.random() < HOME_SHARE:
            return min(pages, key=len)
        situation = Situation("browser", tuple(Offer(key, CLICK) for key in pages))
        return guide.selector.ask(situation, self.rng).name

    def _pages(self) -> Iterator[str]:
        """Yield the addresses without parameters that answer with a page."""
        keys = [one for one in self.loop.problem.known.model.keys if one.startswith("GET ")]
        for key in [one for one in keys if not PLACEHOLDER.search(one)][:MOST_PAGES]:
            seen = self.ready.executor.evaluate(Individual((Call(key, (), 1, self._user()),)))
            response = exchanges_of(seen)[-1].response
            if response is not None and response.mimetype == "text/html" and response.status < 300:
                yield key

    def _served(self, request: RecordedRequest) -> Response | None:
        """Answer what is no endpoint of the search, such as a script of the page."""
        if request.method != "GET":
            return None
        client = self.ready.handle.make_client()
        response = client.get(request.path, query_string=dict(request.query))
        return Response(response.status_code, tuple(response.headers), response.get_data())

    def summary(self) -> BrowserSummary:
        """Return what the reports show."""
        return BrowserSummary(self.visits, self.actions, self.problems.all())

    def notices(self) -> Iterator[str]:
        """Yield what the summary says."""
        if self.hindrance:
            yield f"browser: {self.visits} visits, and no more: {self.hindrance}"
        yield from self.notes


def browsed(
    settings: Settings, program: str, ready: Prepared, loop: SearchLoop, unfit: str = ""
) -> Browsing:
    """Visit pages with the browser, and return what came of it; `unfit` says why none can be."""
    rng = derive(settings.seed, "browser")
    walking = loop.occasions.walking
    assert walking is not None
    names = [one for one in expanded(settings.search.oracles) if one in PAGE_NAMES]
    axe, hint = axe_library(settings) if "accessibility" in names else ("", ())
    seen = SeenScreens(walking.walks.guide, axe, "overflow" in names)
    problems = PageProblems(names)
    browsing = Browsing(program, ready, loop, rng, problems, seen, hindrance=unfit, notes=hint)
    if not unfit:
        ready.fence.run(BROWSER, browsing.run, otherwise=None)
    walking.browsed, walking.pictures = seen.states, seen.pictures
    return browsing


def axe_library(settings: Settings) -> tuple[str, tuple[str, ...]]:
    """Return the file of axe-core, or what to do where there is none."""
    given = str(settings.tunable("browser.axe"))
    file = settings.rootdir / (given or "node_modules/axe-core/axe.min.js")
    if file.is_file():
        return str(file), ()
    return "", (f"accessibility was not checked: no file {file}; run 'npm install axe-core'",)
