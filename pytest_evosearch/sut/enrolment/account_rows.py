"""Accounts that are one row of a person, where the application has no other way to an account.

    Flask-Login    a row of the class that has what this extension asks of users; it is logged in
    other log-ins  a row of a table in which a log-in has found no one

Each text of the row is another one: so a comparison shows in which column its value is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from itertools import count
from types import ModuleType
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.enrolment.account_templates import EMAIL
from pytest_evosearch.sut.enrolment.account_templates import NAME
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import is_name
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.rows.families import row_families
from pytest_evosearch.sut.rows.kinds import FoundRow
from pytest_evosearch.sut.rows.kinds import RowModel
from pytest_evosearch.sut.rows.kinds import RowToPlace
from pytest_evosearch.sut.rows.placing import RowPlacer
from pytest_evosearch.sut.users.minted_users import IDENTITIES
from pytest_evosearch.sut.users.session_users import session_users


class RowRefused(Exception):
    """Says that the database, or the application, does not accept the row."""


class MadeValue(NamedTuple):
    """A value that a test makes by code: the hash of a password."""

    value: str
    code: str
    imports: str


@dataclass(frozen=True)
class RowTemplate:
    """The row of a person, and the rows that it refers to."""

    placer: RowPlacer
    models: tuple[RowModel, ...]
    """The models of the rows, those referred to first."""
    parameters: tuple[Parameter, ...]
    is_logged_in: bool = False
    """Whether Flask-Login logs the row in, without a request."""
    _placed: list[tuple[FoundRow, ...]] = field(default_factory=list, compare=False)
    _users: list[tuple[User, str]] = field(default_factory=list, compare=False)

    @property
    def door(self) -> str:
        """Return what the row is, for messages."""
        return f"a row of {self.models[-1].name}"

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> RowTemplate:
        """Return a copy with the known parameters."""
        return replace(self, parameters=parameters)

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Add the rows; raise `RowRefused` where this fails, or no one can be logged in."""
        self.placed(values)
        if self.is_logged_in:
            self.user(app, values)

    def placed(self, values: Mapping[str, object]) -> tuple[FoundRow, ...]:
        """Add the rows, and return how a test adds them."""
        plain = {name: _plain(value) for name, value in values.items()}
        rows = [
            RowToPlace(model.name, _of_model(model, plain, is_own=model is self.models[-1]))
            for model in self.models
        ]
        found = self.placer.place(rows)
        if found is None:
            raise RowRefused(self.door)
        return found

    @property
    def source(self) -> str:
        """Return the fixture that logs the row in, empty where none was needed so far."""
        return self._users[0][1] if self._users else ""

    def user(self, app: Any, values: Mapping[str, object]) -> tuple[User, str]:
        """Return the user of Flask-Login whose row was added, and the fixture that logs in."""
        if not self._users:
            texts = [str(value) for value in values.values() if isinstance(value, str)]
            users, source = session_users(app, "{client}", (*IDENTITIES, *texts))
            if not users:
                raise RowRefused(self.door)
            self._users.append((next(iter(users.values())), source))
        return self._users[0]

    def deed(self, _values: Mapping[str, object]) -> Deed:
        """Return nothing: `engine.preparing` writes the rows that `placed` returns."""
        return Deed(())


def user_rows(
    app: Any, modules: Sequence[ModuleType], statements: Iterable[str] = ()
) -> Iterator[RowTemplate]:
    """Yield the rows that may be accounts.

    These are rows of the tables that `statements` name; without statements, rows that Flask-Login
    can log in.
    """
    words = {word.lower() for text in statements for word in re.findall(r"\w+", text)}
    for family in row_families(app, modules):
        known = {model.name: model for model in family.models}
        for model in family.models:
            is_wanted = model.table in words if words else _is_user(model.kind)
            chain = _with_parents(model, known, ()) if is_wanted else None
            if chain:
                parameters = tuple(_parameters(chain))
                yield RowTemplate(RowPlacer([family]), chain, parameters, not words)


def _is_user(kind: Any) -> bool:
    """Say whether a class has what Flask-Login asks of users."""
    asked = getattr(sys.modules.get("flask_login"), "UserMixin", None)
    names = [name for name in vars(asked) if not name.startswith("__")] if asked else []
    return isinstance(kind, type) and bool(names) and all(hasattr(kind, name) for name in names)


def _with_parents(
    model: RowModel, known: Mapping[str, RowModel], before: tuple[str, ...]
) -> tuple[RowModel, ...] | None:
    """Return a model after those that its rows must refer to; None where they need one another."""
    found: dict[str, RowModel] = {}
    for parent in model.parents.values():
        if parent.needed and parent.model not in found:
            if parent.model not in known or parent.model in (*before, model.name):
                return None
            chain = _with_parents(known[parent.model], known, (*before, model.name))
            if chain is None:
                return None
            found.update((one.name, one) for one in chain)
    return (*found.values(), model)


def _parameters(models: Sequence[RowModel]) -> Iterator[Parameter]:
    """Yield the values of all rows; names of other rows begin with their models."""
    numbers = count(1)
    own = models[-1]
    named = [one.name for one in own.gene.fields if is_name(one.name)] or [
        one.name for one in own.gene.fields if isinstance(_plain_gene(one.gene), TextGene)
    ]
    for model in models:
        for one in model.gene.fields:
            gene = _plain_gene(one.gene)
            name = one.name if model is own else f"{model.name}.{one.name}"
            is_main = model is own and one.name in named[:1]
            options = tuple(_options(model, one.name, gene, is_main, numbers))
            if options:
                yield Parameter(name, options[0], one.required, options)
            elif one.required:
                yield Parameter(name, gene.value(), True, (gene.value(),))


def _options(
    model: RowModel, column: str, gene: Gene, is_main: bool, numbers: Iterator[int]
) -> Iterator[object]:
    """Yield the values that a column may have: a text, the words of a choice, or both flags."""
    default = _default(model.kind, column)
    if isinstance(gene, EnumGene):
        yield from gene.options
    elif isinstance(gene, BooleanGene):
        yield from (bool(default), not default)
    elif isinstance(default, str) and not is_main:
        yield default
    elif isinstance(gene, TextGene) and column not in model.temporal:
        is_mail = bool({"email", "mail"} & set(words_of(column)))
        text = EMAIL if is_mail else NAME if is_main else f"{column} {next(numbers)}"
        yield text[-(gene.maximum_length or len(text)) :]


def _default(kind: Any, column: str) -> object:
    """Return the plain default of a model's column, None without one."""
    with suppress(Exception):
        return getattr(kind.__mapper__.column_attrs[column].columns[0].default, "arg", None)
    return None


def _plain_gene(gene: Gene) -> Gene:
    return gene.gene if isinstance(gene, OptionalGene) else gene


def _plain(value: object) -> object:
    return value.value if isinstance(value, MadeValue) else value


def _of_model(model: RowModel, values: Mapping[str, object], is_own: bool) -> dict[str, object]:
    prefix = "" if is_own else f"{model.name}."
    return {
        one.name: values[prefix + one.name]
        for one in model.gene.fields
        if prefix + one.name in values
    }


def with_code(
    rows: Sequence[FoundRow],
    values: Mapping[str, object],
    spelt: Callable[[str], object],
) -> tuple[FoundRow, ...]:
    """Return the rows of an account as tests write them, with code in place of made values."""
    made = {one.value: one for one in values.values() if isinstance(one, MadeValue)}
    return tuple(
        row._replace(
            values={
                name: spelt(made[value].code) if isinstance(value, str) and value in made else value
                for name, value in row.values.items()
            }
        )
        for row in rows
    )


def imports_of(values: Collection[object]) -> list[str]:
    """Return what a test imports to make the values of an account."""
    return [one.imports for one in values if isinstance(one, MadeValue)]
