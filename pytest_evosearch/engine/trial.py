"""A search without a pytest session: for quality tests, benchmarks and experiments."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.engine.preparation import Prepared
from pytest_evosearch.engine.preparation import prepared
from pytest_evosearch.engine.search import make_loop
from pytest_evosearch.instrument.install import install
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.search.archive import Archive
from pytest_evosearch.settings import Settings
from pytest_evosearch.sut.handle import AppHandle


@dataclass(frozen=True)
class FactoryHost:
    """A host for an application that a function makes."""

    factory: Callable[[], Any]

    def load_app(self) -> AppHandle:
        """Make the application and a handle on it."""
        app = self.factory()
        return AppHandle(app, f"{self.factory.__name__}()", app.test_client)

    def reset(self) -> None:
        """Do nothing: the state keeper is enough."""

    def stop_requested(self) -> str | None:
        """Never ask to stop."""
        return None


def search_application(
    factory: Callable[[], Any],
    *,
    packages: Sequence[str],
    evaluations: int,
    seed: int,
    algorithm: str = "mio",
    root: Path | None = None,
) -> frozenset[TargetId]:
    """Search the application that `factory` makes and return the covered targets.

    `factory` must import the modules of `packages` itself, so that they are loaded with
    probes; modules that are loaded already carry none.
    """
    settings = Settings(
        budget=Budget.parse(f"{evaluations}x"),
        seed=seed,
        rootdir=root or Path.cwd(),
        algorithm=algorithm,
    )
    with install(list(packages), level=settings.level, root=settings.rootdir) as recording:
        return frozenset(_searched(settings, FactoryHost(factory), recording).covered)


def _searched(settings: Settings, host: FactoryHost, recording: Recording) -> Archive[Any]:
    with prepared(settings, host, recording) as ready:
        return _run_loop(settings, host, ready)


def _run_loop(settings: Settings, host: FactoryHost, ready: Prepared) -> Archive[Any]:
    loop = make_loop(settings, host, ready, ())
    loop.run()
    return loop.archive
