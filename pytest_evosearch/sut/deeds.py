"""The text is the program: what a written test does in its fixtures, the search does by that text.

    Deed(('login_as(client, "2")',))    lines, run with values for the names that they use
    fixture_function(source)            the function of a fixture, to be called with other fixtures
    defined(text)["connect"]            a function or class that a fixture puts somewhere

Each text is compiled once, however often it runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from types import FunctionType
from types import SimpleNamespace
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.import_statements import importable

_MOST_TEXTS = 512
"""Compiled texts that are kept: more than one search runs."""


@dataclass(frozen=True)
class Deed:
    """Lines that a fixture contains, and what they need besides."""

    lines: tuple[str, ...]
    imports: tuple[str, ...] = ()
    """Statements before the lines; a fixture may have them at its top."""

    def run(self, **known: object) -> Any:
        """Run the lines with `known` names; return the value of the last one."""
        body, value = _compiled("\n".join((*self.imports, *self.lines)))
        names = {"__name__": __name__, **known}
        exec(body, names)
        return eval(value, names) if value is not None else None


@lru_cache(_MOST_TEXTS)
def _compiled(text: str) -> tuple[CodeType, CodeType | None]:
    """Return the code of a text without its last line, and of that line where it has a value."""
    tree = ast.parse(importable(text))
    value = None
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        value = compile(ast.Expression(last.value), "<deed>", "eval", dont_inherit=True)
        tree.body.pop()
    return compile(tree, "<deed>", "exec", dont_inherit=True), value


@lru_cache(_MOST_TEXTS)
def fixture_function(source: str, conftest: str = "conftest.py") -> Callable[..., Any]:
    """Return the function of a fixture in a text, which takes what the fixture requests.

    `conftest` is the path of the file that contains the text.
    """
    pytest = SimpleNamespace(fixture=lambda function: function)
    names = defined(importable(source), conftest, pytest=pytest, __file__=conftest)
    return next(one for one in reversed(names.values()) if isinstance(one, FunctionType))


def defined(text: str, file: str = "<deed>", **known: object) -> dict[str, Any]:
    """Return the functions and classes of a text, which uses `known` names, with these names."""
    names = {"__name__": __name__, **known}
    exec(compile(text, file, "exec", dont_inherit=True), names)
    return names
