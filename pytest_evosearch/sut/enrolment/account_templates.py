"""Ways in which an application makes an account, and what they take by name.

command     ``flask create-staff inga --role boss --password ...``
function    ``add_admin("inga", "...")``
model       ``Staff(login="inga", role="boss")``, then its own ``set_password``
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from typing import Protocol

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty

NAME = "inga"
EMAIL = "inga@example.org"
PASSWORDS = ("Cedar-2041", "Cedar-2041-juniper")
"""What is tried as a password: the second one is for those who want long ones."""


@dataclass(frozen=True)
class Parameter:
    """A value that a maker takes."""

    name: str
    default: object = None
    required: bool = True
    options: tuple[object, ...] = ()
    """All values that it may have, where that is known."""

    def filled(self, password: str) -> object:
        """Return the value for an account."""
        if self.options:
            return self.default if self.default in self.options else self.options[0]
        if is_password(self.name):
            return password
        if not self.required:
            return self.default
        return EMAIL if {"email", "mail"} & set(words_of(self.name)) else NAME


class Template(Protocol):
    """One way to make an account."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes."""
        ...

    @property
    def door(self) -> str:
        """How it is told: ``flask create-staff``."""
        ...

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> Template:
        """Return it with what is known to be taken."""
        ...

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Make the account; raise where that fails."""
        ...

    def code(self, values: Mapping[str, object]) -> list[str]:
        """Return the statements that do so, where ``app`` is the application."""
        ...


def is_password(name: str) -> bool:
    """Say whether a parameter is called like a password."""
    return PASSWORD.is_meant_by(name, Certainty.LIKELY) or bool(
        set(words_of(name)) & set(PASSWORD.words())
    )


def is_name(name: str) -> bool:
    """Say whether a parameter is called like the name of a person."""
    words = words_of(name)
    return LOGIN_NAME.is_meant_by(name) or bool(words and words[-1] == "name")


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
    if isinstance(value, str) and not any(sign in value for sign in "\"'\\\n"):
        return f'"{value}"'
    return repr(value)
