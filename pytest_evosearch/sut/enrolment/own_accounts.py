"""Accounts that an application creates itself, in the first way that works.

Where the way takes a role from a list, or a flag, there is one account for each value. Each way is
tried in a fork before it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from contextvars import Context
from dataclasses import field
from dataclasses import replace
from itertools import chain
from itertools import islice
from types import ModuleType
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.enrolment.account_commands import account_commands
from pytest_evosearch.sut.enrolment.account_models import account_models
from pytest_evosearch.sut.enrolment.account_rows import RowTemplate
from pytest_evosearch.sut.enrolment.account_rows import user_rows
from pytest_evosearch.sut.enrolment.account_templates import NAME
from pytest_evosearch.sut.enrolment.account_templates import PASSWORDS
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import Template
from pytest_evosearch.sut.enrolment.account_templates import is_password
from pytest_evosearch.sut.users.origins import origin_of

MOST_VARIANTS = 4
"""Most accounts of one way, each with other rights."""

MOST_TEMPLATES = 8
"""Most ways that are tried: each runs code of the project."""


@dataclass(frozen=True)
class Proven:
    """A way that has created an account, and its values."""

    door: str
    parameters: tuple[Parameter, ...]
    values: Mapping[str, object]
    stays: bool = False
    """Whether the account still exists after the state was restored."""
    modules: tuple[str, ...] = ()
    """Names of the application's modules."""
    statements: tuple[str, ...] = ()
    """Statements that looked for a person, where the account is a row."""


@dataclass(frozen=True)
class AccountMaker:
    """Creates one account; another process can use it, too."""

    proven: Proven
    values: Mapping[str, object]
    title: str = NAME
    """A title of the owner."""
    _templates: list[Template] = field(default_factory=list, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return AccountMaker, (self.proven, self.values, self.title)

    @property
    def door(self) -> str:
        """Return the way in which the account is created, for messages."""
        return self.proven.door

    @property
    def password(self) -> str:
        """Return the chosen password, empty without one."""
        return next((str(self.values[name]) for name in self.values if is_password(name)), "")

    def __call__(self, client: Any) -> None:
        """Create the account in the application of a client; on failure, there is none."""
        app = client.application
        with suppress(Exception, SystemExit):
            Context().run(self.template(app).run, app, self.values)
            row = self.row(app)
            if row is not None and row.is_logged_in:
                login = row.user(app, self.values)[0].login
                assert login is not None
                login(client)

    def deed(self, app: Any) -> Deed:
        """Return what a fixture does to create the account of ``app``."""
        return self.template(app).deed(self.values)

    def row(self, app: Any) -> RowTemplate | None:
        """Return the row that is the account, None where it is made otherwise."""
        template = self.template(app)
        return template if isinstance(template, RowTemplate) else None

    def template(self, app: Any) -> Template:
        """Return the way in which the account is made."""
        if not self._templates:
            rows = user_rows(app, _loaded(self.proven.modules), self.proven.statements)
            ways = chain(templates(app) if not self.proven.statements else (), rows)
            found = next(one for one in ways if one.door == self.door)
            self._templates.append(found.with_parameters(self.proven.parameters))
        return self._templates[0]


def templates(app: Any, asked: bool = False) -> Iterator[Template]:
    """Yield the ways in which `app` may create accounts.

    With `asked`, run commands to learn their prompts.
    """
    yield from account_commands(app, asked)
    yield from account_models(app)


def proven_template(
    app: Any,
    modules: Sequence[str],
    undo: Callable[[], object],
    statements: tuple[str, ...] | None = (),
) -> Proven | None:
    """Return the first way that creates an account of `app`; run this in a process that ends next.

    `undo` restores the state of the application, as far as possible.  With `statements`, only rows
    of their tables are tried; with None, no rows.
    """
    rows = user_rows(app, _loaded(modules), statements) if statements is not None else ()
    ways = rows if statements else chain(templates(app, asked=True), rows)
    for template in islice(ways, MOST_TEMPLATES):
        for password in PASSWORDS:
            filled = {one.name: one.filled(password) for one in template.parameters}
            with suppress(Exception, SystemExit):
                Context().run(template.run, app, filled)
                undo()
                stays = _is_kept(app, modules, filled)
                door, parameters = template.door, template.parameters
                known = tuple(modules), statements or ()
                return Proven(door, parameters, filled, stays, *known)
    return None


def makers_of(proven: Proven) -> list[AccountMaker]:
    """Return the account makers of a proven way, one for each role."""
    maker = AccountMaker(proven, proven.values)
    return list(islice(_variants(maker), MOST_VARIANTS))


def _is_kept(app: Any, modules: Sequence[str], filled: Mapping[str, object]) -> bool:
    """Say whether the application still contains the name of an account."""
    loaded = _loaded(modules)
    names = (
        value
        for name, value in filled.items()
        if isinstance(value, str) and value.startswith(NAME) and not is_password(name)
    )
    return any(origin_of(name, app, loaded) is not None for name in names)


def _loaded(modules: Iterable[str]) -> list[ModuleType]:
    return [sys.modules[name] for name in modules if name in sys.modules]


def _variants(maker: AccountMaker) -> Iterator[AccountMaker]:
    """Yield a maker for each role that its parameters offer, the plain one first.

    A flag that is taken away (``active=False``) is no role.
    """
    chosen = [one for one in maker.proven.parameters if len(one.options) > 1]
    roles = [one for one in chosen if all(isinstance(each, str) for each in one.options)]
    yield replace(maker, title=str(maker.values[roles[0].name])) if roles else maker
    for parameter in chosen:
        for option in parameter.options:
            if option is not False and option != maker.values[parameter.name]:
                title = option if isinstance(option, str) else parameter.name.removeprefix("is_")
                values = {**maker.values, parameter.name: option}
                yield replace(maker, values=values, title=title)
