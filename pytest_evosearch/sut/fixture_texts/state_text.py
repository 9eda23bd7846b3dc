"""Writes fixtures that restore an application's state between written tests."""

from __future__ import annotations

import itertools
import random
import re
import sys
from collections import deque
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import MutableMapping
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import field
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.import_statements import is_spelled

_IMMUTABLE = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset)

ABSENT: Any = object()
"""Stands for a value that does not exist before requests are sent."""

LONGEST_STATEMENT = 75
"""Columns without indentation, few enough for the style of every project."""

THREADS_SECONDS = 5
"""Seconds to wait for a thread that took less than half of this in the search."""

CLOSURE = " -> "
"""Separates a function from the name of a variable in its closure, in places."""

_RESTORE = "Restore what the application keeps in {}."

_STANDARD = (
    "from copy import deepcopy",
    "from importlib import import_module",
    "from itertools import count",
)


@dataclass
class _Statements:
    """Statements that save values before a test, and restore them after it."""

    needs: set[str] = field(default_factory=set)
    """Names of the standard library that the statements use."""
    saving: list[str] = field(default_factory=list)
    restoring: list[str] = field(default_factory=list)

    def add(self, expression: str, value: Any, variable: str) -> bool:
        """Add statements that restore `value`, or remove an `ABSENT` one; say whether any exist."""
        lines = (
            _lines_for_absence(expression)
            if value is ABSENT
            else _lines_for(expression, value, variable, self.needs)
        )
        if lines is None:
            return False
        self.saving += lines[0]
        self.restoring += lines[1]
        return True

    def around_the_test(self) -> list[str]:
        """Return the body of a fixture that only saves and restores."""
        return [*self.saving, "yield", *self.restoring]


def state_fixture(
    modules: Iterable[ModuleType], places: Sequence[str], depends_on: str = ""
) -> str | None:
    """Return the source of an autouse fixture that restores `places` after each test.

    `places` are dotted names of globals (``shop.store.TODOS``). Returns None when plain Python can
    restore none of them.
    """
    by_name = {module.__name__: module for module in modules}
    imports: dict[str, None] = {}
    written = _Statements()
    for place, variable in _variable_names(places).items():
        module = _module_of(place, by_name)
        if module is None:
            continue
        expression = spelling_of(module.__name__) + place[len(module.__name__) :]
        if written.add(expression, _value_at(place, module), variable):
            imports[module.__name__] = None
    if not written.restoring:
        return None
    body = [*_import_lines(written.needs, imports), *written.around_the_test()]
    return _fixture(f"restored_state({depends_on})", _RESTORE.format("memory"), body)


def settings_fixture(client_fixture: str, refilled: Mapping[str, Any]) -> str:
    """Return the source of an autouse fixture that restores `app.config` after each test.

    `refilled` maps settings whose content changes to that content.
    """
    written = _Statements()
    for name, variable in _variable_names(sorted(refilled)).items():
        written.add(f'settings["{name}"]', refilled[name], variable)
    body = [
        *_import_lines(written.needs, ()),
        f"settings = {client_fixture}.application.config",
        "kept = dict(settings)",
        *written.saving,
        "",
        "yield",
        "",
        "settings.clear()",
        "settings.update(kept)",
        *written.restoring,
    ]
    return _fixture(
        f"restored_settings({client_fixture})", _RESTORE.format("its configuration"), body
    )


def application_fixture(client_fixture: str, held: Mapping[str, Any]) -> str | None:
    """Return the source of an autouse fixture that restores attributes of the application.

    `held` maps places (``backend``, ``extensions["store"]``) to values; `ABSENT` stands for those
    that only requests create. Returns None when plain Python can restore none of them.
    """
    written, cells = _Statements(), _Cells()
    for place, variable in _variable_names(sorted(held)).items():
        expression = cells.expression_of(place, variable) or f"application.{place}"
        if written.add(expression, held[place], variable):
            cells.use(place, variable)
    if not written.restoring:
        return None
    opening = [*cells.helper(), f"application = {client_fixture}.application", *cells.lines]
    return _fixture(
        f"restored_application({client_fixture})",
        _RESTORE.format("its attributes and functions" if cells.lines else "its attributes"),
        [*_import_lines(written.needs, ()), *opening, *written.around_the_test()],
    )


class _Cells:
    """The variables in closures that a fixture restores, each with a line that finds it."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def expression_of(self, place: str, variable: str) -> str:
        """Return the expression of a value in a closure, empty for another place."""
        return f"{self._name_of(variable)}.cell_contents" if CLOSURE in place else ""

    def use(self, place: str, variable: str) -> None:
        """Add the line that finds the variable of `place`."""
        function, *names = place.split(CLOSURE)
        found = f"application.{function}"
        for name in names[:-1]:
            found = f'cell({found}, "{name}").cell_contents'
        if names:
            self.lines.append(f'{self._name_of(variable)} = cell({found}, "{names[-1]}")')

    def helper(self) -> Sequence[str]:
        """Return the function that the lines need."""
        found = "function.__closure__[function.__code__.co_freevars.index(name)]"
        return ("def cell(function, name):", f"    return {found}", "") if self.lines else ()

    def _name_of(self, variable: str) -> str:
        return f"{variable.removeprefix('saved_')}_cell"


def files_fixture(patterns: Iterable[str], root: Path, folder: Path) -> str | None:
    """Return the source of an autouse fixture that removes the files that tests create.

    `patterns` match files and folders below `root`. The fixture is for a conftest.py in `folder`.
    Returns None without patterns.
    """
    globs = [f"project.glob({_quoted(pattern)})" for pattern in sorted(set(patterns))]
    if not globs or not folder.is_relative_to(root):
        return None
    found = [f"    return set({globs[0]})"]
    if len(globs) > 1:
        found = ["    return {", *(f"        *{one}," for one in globs), "    }"]
    body = [
        "from pathlib import Path",
        "",
        f"project = Path(__file__).resolve().parents[{len(folder.relative_to(root).parts)}]",
        "",
        "def files():",
        *found,
        "",
        "before = files()",
        "",
        "yield",
        "",
        "for path in sorted(files() - before, reverse=True):",
        "    if path.is_dir():",
        "        path.rmdir()",
        "    else:",
        "        path.unlink()",
    ]
    return _fixture("restored_files()", "Remove the files that the application creates.", body)


def threads_fixture(client_fixture: str) -> str:
    """Return the source of an autouse fixture that waits for the threads of a test.

    These threads change the application's state. Pytest sets up autouse fixtures in the order of
    their names, so this one ends before those that restore state.
    """
    body = [
        "import threading",
        "",
        "before = threading.enumerate()",
        "",
        "yield",
        "",
        "for thread in threading.enumerate():",
        "    if thread not in before:",
        f"        thread.join(timeout={THREADS_SECONDS})",
    ]
    summary = "Wait for the threads that the application starts."
    return _fixture(f"threads_ended({client_fixture})", summary, body)


def _quoted(text: str) -> str:
    """Return a literal in double quotes, where the text has none and is printable."""
    is_plain = text.isprintable() and not set(text) & {'"', "\\"}
    return f'"{text}"' if is_plain else repr(text)


def _fixture(signature: str, summary: str, body: Iterable[str]) -> str:
    return "\n".join(
        [
            "@pytest.fixture(autouse=True)",
            f"def {signature}:",
            f'    """{summary}"""',
            *(f"    {line}" if line else "" for one in body for line in _broken(one)),
        ]
    )


def _broken(statement: str) -> list[str]:
    """Return the lines of a statement; a call that is too long takes three, in black's style."""
    opening = _last_opening(statement)
    if len(statement) <= LONGEST_STATEMENT or opening in (0, len(statement) - 2):
        return [statement]
    return [statement[: opening + 1], f"    {statement[opening + 1 : -1]},", ")"]


def _last_opening(statement: str) -> int:
    """Return the index of the parenthesis that the last character closes, 0 without one."""
    depth = 0
    for place in range(len(statement) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(statement[place], 0)
        if depth == 0:
            return place if statement[place] == "(" else 0
    return 0


def _import_lines(needs: set[str], modules: Iterable[str]) -> list[str]:
    spellings = {name: spelling_of(name) for name in sorted(modules)}
    hidden = {name: spelling for name, spelling in spellings.items() if spelling != name}
    wanted = needs | {"import_module"} if hidden else needs
    standard = [line for line in _STANDARD if line.rpartition(" ")[2] in wanted]
    plain = [f"import {name}" for name in spellings if name not in hidden]
    fetched = [f'{spelling} = import_module("{name}")' for name, spelling in hidden.items()]
    blocks = [block for block in (standard, plain, fetched) if block]
    return [line for block in blocks for line in (*block, "")]


def spelling_of(name: str) -> str:
    """Return how a test refers to a module: by its name, or by a variable where that is impossible.

    After ``from shop.store import store`` in ``shop/__init__.py``, the name ``shop.store`` is a
    function.
    """
    if not is_spelled(name):
        return re.sub(r"\W", "_", name)
    inner = name
    while "." in inner:
        package, _, last = inner.rpartition(".")
        module = sys.modules.get(inner)
        if getattr(sys.modules.get(package), last, module) is not module:
            return name.replace(".", "_")
        inner = package
    return name


def _lines_for_absence(place: str) -> tuple[list[str], list[str]]:
    """Return the lines that remove what requests created in a module or a class."""
    owner, _, name = place.rpartition(".")
    return [], [f'if hasattr({owner}, "{name}"):', f"    del {place}"]


def _lines_for(
    place: str, value: Any, name: str, needs: set[str]
) -> tuple[list[str], list[str]] | None:
    """Return the lines that save `value` and those that restore it; None where impossible."""
    if isinstance(value, _IMMUTABLE):
        return [f"{name} = {place}"], [f"{place} = {name}"]
    if type(value) is itertools.count:
        needs.add("count")
        return [], [f"{place} = {value!r}"]
    if isinstance(value, random.Random):
        return [f"{name} = {place}.getstate()"], [f"{place}.setstate({name})"]
    if isinstance(value, (dict, set, list, bytearray, deque)):
        if not _is_copyable(value):
            return None
        needs.add("deepcopy")
        return [f"{name} = deepcopy({place})"], _refill(place, value, name)
    if isinstance(value, MutableMapping) and type(value).__module__.startswith("cachetools"):
        # It contains linked lists with slots, which deepcopy breaks.
        return [f"{name} = dict({place})"], _refill(place, value, name)
    return _lines_for_instance(place, value, name, needs)


def _refill(place: str, value: Any, name: str) -> list[str]:
    if isinstance(value, (list, bytearray)):
        return [f"{place}[:] = {name}"]
    method = "extend" if isinstance(value, deque) else "update"
    return [f"{place}.clear()", f"{place}.{method}({name})"]


def _lines_for_instance(
    place: str, value: Any, name: str, needs: set[str]
) -> tuple[list[str], list[str]] | None:
    attributes = getattr(value, "__dict__", None)
    if not isinstance(attributes, dict):
        return None
    counters = {key: held for key, held in attributes.items() if type(held) is itertools.count}
    rest = {key: held for key, held in attributes.items() if key not in counters}
    if not _is_copyable(rest):
        return _lines_for_parts(place, attributes, name, needs)
    needs.add("deepcopy")
    if not counters:
        return [f"{name} = deepcopy(vars({place}))"], _refill(f"vars({place})", rest, name)
    needs.add("count")
    chosen = ", ".join(f'"{key}"' for key in rest)
    kept = f"deepcopy({{key: vars({place})[key] for key in ({chosen},)}})" if rest else "{}"
    fresh = [f"{place}.{key} = {held!r}" for key, held in counters.items()]
    return [f"{name} = {kept}"], [f"vars({place}).update({name})", *fresh]


def _lines_for_parts(
    place: str, attributes: Mapping[str, Any], name: str, needs: set[str]
) -> tuple[list[str], list[str]] | None:
    """Return the lines for an instance some of whose attributes cannot be copied: these stay."""
    copied = [
        key
        for key, held in attributes.items()
        if not isinstance(held, _IMMUTABLE) and _is_copyable(held)
    ]
    kept = [f"{name} = dict(vars({place}))"]
    if copied:
        needs.add("deepcopy")
        chosen = ", ".join(map(_quoted, copied))
        kept += [f"for key in ({chosen},):", f"    {name}[key] = deepcopy({name}[key])"]
    return kept, _refill(f"vars({place})", attributes, name)


def _is_copyable(value: Any) -> bool:
    try:
        deepcopy(value)
    except Exception:
        return False
    return True


def _module_of(place: str, modules: dict[str, ModuleType]) -> ModuleType | None:
    """Return the innermost module that contains `place`; a place may have the name of a module."""
    name = place.rpartition(".")[0]
    while name:
        if name in modules:
            return modules[name]
        name = name.rpartition(".")[0]
    return None


def _value_at(place: str, module: ModuleType) -> Any:
    value: Any = module
    for name in place[len(module.__name__) + 1 :].split("."):
        value = getattr(value, name, ABSENT)
    return value


def _variable_names(places: Sequence[str]) -> dict[str, str]:
    """Return a short, distinct name for the saved value of each place."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for place in sorted(places):
        spelled = [re.sub(r"\W+", "_", part) for part in place.replace(CLOSURE, ".").split(".")]
        parts = [part.strip("_").lower() for part in spelled]
        length = 1
        while (name := "_".join(parts[-length:]) or "value") in taken and length < len(parts):
            length += 1
        taken.add(name)
        names[place] = f"saved_{name}"
    return names
