"""Accounts that an application makes itself, by the first way that works.

Where that takes a role from a list, or a flag, there is one account for each of them.  A way that
fails makes no account: each is tried in a fork before it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from itertools import islice
from typing import Any

from pytest_evosearch.sut.enrolment.account_commands import account_commands
from pytest_evosearch.sut.enrolment.account_functions import account_functions
from pytest_evosearch.sut.enrolment.account_models import account_models
from pytest_evosearch.sut.enrolment.account_templates import NAME
from pytest_evosearch.sut.enrolment.account_templates import PASSWORDS
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import Template
from pytest_evosearch.sut.enrolment.account_templates import is_password
from pytest_evosearch.sut.users.origins import origin_of

MOST_VARIANTS = 4
"""Accounts that are made in one way, each with other rights."""

MOST_TEMPLATES = 8
"""Ways that are tried at most: each runs code of the project."""


@dataclass(frozen=True)
class Proven:
    """A way that has made an account, and with which values."""

    door: str
    parameters: tuple[Parameter, ...]
    values: Mapping[str, object]
    stays: bool = False
    """The account is still there when the state of the application was brought back."""


@dataclass(frozen=True)
class AccountMaker:
    """Makes one account; another process can do so, too."""

    proven: Proven
    modules: tuple[str, ...]
    """Names of the modules of the application, whose functions are looked through."""
    values: Mapping[str, object]
    title: str = NAME
    """What its owner may be called."""
    _templates: list[Template] = field(default_factory=list, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return AccountMaker, (self.proven, self.modules, self.values, self.title)

    @property
    def door(self) -> str:
        """Return how the account is made, for the user."""
        return self.proven.door

    @property
    def password(self) -> str:
        """Return the password that was chosen, empty where there is none."""
        return next((str(self.values[name]) for name in self.values if is_password(name)), "")

    def __call__(self, client: Any) -> None:
        """Make the account in the application of a client; where it fails, there is none."""
        app = client.application
        with suppress(Exception, SystemExit):
            Context().run(self._template(app).run, app, self.values)

    def statements(self, app: Any) -> list[str]:
        """Return the statements of a fixture that makes the account of ``app``."""
        return self._template(app).code(self.values)

    def _template(self, app: Any) -> Template:
        if not self._templates:
            found = (one for one in templates(app, self.modules) if one.door == self.door)
            self._templates.append(next(found).with_parameters(self.proven.parameters))
        return self._templates[0]


def templates(app: Any, modules: Sequence[str], asked: bool = False) -> Iterator[Template]:
    """Yield the ways in which `app` may make accounts.

    With `asked` commands are run to know what they ask for.
    """
    yield from account_commands(app, asked)
    loaded = [sys.modules[name] for name in modules if name in sys.modules]
    yield from account_functions(app, loaded)
    yield from account_models(app)


def proven_template(app: Any, modules: Sequence[str], undo: Callable[[], object]) -> Proven | None:
    """Return the first way that makes an account of `app`; for a process that ends with it.

    `undo` brings the state of the application back, as far as that is possible.
    """
    for template in islice(templates(app, modules, asked=True), MOST_TEMPLATES):
        for password in PASSWORDS:
            filled = {one.name: one.filled(password) for one in template.parameters}
            with suppress(Exception, SystemExit):
                Context().run(template.run, app, filled)
                undo()
                stays = _is_kept(app, modules, filled)
                return Proven(template.door, template.parameters, filled, stays)
    return None


def makers_of(proven: Proven, modules: Sequence[str]) -> list[AccountMaker]:
    """Return what makes accounts in a way that is known to work, one for each role."""
    maker = AccountMaker(proven, tuple(modules), proven.values)
    return list(islice(_variants(maker), MOST_VARIANTS))


def _is_kept(app: Any, modules: Sequence[str], filled: Mapping[str, object]) -> bool:
    """Say whether the application still holds the name of an account."""
    loaded = [sys.modules[name] for name in modules if name in sys.modules]
    names = (
        value
        for name, value in filled.items()
        if isinstance(value, str) and value.startswith(NAME) and not is_password(name)
    )
    return any(origin_of(name, app, loaded) is not None for name in names)


def _variants(maker: AccountMaker) -> Iterator[AccountMaker]:
    """Yield the maker for each role that its parameters offer, the plain one first."""
    chosen = [one for one in maker.proven.parameters if len(one.options) > 1]
    roles = [one for one in chosen if all(isinstance(each, str) for each in one.options)]
    yield replace(maker, title=str(maker.values[roles[0].name])) if roles else maker
    for parameter in chosen:
        for option in parameter.options:
            if option != maker.values[parameter.name]:
                title = option if isinstance(option, str) else parameter.name.removeprefix("is_")
                values = {**maker.values, parameter.name: option}
                yield replace(maker, values=values, title=title)
