"""Ways in which an application makes an account, and what they take by name.

command     ``flask create-staff inga --role boss --password ...``
model       ``Staff(login="inga", role="boss")``, then its own ``set_password``
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.sut.deeds import Deed

NAME = "inga"
EMAIL = "inga@example.org"
PASSWORDS = ("Cedar-2041", "Cedar-2041-juniper")
"""Passwords to try: the second one satisfies rules for long ones."""


@dataclass(frozen=True)
class Parameter:
    """A value that an account template takes."""

    name: str
    default: object = None
    required: bool = True
    options: tuple[object, ...] = ()
    """All possible values, where they are known."""

    def filled(self, password: str) -> object:
        """Return the value of this parameter for an account."""
        if self.options:
            return self.default if self.default in self.options else self.options[0]
        if is_password(self.name):
            return password
        if not self.required:
            return self.default
        return EMAIL if {"email", "mail"} & set(words_of(self.name)) else NAME


class Template(Protocol):
    """One way to create an account."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of this way."""
        ...

    @property
    def door(self) -> str:
        """Name of this way in messages: ``flask create-staff``."""
        ...

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> Template:
        """Return a copy with the known parameters."""
        ...

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Create the account; raise where that fails."""
        ...

    def deed(self, values: Mapping[str, object]) -> Deed:
        """Return the statements that create it, where ``app`` is the application."""
        ...


def is_password(name: str) -> bool:
    """Say whether a parameter has the name of a password."""
    return PASSWORD.is_meant_by(name, Certainty.LIKELY) or bool(
        set(words_of(name)) & set(PASSWORD.words())
    )


def is_name(name: str) -> bool:
    """Say whether a parameter has the name of a person's name."""
    return LOGIN_NAME.is_meant_by(name, Certainty.POSSIBLE)


def call_code(function: str, positional: Sequence[object], named: Mapping[str, object]) -> str:
    """Return a call as source, with the quotes that black prefers."""
    written = [_literal(value) for value in positional]
    written += [f"{name}={_literal(value)}" for name, value in named.items()]
    return f"{function}({', '.join(written)})"


def _literal(value: object) -> str:
    if isinstance(value, dict):
        pairs = (f"{_literal(name)}: {_literal(each)}" for name, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, str) and not any(sign in value for sign in "\"'\\"):
        return f'"{repr(value)[1:-1]}"'
    return repr(value)
