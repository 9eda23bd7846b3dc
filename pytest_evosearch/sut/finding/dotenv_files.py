"""Variables that the ``flask`` command reads from ``.env`` and ``.flaskenv``.

Flask itself reads them: ``.env`` goes before ``.flaskenv``, and the environment before both. The
written tests read the files again, because these may contain secrets.
"""

from __future__ import annotations

import importlib.util
import os
import re
from contextlib import suppress
from pathlib import Path

from pytest_evosearch.sut.import_statements import place_beside
from pytest_evosearch.sut.surroundings import prepared_process

NAMES = (".flaskenv", ".env")
"""The files; a later one goes before an earlier one."""

OF_THE_COMMAND = "FLASK_(APP|DEBUG|ENV|RUN_)"
"""Beginnings of variables for the command alone.

``FLASK_DEBUG`` would decide whether exceptions leave the test client.
"""

FIXTURE = '''\
@pytest.fixture(scope="session", autouse=True)
def added_variables_of_files():
    """Set what the flask command reads from {names}."""
    from dotenv import dotenv_values

    found = {{}}
    for file in ({files}):
        found.update(dotenv_values(file))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in found.items():
            if value is not None and name not in os.environ:
                if not re.match("{excluded}", name):
                    patch.setenv(name, value)
        yield
'''


def variables_of_the_command(root: Path) -> dict[str, str]:
    """Return what ``flask``, started in `root`, would add to the environment.

    The result is empty without python-dotenv, and for a file that is not UTF-8.
    """
    if importlib.util.find_spec("dotenv") is None:
        return {}
    import flask.cli

    kept = dict(os.environ)
    try:
        with prepared_process(root), suppress(UnicodeDecodeError):
            flask.cli.load_dotenv()
        return {name: value for name, value in os.environ.items() if name not in kept}
    finally:
        for name in [name for name in os.environ if name not in kept]:
            del os.environ[name]


def variables_of_files(root: Path) -> dict[str, str]:
    """Return those of `variables_of_the_command` that are for the application."""
    found = variables_of_the_command(root)
    return {name: text for name, text in found.items() if not re.match(OF_THE_COMMAND, name)}


def files_of(root: Path) -> list[Path]:
    """Return the files that ``flask``, started in `root`, reads; each may be in a folder above."""
    from dotenv import find_dotenv

    with prepared_process(root):
        found = [find_dotenv(name, usecwd=True) for name in NAMES]
    return [Path(one) for one in found if one]


def source_of(root: Path, folder: Path) -> str:
    """Return the fixture of a conftest.py in `folder` that sets the variables of the files."""
    files = files_of(root)
    places = [f"pathlib.{place_beside(folder, file)}," for file in files]
    return FIXTURE.format(
        names=" and ".join(file.name for file in files),
        files=" ".join(places),
        excluded=OF_THE_COMMAND,
    )
