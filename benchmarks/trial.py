"""A search without a pytest session: for quality tests, benchmarks and experiments."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.algorithm_choice import make_loop
from pytest_evosearch.engine.checks import inquire
from pytest_evosearch.engine.loop import SearchLoop
from pytest_evosearch.engine.preparing.preparation import prepared
from pytest_evosearch.instrument.install import install
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault
from pytest_evosearch.problem.http.inquiries.forged_inquiry import ForgedInquirer
from pytest_evosearch.settings.checked import SearchSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.users.offered_users import users_from


@dataclass(frozen=True)
class FactoryHost:
    """A host for an application that a function makes."""

    factory: Callable[[], Any]
    users: Mapping[str, object] = field(default_factory=dict)
    """Users in the form that `sut.users.offered_users.users_from` takes."""

    def load_app(self) -> AppHandle:
        """Make the application and its handle."""
        app = self.factory()
        name = f"{self.factory.__name__}()"
        return AppHandle(app, name, app.test_client, users_from(self.users))

    def reset(self) -> None:
        """Do nothing: the state keeper is enough."""

    def stop_requested(self) -> str | None:
        """Never ask to stop."""
        return None

    def release(self) -> None:
        """Do nothing: no fixture is set up."""

    def put_databases_back(self) -> None:
        """Do nothing: the tests are not run."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def search_application(
    factory: Callable[[], Any],
    *,
    packages: Sequence[str],
    evaluations: int,
    seed: int,
    algorithm: str = "mio",
    users: Mapping[str, object] | None = None,
    root: Path | None = None,
    is_goal: Callable[[TargetId], bool] | None = None,
    tunables: Mapping[str, str] | None = None,
) -> frozenset[TargetId]:
    """Search the application that `factory` makes, and return the covered targets.

    The search ends early when a target is covered for which `is_goal` returns True.

    `factory` must import the modules of `packages` itself, so that they are loaded with probes.
    Modules that were loaded before have no probes.
    """
    settings = Settings(
        budget=Budget.parse(f"{evaluations}x"),
        seed=seed,
        rootdir=root or Path.cwd(),
        algorithm=algorithm,
        tunables=tunables or {},
    )
    loop = searched(settings, factory, packages, is_goal=is_goal, users=users)
    return frozenset(loop.archive.covered)


def covered_and_faults(
    factory: Callable[[], Any],
    *,
    packages: Sequence[str],
    evaluations: int,
    seed: int,
    oracles: Sequence[str] = ("default",),
    users: Mapping[str, object] | None = None,
    root: Path | None = None,
) -> tuple[frozenset[TargetId], tuple[Fault, ...]]:
    """Search, ask what oracles can judge, and return the covered targets, and the faults."""
    settings = Settings(
        budget=Budget.parse(f"{evaluations}x"),
        seed=seed,
        rootdir=root or Path.cwd(),
        search=SearchSettings(oracles=tuple(oracles)),
    )
    loop = searched(settings, factory, packages, asks=True, users=users)
    return frozenset(loop.archive.covered), tuple(loop.statistics.faults.values())


def searched(
    settings: Settings,
    factory: Callable[[], Any],
    packages: Sequence[str],
    asks: bool = False,
    is_goal: Callable[[TargetId], bool] | None = None,
    users: Mapping[str, object] | None = None,
    stop: Callable[[SearchLoop], str | None] = lambda _loop: None,
) -> SearchLoop:
    """Return the loop after its search, which ends when `stop` says why."""
    host = FactoryHost(factory, users or {})
    with (
        install(list(packages), level=settings.search.level, root=settings.rootdir) as recording,
        prepared(settings, host, recording) as ready,
    ):
        loop = make_loop(settings, host, ready, ())
        if is_goal is not None:
            loop.ending.stop_requested = _goal_watch(loop, is_goal)
        else:
            loop.ending.stop_requested = lambda: stop(loop)
        loop.run()
        if asks:
            inquire(
                settings,
                loop,
                lambda: False,
                ready.handle.writing_users,
                ForgedInquirer(ready.forged.forge, ready.sent_by),
            )
        return loop


def _goal_watch(loop: SearchLoop, is_goal: Callable[[TargetId], bool]) -> Callable[[], str | None]:
    """Return a function that says whether a goal is covered; it is called in several places."""
    seen: set[TargetId] = set()
    is_reached = False

    def reached() -> str | None:
        nonlocal is_reached
        # Targets may be removed, so the position of a target says nothing about its time.
        new = loop.archive.covered.keys() - seen
        seen.update(new)
        is_reached = is_reached or any(map(is_goal, new))
        return "the goal is covered" if is_reached else None

    return reached
