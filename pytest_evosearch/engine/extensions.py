"""What a project adds to a search, usually through the hooks of its conftest.py.

    bridge.hook_wiring.project_hooks (pytest) -> Extensions -> preparation, search, harvest, writing

Each part is None, or empty, where no hook is implemented.  A part that is called before the search
may raise `HookFailed`, because nothing is lost yet.  A later part reports its failure itself.  The
exception is `change_request`, which may be called in a forked process.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.minimize.stability import Stability
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext


class GivenSchema(NamedTuple):
    """An OpenAPI document of the project."""

    document: object
    """A dict, JSON or YAML as text, a path, or a route that serves it."""
    origin: str
    """Where it comes from, in the words of the user."""


@dataclass(frozen=True)
class Extensions:
    """What the project adds to a search."""

    schema: Callable[[Any], GivenSchema | None] | None = None
    """From the application to its OpenAPI document; None to look for one."""
    keeps: Callable[[Endpoint], bool] | None = None
    """Whether to search an endpoint that the options select."""
    values: Callable[[Endpoint, Location, tuple[str, ...]], Sequence[object]] | None = None
    """Values to try for a parameter of an endpoint; a field of a JSON body is named by its keys."""
    service: Callable[[str], object] | None = None
    """From a call to another service to the document that it answers at first, or None."""
    change_request: Callable[[Request, Endpoint, str | None], Request] | None = None
    """Changes the request that a user sends; raises `HookFailed`."""
    stability: Stability | None = None
    """Says which values of responses are stable, whatever repeating them shows."""
    oracles: tuple[AnyOracle, ...] = ()
    make_algorithm: Callable[[SearchContext[Individual]], SearchAlgorithm[Individual]] | None = None
    """Makes the algorithm of the settings, instead of a shipped one with that name."""
    change_module: Callable[[str, str], str] | None = None
    """From a module's file name and text to the written text; equal for equal arguments."""
    unit_arguments: Callable[[str, str], Sequence[object]] | None = None
    """Arguments of a unit for a parameter; nothing else is passed where there are any."""
    notify: Callable[[str], None] = lambda _line: None
    """Reports in one line what went wrong during the search; each line once."""


NO_EXTENSIONS = Extensions()
