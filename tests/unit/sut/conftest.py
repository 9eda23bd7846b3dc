from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

APPS = Path(__file__).parents[2] / "apps"


@pytest.fixture
def apps(monkeypatch):
    """The folder of small applications, importable; what is imported is forgotten again."""
    monkeypatch.syspath_prepend(str(APPS))
    before = set(sys.modules)
    yield APPS
    for name in set(sys.modules) - before:
        source = getattr(sys.modules[name], "__file__", None) or ""
        if source.startswith(str(APPS)):
            del sys.modules[name]


@pytest.fixture
def module(monkeypatch):
    """The module of an application, importable by name."""
    module = ModuleType("application_of_accounts")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


@pytest.fixture
def load(apps):
    """Import one of the small applications afresh."""

    def load_module(name):
        sys.modules.pop(name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return load_module


def _lies_in(module, folder):
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(str(place).startswith(str(folder)) for place in places)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project that does not lie in the temporary folder, and is the current one."""
    folder = tmp_path / "project"
    temporary = tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.chdir(folder)
    path, modules = list(sys.path), set(sys.modules)
    yield folder
    sys.path[:] = path
    new = {name: sys.modules[name] for name in set(sys.modules) - modules}
    # All at once: a package without a file asks for its parent.
    for name in [name for name, module in new.items() if _lies_in(module, folder)]:
        del sys.modules[name]


@pytest.fixture
def apache(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of passlib for the files of the web server Apache.

    Its import hashes a long text, which bcrypt refuses since 5.0 and cut before.
    """
    bcrypt = pytest.importorskip("bcrypt")
    hashed = bcrypt.hashpw
    monkeypatch.setattr(bcrypt, "hashpw", lambda password, salt: hashed(password[:72], salt))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # passlib imports `crypt`
        return importlib.import_module("passlib.apache")
