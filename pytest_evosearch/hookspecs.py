"""Hooks that a project may implement in its conftest.py, all optional.

Mark an implementation with ``@pytest.hookimpl(optionalhook=True)``; otherwise a run without this
plugin stops at an unknown hook.  pytest finds implementations in the root conftest.py and in those
of the folders on the command line (or in ``testpaths``).

An implementation names only the arguments that it needs, as in all hooks of pytest.  If one raises
before the search, the run ends with a line that names it.  Later, the line is all that happens.
docs/hooks.md explains all hooks.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any

import pytest

if TYPE_CHECKING:
    from pytest_evosearch.engine.extension_values import EndpointInfo
    from pytest_evosearch.engine.extension_values import OutgoingRequest
    from pytest_evosearch.engine.extension_values import ParameterInfo
    from pytest_evosearch.engine.extension_values import WrittenModule
    from pytest_evosearch.oracles.oracle import AnyOracle
    from pytest_evosearch.report.outcome import Outcome
    from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
    from pytest_evosearch.search.ask_and_tell import SearchContext
    from pytest_evosearch.settings.checked import Settings


@pytest.hookspec(firstresult=True)
def pytest_evosearch_app(config: pytest.Config) -> Any:
    """Return the Flask application to test, instead of one from fixtures or discovery.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_app(config):
            from shop import create_app

            return create_app({"TESTING": True})
    """


@pytest.hookspec(firstresult=True)
def pytest_evosearch_schema(config: pytest.Config, app: Any) -> object:
    """Return the OpenAPI document of `app`: a dict, JSON or YAML as text, a path or a route.

    It replaces documents that are found; ``--evosearch-schema`` replaces it.  Paths are relative
    to the root folder.  After None the next implementation is called; then the search looks for
    documents of the application.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_schema(config, app):
            return config.rootpath / "contract" / "orders.yaml"
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
    """Restore state that the search cannot know; called before every test of the search.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_reset(config, app):
            app.extensions["queue"].clear()
    """


@pytest.hookspec(firstresult=True)
def pytest_evosearch_select_endpoint(config: pytest.Config, endpoint: EndpointInfo) -> bool | None:
    """Return False to leave an endpoint out, True to keep it, None to ask the next implementation.

    It is called for the endpoints that ``--evosearch-only`` and ``--evosearch-skip`` select; it
    cannot add others.  An endpoint for which every hook returns None is kept.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_select_endpoint(config, endpoint):
            return endpoint.method != "DELETE" and endpoint.blueprint != "admin"
    """


@pytest.hookspec
def pytest_evosearch_values(
    config: pytest.Config, endpoint: EndpointInfo, parameter: ParameterInfo
) -> Iterable[object] | None:
    """Return values to try for a parameter of an endpoint, besides those that the search finds.

    It is called once for each parameter, and for each field of a JSON body, when a value is first
    needed.  The values of all implementations are joined.  If there are any, they replace the
    values of the fixture ``evosearch_seeds`` for this name.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_values(config, endpoint, parameter):
            if endpoint.name == "orders.create" and parameter.name == "voucher":
                return ["SPRING-24", "EXPIRED-23"]
    """


@pytest.hookspec(firstresult=True)
def pytest_evosearch_service(config: pytest.Config, call: str) -> object:
    """Return what a service answers at first: a JSON document, None where the project knows none.

    It is called once for each call that the application makes to another service, with its method
    and address: ``GET http://prices.internal/items/{}``.  The search starts with the document and
    varies it.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_service(config, call):
            if call == "GET http://prices.internal/today":
                return {"currency": "EUR", "rates": {"oats": 3.2}}
    """


@pytest.hookspec
def pytest_evosearch_unit_arguments(
    config: pytest.Config, unit: str, parameter: str
) -> Iterable[object] | None:
    """Return what a function or class gets for a parameter in ``--evosearch-units``.

    It is called once for each parameter before the search.  The values of all implementations are
    joined.  If there are any, nothing else is passed.  A value must be one that a test can spell: a
    plain value, a member of an enum, a date, a record of these.  A function is called in each test,
    without arguments, and its result is passed.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_unit_arguments(config, unit, parameter):
            if parameter == "session":
                return [shop.testing.empty_session]
    """


@pytest.hookspec
def pytest_evosearch_request(config: pytest.Config, request: OutgoingRequest) -> None:
    """Change the headers, cookies, query or body of a request in place, before it is sent.

    The written tests send the changed requests as literals, so they pass without this hook.  A
    value that differs each time, such as a signature over the time, belongs into the project's own
    test client, which the tests use, too.  If this hook sets such a value, a notice at the start
    reports it.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_request(config, request):
            request.headers["X-Api-Version"] = "2024-06-01"
    """


@pytest.hookspec(firstresult=True)
def pytest_evosearch_unstable(config: pytest.Config, path: str, value: object) -> bool | str | None:
    """Return True (or why) where a response value must not be asserted, False where it can be.

    `path` is a place in JSON, ``$.items[0].created_at``, from the outermost ``$`` inwards, or the
    name of a header, ``Location``.  With None, repeating the test decides.  A test shows the reason
    beside the value, ``ANY  # chosen by the provider``.  A value that fails when the tests are
    verified is not asserted, whatever this hook returns.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_unstable(config, path, value):
            return "chosen by the provider" if path.endswith(".payment_id") else None
    """


@pytest.hookspec
def pytest_evosearch_oracles(config: pytest.Config) -> Iterable[AnyOracle]:  # type: ignore[empty-body]
    """Return oracles that judge every exchange, besides those of ``--evosearch-oracles``.

    An oracle has a ``code`` and ``judge(exchange, call)``, or ``judge_sequence(exchanges)`` and
    ``fewest_calls`` (`pytest_evosearch.oracles.oracle`).  Its faults are counted and reported like
    all faults, and a test shows what is expected instead.

    .. code-block:: python

        class NoFramesOracle:
            code = "framing-allowed"

            def judge(self, exchange, call):
                response = exchange.response
                if response and response.has_form and response.header("X-Frame-Options") is None:
                    wanted = Expectation("header", "X-Frame-Options", phrase="forbids_framing")
                    endpoint = exchange.request.endpoint
                    yield finding(self.code, endpoint, call, "form", "a form in a frame", wanted)


        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_oracles(config):
            return [NoFramesOracle()]

    (``from pytest_evosearch.hook_types import Expectation, finding``.)
    """


@pytest.hookspec(firstresult=True)
def pytest_evosearch_make_algorithm(
    config: pytest.Config, settings: Settings
) -> Callable[[SearchContext[Any]], SearchAlgorithm[Any]] | None:
    """Return what makes the algorithm called `settings.algorithm`; None for another hook's.

    It is called with a `pytest_evosearch.search.ask_and_tell.SearchContext`.  With this hook
    ``--evosearch-algorithm`` takes further names, and a shipped algorithm can be replaced.  One
    with a `parameters_type` also gets ``parameters``, from ``--evosearch-set NAME.FIELD=VALUE``.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_make_algorithm(config, settings):
            if settings.algorithm == "hill-climbing":
                from our_search import HillClimbing

                return HillClimbing
    """


@pytest.hookspec
def pytest_evosearch_modify_module(config: pytest.Config, module: WrittenModule) -> str | None:
    r"""Return another text for a module of tests before it is written, None for no change.

    Implementations are called one after the other, each with the result of the one before.  The
    text must stay Python with the tests of the given text.  Tests of earlier runs are in it with
    their changes: do not change them again.  What a hook added outside of tests is removed before
    the next call.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_modify_module(config, module):
            return "# SPDX-License-Identifier: MIT\n" + module.text
    """


@pytest.hookspec
def pytest_evosearch_finish(config: pytest.Config, outcome: Outcome) -> None:
    """Use the outcome after everything is written, for example to publish it.

    .. code-block:: python

        @pytest.hookimpl(optionalhook=True)
        def pytest_evosearch_finish(config, outcome):
            print(f"{outcome.tests} tests, {len(outcome.faults)} faults")
    """
