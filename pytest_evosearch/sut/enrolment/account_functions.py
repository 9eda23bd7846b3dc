"""Functions of the project that create accounts: ``add_admin(name, password)``.

A function counts when its name says that it creates something and it takes a password. Other
required parameters must be a person's name, a text, or the application.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from types import FunctionType
from types import ModuleType
from typing import Any

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.enrolment.account_commands import MAKING
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import call_code
from pytest_evosearch.sut.enrolment.account_templates import is_name
from pytest_evosearch.sut.enrolment.account_templates import is_password

APPLICATION = ("app", "application")

_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class FunctionTemplate:
    """A function, and its module."""

    module: str
    function: Any
    parameters: tuple[Parameter, ...]
    application: str = ""
    """The first parameter, if it is the application."""

    @property
    def door(self) -> str:
        """Return the function's name for messages."""
        return f"{self.module}.{self.function.__name__}()"

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> FunctionTemplate:
        """Return a copy with the known parameters."""
        return replace(self, parameters=parameters)

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Call the function; raise its exception."""
        first = (app,) if self.application else ()
        with app.app_context():
            self.function(*first, **self._needed(values))

    def code(self, values: Mapping[str, object]) -> list[str]:
        """Return the statements that call the function."""
        name = self.function.__name__
        call = call_code(name, (), self._needed(values))
        if self.application:
            call = call.replace("(", "(app, ", 1)
        imported = f"from {self.module} import {name}"
        return [imported, "", "with app.app_context():", f"    {call}"]

    def _needed(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return the values that differ from the defaults."""
        defaults = {one.name: one.default for one in self.parameters if not one.required}
        return {
            name: value
            for name, value in values.items()
            if name not in defaults or value != defaults[name]
        }


def account_functions(app: Any, modules: Iterable[ModuleType]) -> Iterator[FunctionTemplate]:
    """Yield the functions of `modules` that may create an account; views do not count."""
    views = {inspect.unwrap(view) for view in app.view_functions.values()}
    for module in modules:
        for name, function in sorted(vars(module).items()):
            if not isinstance(function, FunctionType) or function.__module__ != module.__name__:
                continue
            if function in views or not MAKING & set(words_of(name)):
                continue
            template = _template(module.__name__, function)
            if template is not None:
                yield template


def _template(module: str, function: FunctionType) -> FunctionTemplate | None:
    given = list(inspect.signature(function).parameters.values())
    application = given[0].name if given and given[0].name in APPLICATION else ""
    parameters = [_parameter(one) for one in given[bool(application) :]]
    known = tuple(one for one in parameters if one is not None)
    if len(known) < len(parameters) or not any(is_password(one.name) for one in known):
        return None
    return FunctionTemplate(module, function, known, application)


def _parameter(given: inspect.Parameter) -> Parameter | None:
    """Return the parameter for an argument, None when it needs something other than a text."""
    default = given.default
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD, given.POSITIONAL_ONLY):
        return None
    if isinstance(default, bool):
        return Parameter(given.name, default, False, (default, not default))
    if default is not _EMPTY:
        plain = default if isinstance(default, (str, int, float)) else None
        return Parameter(given.name, plain, required=False)
    is_text = given.annotation in (str, "str") or given.name in ("role", "kind", "group")
    if is_text or is_name(given.name) or is_password(given.name):
        return Parameter(given.name)
    return None
