"""The pytest11 entry point: everything that happens before a search starts.

Every pytest run of each user who installed the package loads this module.  So it imports neither
Flask nor the engine; heavy modules are imported inside the hook that needs them.

    pytest_addhooks                 a finder that loads this plugin's modules, hooks for projects
    pytest_addoption                options and ini keys
    pytest_load_initial_conftests   the instrumenting finder and the stand-ins in `sqlite3` and
                                    `os`, before a conftest imports the app
    pytest_configure                Settings checked, the session plugin registered
    pytest_unconfigure              all of it removed
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from typing import Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import ExitStack

    from pytest_evosearch.bridge.imports.own_modules import OwnModuleFinder
    from pytest_evosearch.instrument import Recording

_make_key: Any = getattr(pytest, "StashKey", object)
"""pytest before 7 has no stash keys; a run without a search needs none."""

RECORDING: pytest.StashKey[Recording] = _make_key()
"""The recording of the installed finder; absent when there is none."""

STAND_INS: pytest.StashKey[ExitStack] = _make_key()
"""Removes the stand-ins in `sqlite3` and `os` again; absent when there are none."""

OWN_MODULES_NAME = "evosearch-own-modules"
"""Name of the finder for this plugin's modules; before the options there is no stash for it."""

PUT_BACK: pytest.StashKey[list[str]] = _make_key()
"""Lines about what was restored after another run died."""

UNKNOWN_OPTIONS: pytest.StashKey[list[str]] = _make_key()
"""Words that begin like this plugin's options, but are no options."""

UNFINISHED = "unfinished"
"""Folder of kept files (`core.failing.putting_back.PLACE`, which is not imported for this)."""

SERVERS = "servers.txt"
"""Journal of databases on servers (`bridge.left_servers.JOURNAL`)."""

SESSION_NAME = "evosearch-session"
"""Fixed name of the plugin object that runs the search; other plugins can find or block it."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the options and ini keys."""
    from pytest_evosearch.bridge.command_line.misspelt_options import refuse_values_of_switches
    from pytest_evosearch.bridge.command_line.pytest_options import add_options

    add_options(parser)
    config = pluginmanager.get_plugin("pytestconfig")
    if config is None:
        return
    try:
        refuse_values_of_switches(config)
    except pytest.UsageError:  # pytest_unconfigure is not called then
        _stop_serving_own_modules(pluginmanager)
        raise


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that a project may implement.

    pytest calls this hook first.  So this plugin's modules are loaded as they were installed from
    here on.
    """
    from pytest_evosearch.bridge.imports.own_modules import serve_own_modules

    pluginmanager.register(serve_own_modules(), OWN_MODULES_NAME)
    from pytest_evosearch import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True, hookwrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, Any, None]:
    """Install the finder now: in `pytest_configure` it would be too late for conftests.

    It is a wrapper, because another plugin of pytest imports the module of each warning in
    ``filterwarnings``, which may belong to the application.
    """
    from pytest_evosearch.bridge.command_line.pytest_options import is_requested
    from pytest_evosearch.bridge.command_line.pytest_options import is_update
    from pytest_evosearch.bridge.command_line.requirements import missing_requirements

    _put_back_after_death(early_config)
    wishes = early_config.known_args_namespace
    is_wanted = is_requested(wishes) or is_update(wishes)
    can_search = is_wanted and missing_requirements() is None
    if can_search:
        from pytest_evosearch.bridge.command_line.command_start import note_variables
        from pytest_evosearch.bridge.command_line.own_options import note_earlier_options

        note_variables(early_config)
        note_earlier_options(early_config)
    if can_search and is_requested(wishes):
        _start_instrumentation(early_config, args)
    elif _has_kept(early_config, SERVERS):
        _recover_servers(early_config)
    outcome = yield
    if outcome.excinfo is not None:  # a broken conftest.py: pytest_unconfigure is not called
        _stop_instrumentation(early_config)
    elif hasattr(early_config, "stash"):
        from pytest_evosearch.bridge.command_line.misspelt_options import take_out_unknown_options

        early_config.stash[UNKNOWN_OPTIONS] = take_out_unknown_options(parser, args)


def _has_kept(config: pytest.Config, name: str) -> bool:
    """Say whether a run that did not end has left something under `name`."""
    from pytest_evosearch.core.folder_names import KEPT

    places = (config.rootpath, config.invocation_params.dir)
    return any(root.joinpath(KEPT, name).exists() for root in places)


def _put_back_after_death(config: pytest.Config) -> None:
    """Undo what a killed run has changed."""
    if _has_kept(config, UNFINISHED):
        from pytest_evosearch.bridge.dead_runs import put_back_after_death

        config.stash[PUT_BACK] = put_back_after_death(config)


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Report what was restored, as soon as the terminal exists."""
    if lines := _stash_of(session.config).get(PUT_BACK, []):
        from pytest_evosearch.bridge.dead_runs import show

        show(session.config, lines)


def _stash_of(config: pytest.Config) -> Any:
    """Return the stash of `config`; for pytest before 7, a dict instead."""
    return getattr(config, "stash", {})


def _recover_servers(early_config: pytest.Config) -> None:
    from pytest_evosearch.bridge.left_servers import recover_servers

    stack = recover_servers(early_config)
    if stack is not None:
        early_config.stash[STAND_INS] = stack


def _start_instrumentation(early_config: pytest.Config, args: list[str]) -> None:
    from pytest_evosearch.bridge.command_line.command_start import note_start
    from pytest_evosearch.bridge.command_line.pytest_options import return_misplaced_path
    from pytest_evosearch.bridge.imports.instrumentation import install_stand_ins
    from pytest_evosearch.bridge.imports.instrumentation import start_instrumentation
    from pytest_evosearch.bridge.other_plugins import measure_nothing
    from pytest_evosearch.bridge.starting import start_watching

    note_start(early_config)
    measure_nothing(early_config, args)
    return_misplaced_path(early_config, args)
    early_config.stash[STAND_INS] = install_stand_ins(early_config)
    early_config.stash[STAND_INS].callback(start_watching(early_config).end)
    recording = start_instrumentation(early_config)
    if recording is not None:
        early_config.stash[RECORDING] = recording


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Check the settings early and register the search, unless this is an xdist worker."""
    if unknown := _stash_of(config).get(UNKNOWN_OPTIONS, []):
        from pytest_evosearch.bridge.command_line.misspelt_options import refuse_unknown_options

        refuse_unknown_options(unknown)
    from pytest_evosearch.bridge.command_line.pytest_options import is_requested
    from pytest_evosearch.bridge.command_line.pytest_options import is_update
    from pytest_evosearch.bridge.command_line.requirements import missing_requirements

    if is_requested(config.option) or is_update(config.option):
        lack = missing_requirements()
        if lack is not None:
            raise pytest.UsageError(lack)
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
    """Remove what was installed, because a process may have several pytest sessions."""
    _stop_instrumentation(config)
    _stop_serving_own_modules(config.pluginmanager)


def _stop_serving_own_modules(pluginmanager: pytest.PytestPluginManager) -> None:
    finder: OwnModuleFinder | None = pluginmanager.unregister(name=OWN_MODULES_NAME)
    if finder is not None:
        from pytest_evosearch.bridge.imports.own_modules import stop_serving

        stop_serving(finder)


def _stop_instrumentation(config: pytest.Config) -> None:
    if not hasattr(config, "stash"):  # pytest before 7: nothing was started
        return
    recording = config.stash.get(RECORDING, None)
    if recording is not None:
        del config.stash[RECORDING]
        recording.uninstall()
    stand_ins = config.stash.get(STAND_INS, None)
    if stand_ins is not None:
        del config.stash[STAND_INS]
        stand_ins.close()
