"""Prepares the process for the import and creation of an application.

During their creation, applications parse `sys.argv` (here pytest's), change directory and call
`sys.exit`.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from pytest_evosearch.core.exception_texts import attribute_of
from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.isolation import os

MESSAGE_LIMIT = 200
"""Most characters of an exception's message in a line for the user."""

_OUR_FOLDER = Path(__file__).parents[1]
_BELOW_OURS = f"{_OUR_FOLDER}{os.sep}"


@contextmanager
def prepared_process(root: Path) -> Iterator[None]:
    """Give the application a clean `sys.argv` and `root` as its directory; restore both."""
    arguments = sys.argv
    directory = os.getcwd()
    sys.argv = [str(root / "app.py")]
    with suppress(OSError):
        os.chdir(root)
    try:
        yield
    finally:
        sys.argv = arguments
        with suppress(OSError):
            os.chdir(directory)


def is_context_pushed() -> bool:
    """Say whether an application or request context of Flask is pushed now.

    One that stays pushed while tests run is shared by all of their requests.
    """
    flask = sys.modules.get("flask")
    return flask is not None and bool(flask.has_app_context())


def add_to_path(directory: Path) -> None:
    """Put `directory` first in `sys.path`, for the whole run."""
    text = str(directory)
    if text not in sys.path:
        sys.path.insert(0, text)


def describe_exception(error: BaseException, root: Path) -> str:
    """Return ``RuntimeError: no key (shop/config.py:12)``: one line, the innermost own frame.

    An exit because of another exception says nothing by itself: that one follows.  A failed import
    that stands for another one is described by that.
    """
    shown = _wrapped_import(error)
    message = " ".join(message_of(shown).split())
    if len(message) > MESSAGE_LIMIT:
        message = message[: MESSAGE_LIMIT - 3] + "..."
    kind = type(shown).__name__
    text = f"{kind}: {message}" if message else kind
    position = _position(error, root)
    text = f"{text} ({position})" if position else text
    cause = error.__cause__ or error.__context__
    is_exit = isinstance(error, SystemExit) and isinstance(cause, Exception)
    return f"{text}, because of {describe_exception(cause, root)}" if cause and is_exit else text


def _wrapped_import(error: BaseException) -> BaseException:
    """Return the failed import that another one was raised for, as Werkzeug does; else `error`."""
    wrapped = error.__cause__ or attribute_of(error, "exception")
    if isinstance(error, ImportError) and isinstance(wrapped, ImportError):
        return _wrapped_import(wrapped)
    return error


def _position(error: BaseException, root: Path) -> str | None:
    """Return ``file:line`` of the innermost frame below `root`, or else of the innermost frame."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_relative(error.filename, root)}:{error.lineno}"
    frames = [
        (frame.filename, frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<")
        and not _is_ours(frame.filename)
        and not _is_import_machinery(frame.filename)
    ]
    own = [frame for frame in frames if is_project_file(Path(frame[0]), root)]
    chosen = own or frames
    if not chosen:
        return None
    name, line = chosen[-1]
    return f"{_relative(name, root)}:{line}"


def is_project_file(path: Path, root: Path) -> bool:
    """Say whether `path` is the project's own source: below `root`, outside environments."""
    try:
        return _is_project_folder(os.path.realpath(path.parent), os.path.realpath(root))
    except (OSError, ValueError):
        return False


def _is_project_folder(folder: str, root: str) -> bool:
    """Say whether files of `folder` belong to the project; both paths must be free of links."""
    inside = folder == root or folder.startswith(root.rstrip(os.sep) + os.sep)
    parts = folder[len(root) :].split(os.sep)
    return inside and "site-packages" not in parts and "dist-packages" not in parts


def project_modules(root: Path) -> list[ModuleType]:
    """Return the loaded modules of the project below `root`, without its tests."""
    found = []
    folders: dict[str, bool] = {}  # a thousand modules are in a hundred folders
    resolved: dict[str, str] = {}
    real_root = os.path.realpath(root)
    for name, module in list(sys.modules.items()):
        filename = getattr(module, "__file__", None)
        if not isinstance(module, ModuleType) or not isinstance(filename, str) or _is_test(name):
            continue
        folder = os.path.dirname(filename)
        if folder not in folders:
            place = _resolved(folder, resolved)
            folders[folder] = not _is_ours(filename) and _is_project_folder(place, real_root)
        if folders[folder]:
            found.append(module)
    return found


def _resolved(folder: str, known: dict[str, str]) -> str:
    """Return a folder without links; `realpath` would check each folder above for every module."""
    if folder not in known:
        parent, name = os.path.split(folder)
        if name and os.path.isabs(parent):
            place = os.path.join(_resolved(parent, known), name)
            known[folder] = os.path.realpath(place) if os.path.islink(place) else place
        else:
            known[folder] = os.path.realpath(folder)
    return known[folder]


def _is_test(module: str) -> bool:
    last = module.rpartition(".")[2]
    return last == "conftest" or last.startswith("test_") or last.endswith("_test")


def _is_ours(filename: str) -> bool:
    return filename.startswith(_BELOW_OURS)


def _is_import_machinery(filename: str) -> bool:
    return Path(filename).parent == Path(importlib.__file__).parent


def _relative(filename: str, root: Path) -> str:
    try:
        return Path(filename).resolve().relative_to(root.resolve()).as_posix()
    except (OSError, ValueError):
        return Path(filename).name
