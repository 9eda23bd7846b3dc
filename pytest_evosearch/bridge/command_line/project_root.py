"""Where the project begins: pytest's root folder, or an application's own folder below it.

A repository may have one configuration, or one ``setup.py``, and many small applications below
``examples``.  A user who starts pytest in the folder of such an application means that application.
It is a folder that ``flask run`` would serve, or that is a package of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

SERVED = ("app.py", "wsgi.py", "app/__init__.py", ".flaskenv")
"""Files by which ``flask run`` finds an application without further options."""

PACKAGED = ("pyproject.toml", "setup.py", "setup.cfg")
"""Files of a folder that is a project of its own, below the folder of pytest's configuration."""


def project_root(config: pytest.Config) -> Path:
    """Return the folder whose application is searched.

    It is pytest's own root folder in four cases: that folder was given, it has an application,
    arguments say what to collect, or a ``conftest.py`` lies above the current folder.
    """
    root, here = config.rootpath, config.invocation_params.dir
    given = config.known_args_namespace
    if given.file_or_dir or given.rootdir or root not in here.parents:
        return root
    above = [folder for folder in here.parents if folder == root or root in folder.parents]
    if _is_served(root) or any((folder / "conftest.py").exists() for folder in above):
        return root
    return here if _is_served(here) or _has(here, PACKAGED) else root


def _is_served(folder: Path) -> bool:
    return _has(folder, SERVED)


def _has(folder: Path, names: Sequence[str]) -> bool:
    return any((folder / name).exists() for name in names)
