"""The pytest11 entry point: everything that happens before a search is asked for.

Loaded in every pytest run of everyone who has the package installed, so it imports
neither Flask nor the engine: what is heavy is imported inside the hook that needs it.

    pytest_addoption                options and ini keys
    pytest_load_initial_conftests   the instrumenting finder and the stand-ins in `sqlite3` and
                                    `os`, before a conftest imports the app
    pytest_configure                Settings checked, the session plugin registered
    pytest_unconfigure              both removed
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import ExitStack
    from typing import Any

    from pytest_evosearch.instrument import Recording

RECORDING: pytest.StashKey[Recording] = pytest.StashKey()
"""Where the recording of the installed finder is kept; absent when there is none."""

STAND_INS: pytest.StashKey[ExitStack] = pytest.StashKey()
"""What takes the stand-ins in `sqlite3` and `os` away again; absent when there are none."""

SESSION_NAME = "evosearch-session"
"""Fixed name of the plugin object that runs the search, so that others can find or block it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the options and ini keys."""
    from pytest_evosearch.bridge.pytest_options import add_options

    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that a project may implement."""
    from pytest_evosearch import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, args: list[str]
) -> Generator[None, Any, None]:
    """Install the finder now: in `pytest_configure` the conftests have imported the application.

    A wrapper, since another one of pytest imports what ``filterwarnings`` names, which may be a
    warning of the application.
    """
    from pytest_evosearch.bridge.own_options import note_earlier_options
    from pytest_evosearch.bridge.pytest_options import is_requested
    from pytest_evosearch.bridge.pytest_options import is_update

    wishes = early_config.known_args_namespace
    if is_requested(wishes) or is_update(wishes):
        note_earlier_options(early_config)
    if is_requested(wishes):
        _start_instrumentation(early_config, args)
    else:
        _recover_servers(early_config)
    outcome = yield
    if outcome.excinfo is not None:  # a broken conftest.py: pytest ends without unconfiguring
        _stop_instrumentation(early_config)


def _recover_servers(early_config: pytest.Config) -> None:
    from pytest_evosearch.bridge.left_servers import recover_servers

    stack = recover_servers(early_config)
    if stack is not None:
        early_config.stash[STAND_INS] = stack


def _start_instrumentation(early_config: pytest.Config, args: list[str]) -> None:
    from pytest_evosearch.bridge.instrumentation import install_stand_ins
    from pytest_evosearch.bridge.instrumentation import start_instrumentation
    from pytest_evosearch.bridge.pytest_options import return_misplaced_path

    return_misplaced_path(early_config, args)
    early_config.stash[STAND_INS] = install_stand_ins(early_config)
    recording = start_instrumentation(early_config)
    if recording is not None:
        early_config.stash[RECORDING] = recording


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the settings eagerly and register the search, unless this is an xdist worker."""
    from pytest_evosearch.bridge.pytest_options import is_requested
    from pytest_evosearch.bridge.pytest_options import is_update

    if is_update(config.option) and not hasattr(config, "workerinput"):
        from pytest_evosearch.bridge.update_session import make_update

        config.pluginmanager.register(make_update(config), SESSION_NAME)
        return
    if not is_requested(config.option):
        return
    if hasattr(config, "workerinput"):
        _stop_instrumentation(config)
        return

    from pytest_evosearch.bridge.session import make_session

    recording = config.stash.get(RECORDING, None)
    config.pluginmanager.register(make_session(config, recording), SESSION_NAME)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what was installed: a process may hold several pytest sessions."""
    _stop_instrumentation(config)


def _stop_instrumentation(config: pytest.Config) -> None:
    recording = config.stash.get(RECORDING, None)
    if recording is not None:
        del config.stash[RECORDING]
        recording.uninstall()
    stand_ins = config.stash.get(STAND_INS, None)
    if stand_ins is not None:
        del config.stash[STAND_INS]
        stand_ins.close()
