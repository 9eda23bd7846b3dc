"""The seam for what a project adds to a search by itself: the hooks of its conftest.py, mostly.

    bridge.hook_wiring.project_hooks (pytest) -> Extensions -> preparation, search, harvest, writing

Each part is None, or empty, where no hook has anything to say.  What is asked for before the
search may raise `HookFailed`: nothing is lost yet.  What is asked for later tells what went wrong
by itself, but for `change_request`, which may be called in a forked process.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import NamedTuple

from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext


class GivenSchema(NamedTuple):
    """An OpenAPI document that the project brings."""

    document: object
    """A dict, JSON or YAML as text, a path, or a route that serves it."""
    origin: str
    """How the user would call the place where it comes from."""


@dataclass(frozen=True)
class Extensions:
    """What the project adds to a search."""

    schema: Callable[[Any], GivenSchema | None] | None = None
    """From the application to its OpenAPI document; None to look for one."""
    keeps: Callable[[Endpoint], bool] | None = None
    """Whether an endpoint that the options leave is searched."""
    values: Callable[[Endpoint, Location, tuple[str, ...]], Sequence[object]] | None = None
    """Values to try for a parameter of an endpoint; a field of a JSON body is named by its keys."""
    change_request: Callable[[Request, Endpoint, str | None], Request] | None = None
    """The request as it is to be sent, as a user; raises `HookFailed`."""
    stability: Stability | None = None
    """What it says of the values of answers, whatever repeating them shows."""
    oracles: tuple[AnyOracle, ...] = ()
    make_algorithm: Callable[[SearchContext[Individual]], SearchAlgorithm[Individual]] | None = None
    """The algorithm of the settings, instead of a shipped one of that name."""
    change_module: Callable[[str, str], str] | None = None
    """From a module's file name and text to the text that is written; the same for the same."""
    tell: Callable[[str], None] = lambda _line: None
    """Told in one line of what went wrong during the search; says it once."""


NO_EXTENSIONS = Extensions()
