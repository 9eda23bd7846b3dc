"""The search algorithm of a project, with a new name or instead of a shipped one."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import TypeAlias
from typing import TypeVar

import pytest

from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.engine.algorithm_choice import tunables_for
from pytest_evosearch.errors import HookFailed
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.algorithms import parameters_of
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.options import check_choices
from pytest_evosearch.settings.options import option_named

HOOK = "pytest_evosearch_make_algorithm"

AlgorithmMaker: TypeAlias = "Callable[[SearchContext[Individual]], SearchAlgorithm[Individual]]"

R = TypeVar("R")


def project_algorithm(calls: HookCalls, settings: Settings) -> AlgorithmMaker | None:
    """Return what makes the algorithm of the settings; None when the project brings none.

    Raise `InvalidSetting` when its name or one of its tunables is unknown, and `HookFailed`.
    """
    if not calls.is_used(HOOK):
        return None
    factory = calls.call(HOOK, settings=settings)
    if factory is None:
        check_choices(option_named("algorithm"), settings.algorithm)
        return None
    if not callable(factory):
        raise HookFailed(
            f"{calls.origin(HOOK)} returned {factory!r:.60}: return a class or function that is "
            "called with the context, or None for other algorithms"
        )
    return _maker(factory, calls, settings)


def _maker(factory: Any, calls: HookCalls, settings: Settings) -> AlgorithmMaker:
    further: dict[str, Any] = {}
    kind = getattr(factory, "parameters_type", None)
    if kind is not None:
        given = tunables_for(settings)
        further["parameters"] = parameters_of(settings.algorithm, kind, given)

    def make(context: SearchContext[Individual]) -> SearchAlgorithm[Individual]:
        algorithm = _guarded(calls, "", lambda: factory(context, **further))
        if not callable(getattr(algorithm, "ask", None)) or not hasattr(algorithm, "tell"):
            raise HookFailed(
                f"{calls.origin(HOOK)} made {algorithm!r:.60}, which is not an algorithm: it "
                "has no ask() and tell()"
            )
        return GuardedAlgorithm(algorithm, calls)

    return make


class GuardedAlgorithm:
    """Runs a project's algorithm; whatever it raises is a failure of the hook."""

    def __init__(self, algorithm: SearchAlgorithm[Individual], calls: HookCalls) -> None:
        self._algorithm = algorithm
        self._calls = calls

    def ask(self) -> Sequence[Individual]:
        """Return what the algorithm wants to execute."""
        individuals = _guarded(self._calls, ": ask()", self._algorithm.ask)
        if not individuals:
            raise HookFailed(f"{self._calls.origin(HOOK)}: ask() returned nothing to execute")
        return individuals

    def tell(self, evaluations: Sequence[Evaluation[Individual]]) -> None:
        """Pass the outcomes to the algorithm."""
        _guarded(self._calls, ": tell()", lambda: self._algorithm.tell(evaluations))

    def welcome(self, evaluations: Sequence[Evaluation[Individual]]) -> None:
        """Pass outcomes that it did not ask for, if it takes them; the archive has them."""
        welcome = getattr(self._algorithm, "welcome", None)
        if welcome is not None:
            _guarded(self._calls, ": welcome()", lambda: welcome(evaluations))


def _guarded(calls: HookCalls, where: str, function: Callable[[], R]) -> R:
    try:
        return function()
    except (HookFailed, pytest.exit.Exception):
        raise
    except Exception as error:
        raise calls.failure(HOOK, error, where) from error
