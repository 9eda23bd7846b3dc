"""Chooses the algorithm and the walks, and builds the search loop around them."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from functools import partial
from typing import Any

from pytest_evosearch.core.budget import BudgetMeter
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.events import Sink
from pytest_evosearch.core.randomness import derive
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.loop_parts import Announcements
from pytest_evosearch.engine.loop_parts import Ending
from pytest_evosearch.engine.loop_parts import LoadedSource
from pytest_evosearch.engine.loop_parts import Occasions
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.timetable import Timetable
from pytest_evosearch.engine.timetable import written_tests
from pytest_evosearch.engine.walks.page_walks import Walking
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.walks.page_calls import PageCalls
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.problem.http.walks.walks import Walks
from pytest_evosearch.screens.state_model import StateModel
from pytest_evosearch.search.algorithms import make_algorithm
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.search.selecting.bandit import ARMS
from pytest_evosearch.search.selecting.selectors import make_selector
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.time_plan import SEARCH_SHARE

LONG_RUN, LONG_RUN_EVALUATIONS = 600, 60_000
"""Seconds, or evaluations, from which on the bandit also evolves a policy: it takes many walks."""


def make_loop(
    settings: Settings,
    host: Host,
    ready: Prepared,
    sinks: Sequence[Sink],
    timetable: Timetable | None = None,
) -> SearchLoop:
    """Return a loop that is ready to run; it ends when `timetable` needs the time for the rest."""
    archive: Archive[Individual] = Archive(ready.expected_targets())
    share: list[Callable[[], float]] = []
    context: SearchContext[Any] = SearchContext(
        problem=ready.problem,
        archive=archive,
        rng=derive(settings.seed, _purpose(settings)),
        progress=lambda: share[0](),
        control_dependencies=_control_dependencies(ready),
    )
    make = ready.extensions.make_algorithm or partial(
        make_algorithm, settings.algorithm, tunables=tunables_for(settings)
    )
    loop = SearchLoop(
        problem=ready.problem,
        rng=context.rng,
        algorithm=make(context),
        archive=archive,
        meter=BudgetMeter(settings.budget.divided(settings.search.islands), monotonic),
        evaluate=lambda one: ready.executor.evaluate(one, ready.problem.needs_guidance(one)),
        source=_source(ready, archive),
        ending=Ending(host.stop_requested, settings.search.maximum_faults),
        announcements=Announcements(sinks),
    )
    loop.occasions = Occasions(
        confirm=ready.executor.confirmed, walking=_walking(settings, ready), fence=ready.fence
    )
    loop.ending.spent = _spent(loop, timetable)
    if timetable is not None:
        timetable.usual_seconds = lambda: ready.executor.usual_seconds
        loop.announcements.forecast = timetable.forecast
    loop.ending.share = 1.0 - share_of_browser(settings)
    share.append(lambda: min(1.0, loop.share / loop.ending.share))
    return loop


def _source(ready: Prepared, archive: Archive[Individual]) -> LoadedSource:
    return LoadedSource(
        ready.retire, ready.respecialize, lambda: len(archive.known), ready.expected_targets
    )


def share_of_browser(settings: Settings) -> float:
    """Return the share of the search that visits with a browser get, on the first island."""
    wanted = settings.search.browser and settings.search.island == 0
    return float(settings.tunable("browser.share")) if wanted else 0.0


def _walking(settings: Settings, ready: Prepared) -> Walking:
    """Return the walks of a search, as the user wants them."""
    known, choose_user = ready.problem.known, ready.problem.choose_user
    tunables, budget = settings.tunables, settings.budget
    if (budget.seconds or 0) >= LONG_RUN or (budget.evaluations or 0) >= LONG_RUN_EVALUATIONS:
        tunables = {"bandit.arms": f"{ARMS},gp-evolving", **tunables}
    selector = make_selector(str(settings.tunable("walks.selector")), tunables)
    over_answers = settings.tunable("walks.over") == "answers"
    given = ready.problem.composer, PageCalls(known), selector, StateModel()
    guide = Guide(known, *given, over_answers=over_answers)
    rng = derive(settings.seed, f"walks of {_purpose(settings)}")
    share = float(settings.tunable("walks.share"))
    return Walking(Walks(guide, rng, choose_user), share, ready.executor.evaluate_growing)


def _spent(loop: SearchLoop, timetable: Timetable | None) -> Callable[[], float]:
    """Return a function that returns the spent share of the search's seconds."""
    if timetable is None:
        return lambda: loop.meter.share / SEARCH_SHARE
    timetable.count_tests = lambda: written_tests(loop.archive)
    if not timetable.plan.is_timely:
        return lambda: loop.meter.share / SEARCH_SHARE
    return timetable.search_share


def _purpose(settings: Settings) -> str:
    """Name the purpose of the random numbers; each island has its own, so no two draw alike."""
    return f"search on island {settings.search.island}" if settings.search.island else "search"


def tunables_for(settings: Settings) -> dict[str, str]:
    """Return the tunables of the chosen algorithm, by names without the algorithm's."""
    prefix = f"{settings.algorithm}."
    return {
        name.removeprefix(prefix): text
        for name, text in settings.tunables.items()
        if name.startswith(prefix)
    }


def _control_dependencies(ready: Prepared) -> Callable[[str], Sequence[str]]:
    if ready.recording is None:
        return lambda _target: ()
    return ready.recording.catalog.control_dependencies
