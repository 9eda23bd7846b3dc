"""Hooks that a project may implement in its conftest.py, all optional.

Mark an implementation with ``@pytest.hookimpl(optionalhook=True)``: a run without this
plugin would otherwise stop at an unknown hook.  Implementations are seen in the root
conftest.py and in those of the folders named on the command line (or in ``testpaths``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any

import pytest

if TYPE_CHECKING:
    from pytest_evosearch.report.outcome import Outcome


@pytest.hookspec(firstresult=True)
def pytest_evosearch_app(config: pytest.Config) -> Any:
    """Return the Flask application to test; it wins over fixtures and discovery.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_app(config):
            from shop import create_app

            return create_app({"TESTING": True})
    """


@pytest.hookspec
def pytest_evosearch_users(config: pytest.Config, app: Any) -> Mapping[str, object]:  # type: ignore[empty-body]
    """Return users by name: headers, ``(user, password)``, or a function that logs a client in.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_users(config, app):
            return {"admin": {"X-Api-Key": "secret"}, "alice": ("alice", "password")}
    """


@pytest.hookspec
def pytest_evosearch_reset(config: pytest.Config, app: Any) -> None:
    """Bring back state that the search cannot know of; called before every test it executes.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_reset(config, app):
            app.extensions["queue"].clear()
    """


@pytest.hookspec
def pytest_evosearch_finish(config: pytest.Config, outcome: Outcome) -> None:
    """Look at the outcome after everything is written, for example to publish it.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_finish(config, outcome):
            print(f"{outcome.tests} tests, {len(outcome.faults)} faults")
    """
