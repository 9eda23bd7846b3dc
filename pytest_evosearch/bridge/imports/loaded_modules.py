"""Imports modules again that a plugin imported before the application could be instrumented.

A package that brings its own plugin (an entry point ``pytest11``, ``-p``) is imported with it:

    old modules out of sys.modules -> imported again, instrumented
        -> the plugin's module, which pytest holds, gets the content of the new one

pytest looks for fixtures in that module later, and finds the new ones.  A package that cannot be
imported twice stays as it is, and a notice reports it.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from pytest_evosearch.instrument import Recording
from pytest_evosearch.instrument import Selection

RELOADED: pytest.StashKey[str] = pytest.StashKey()
"""One line about what was imported again, or could not be; absent when there was nothing."""


def load_anew(config: pytest.Config, selection: Selection, recording: Recording) -> None:
    """Import the packages of loaded selected modules again; put one line into `RELOADED`."""
    early = _selected_modules(selection)
    if not early:
        return
    packages = {name.partition(".")[0] for name in early}
    old = {
        name: module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in packages and _is_source(module)
    }
    notice = f"{', '.join(sorted(packages))} was imported before the search, by a plugin of pytest"
    for name in old:
        del sys.modules[name]
    try:
        for name in old:
            importlib.import_module(name)
    except Exception as error:
        for name in [one for one in sys.modules if one.partition(".")[0] in packages]:
            del sys.modules[name]
        sys.modules.update(old)
        config.stash[RELOADED] = (
            f"{notice}, and cannot be imported again ({type(error).__name__}: {error}): its code "
            "is not instrumented; import it inside the fixtures and hooks of the plugin"
        )
        return
    for plugin in config.pluginmanager.get_plugins():
        if isinstance(plugin, ModuleType) and old.get(plugin.__name__) is plugin:
            vars(plugin).update(vars(sys.modules[plugin.__name__]))
    config.stash[RELOADED] = f"{notice}: it was loaded again, with probes"
    recording.attach_loaded(_plain(selection))


def _selected_modules(selection: Selection) -> list[str]:
    found = []
    for name, module in list(sys.modules.items()):
        if selection.may_accept(name) and _is_source(module):
            file = selection.file_of(str(module.__file__))
            if file is not None and selection.accepts(name, file):
                found.append(name)
    return found


def _plain(selection: Selection) -> list[str]:
    """Return the selected modules that are loaded without probes."""
    return [
        name
        for name in _selected_modules(selection)
        if not type(sys.modules[name].__loader__).__module__.startswith("pytest_evosearch.")
    ]


def _is_source(module: ModuleType | None) -> bool:
    return str(getattr(module, "__file__", None)).endswith(".py")
