"""Finds the values of an application that a written test can read, each with its expression.

settings               ``app.config["KEYS"]["editor"]``
the application        ``app.door["keeper"]``, ``app.vault.codes[0]``
the environment        ``os.environ["API_KEY"]``
globals of modules     ``shop.auth.KEYS["editor"]``
files that these name  ``Path(app.config["KEY_FILE"]).read_text()``
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import BuiltinFunctionType
from types import FunctionType
from types import ModuleType
from typing import Any
from typing import NamedTuple

from werkzeug.local import LocalProxy

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.living import named_values
from pytest_evosearch.sut.state.application_state import names_of_plain_application

DEEPEST = 4
"""Most steps from a setting, an attribute or a global to the text."""

MOST_OBJECTS = 20_000

LARGEST_FILE = 100_000
"""Most bytes of a file that is searched for a secret."""

BEGINNING = 1024
"""Bytes of a file that show whether it is text."""

LONGEST_PATH = 400
"""Most characters of a text that may name a file."""

_WHOLE = frozenset({type(None), bool, int, float, complex})
"""Types of values without parts."""

_FUNCTIONS = frozenset({FunctionType, BuiltinFunctionType})


class Place(NamedTuple):
    """A value on the way, and the steps to it.

    It is a named tuple, because a search makes many of them after each call that may change state.
    """

    expression: str
    value: object
    owner: str = ""
    imports: tuple[str, ...] = ()
    is_setting: bool = False
    holder: Place | None = None
    """The container of the value; None for settings, attributes of the application and globals."""
    step: object = None
    """The key, number or name of the value in its container."""


def places(app: Any, modules: Sequence[ModuleType]) -> Iterator[Place]:
    """Yield places reachable from the application, the environment and modules, each once."""
    usual = names_of_plain_application() - {"extensions"}
    yield from _reached((*_at_application(app, usual), *_in_environment(), *_in(modules)), modules)


def _reached(roots: Iterable[Place], modules: Sequence[ModuleType]) -> Iterator[Place]:
    names = frozenset(module.__name__ for module in modules) | {"builtins", "types"}
    seen: set[int] = set()
    for root in roots:
        yield from _within(root, DEEPEST, names, seen)


def _at_application(app: Any, usual: AbstractSet[str]) -> Iterator[Place]:
    for name, value in list(app.config.items()):
        yield Place(f"app.config[{quoted(name)}]", value, str(name), is_setting=True)
    for name, value in list(vars(app).items()):
        if name not in usual and name.isidentifier():
            yield Place(f"app.{name}", value, name, is_setting=True)


def _in_environment() -> Iterator[Place]:
    for name, value in os.environ.items():
        expression = f"os.environ[{quoted(name)}]"
        yield Place(expression, value, name, ("import os",), is_setting=True)


def _in(modules: Sequence[ModuleType]) -> Iterator[Place]:
    loaded = (one for one in modules if sys.modules.get(one.__name__) is one)
    for module, name, value in named_values(one for one in loaded if one.__name__ != "__main__"):
        if not isinstance(value, ModuleType):
            # Not the module itself: a fixture may use its name for something else, such as `app`.
            yield Place(name, value, name, (f"from {module} import {name}",), is_setting=True)


def _within(place: Place, depth: int, names: AbstractSet[str], seen: set[int]) -> Iterator[Place]:
    value = place.value
    if type(value) is LocalProxy:  # stands for something else in each request
        return
    if isinstance(value, (str, bytes, Path)):
        yield place
        if place.is_setting:
            yield from _read(place)
        return
    if type(value) in _WHOLE:
        yield place
        return
    if id(value) in seen or len(seen) >= MOST_OBJECTS:
        return
    parts = list(_parts(place, names))
    if not parts:
        yield place
        return
    seen.add(id(value))
    yield place
    if depth:
        for part in parts:
            yield from _within(part, depth - 1, names, seen)


def _read(place: Place) -> Iterator[Place]:
    """Yield the content of a file that a place names, with and without its last line end."""
    if not _names_file(place.value):
        return
    text = _plain_text(Path(str(place.value)))
    code = f"Path({place.expression}).read_text()"
    for read, content in ((code, text), (f"{code}.strip()", text.strip())):
        if content:
            imports = (*place.imports, "from pathlib import Path")
            yield Place(read, content, place.owner, imports, True, place)


def _plain_text(path: Path) -> str:
    """Return the content of a text file; of a database or a picture, nothing."""
    try:
        with path.open("rb") as file:
            start = file.read(BEGINNING)
            content = b"" if b"\0" in start else start + file.read()
    except OSError:
        return ""
    return content.decode("utf-8", errors="replace").replace("\r\n", "\n")


def _names_file(value: object) -> bool:
    if not isinstance(value, (str, Path)) or not 0 < len(str(value)) <= LONGEST_PATH:
        return False
    try:
        found = os.stat(value)  # not by `Path`: a search asks this of all settings again and again
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST_FILE


def _parts(place: Place, names: AbstractSet[str]) -> Iterator[Place]:
    """Yield the contents of a container, or of an object of the application's own classes."""
    value, expression, imports = place.value, place.expression, place.imports
    if isinstance(value, dict):
        for key, each in list(value.items()):
            if isinstance(key, str):
                read = f"{expression}[{quoted(key)}]"
                yield Place(read, each, key, imports, holder=place, step=key)
            elif type(key) is int:
                read = f"{expression}[{key}]"
                yield Place(read, each, place.owner, imports, holder=place, step=key)
    elif isinstance(value, (list, tuple)):
        for index, each in enumerate(value):
            read, is_setting = f"{expression}[{index}]", place.is_setting
            yield Place(read, each, place.owner, imports, is_setting, place, index)
    elif _is_own(value, names) and hasattr(value, "__dict__"):
        for name, each in list(vars(value).items()):
            if name.isidentifier() and not name.startswith("__"):  # names of code are no secrets
                read, is_setting = f"{expression}.{name}", place.is_setting
                yield Place(read, each, place.owner, imports, is_setting, place, name)


def _is_own(value: object, names: AbstractSet[str]) -> bool:
    """Say whether an object, a class or a module belongs to the application."""
    if isinstance(value, (type, FunctionType)):
        return value.__module__ in names
    if isinstance(value, ModuleType):
        return value.__name__ in names
    return type(value).__module__ in names


def quoted(text: object) -> str:
    """Return a text as a literal in double quotes."""
    return str(json.dumps(str(text)))
