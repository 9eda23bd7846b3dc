"""Models of the project that hash passwords themselves: ``user.set_password("...")``.

A model of Flask-SQLAlchemy counts when its class has this kind of method, or a writable property
``password``. Its columns are filled like those of any row.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import DERIVE
from pytest_evosearch.core.vocabulary import MAKE
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import call_code
from pytest_evosearch.sut.enrolment.account_templates import is_name
from pytest_evosearch.sut.enrolment.account_templates import is_password
from pytest_evosearch.sut.rows.families import models_by_extension
from pytest_evosearch.sut.rows.kinds import RowModel

PASSWORD_VALUE = "password"
"""Name of the parameter for the method's argument."""

CONVENTION = frozenset((*DERIVE.words(), *MAKE.words(), "create", "set"))


@dataclass(frozen=True)
class ModelTemplate:
    """A model, and how to set the password of its rows."""

    session: str
    """Import path of the extension for a test, ``shop.models.db``."""
    model: RowModel
    method: str
    """The name of the method, empty for the property ``password``."""
    parameters: tuple[Parameter, ...]

    @property
    def door(self) -> str:
        """Return the model's name for messages."""
        setter = f".{self.method}()" if self.method else ".password"
        return f"{self.model.name}{setter}"

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> ModelTemplate:
        """Return a copy with the known parameters."""
        return replace(self, parameters=parameters)

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Add the row; raise the exception of doing so."""
        self.deed(values).run(app=app)

    def deed(self, values: Mapping[str, object]) -> Deed:
        """Return the statements that add the row to the database of ``app``."""
        module, _, kind = self.model.name.rpartition(".")
        home, _, session = self.session.rpartition(".")
        imports = [f"from {home} import {session}", f"from {module} import {kind}"]
        if home == module:
            imports = [f"from {module} import {', '.join(sorted((kind, session)))}"]
        password = call_code(f"row.{self.method}", (values[PASSWORD_VALUE],), {})
        if not self.method:
            password = f'row.password = "{values[PASSWORD_VALUE]}"'
        lines = (
            "with app.app_context():",
            f"    row = {call_code(kind, (), self._columns(values))}",
            f"    {password}",
            f"    {session}.session.add(row)",
            f"    {session}.session.commit()",
        )
        return Deed(lines, tuple(sorted(imports)))

    def _columns(self, values: Mapping[str, object]) -> dict[str, object]:
        defaults = {one.name: one.default for one in self.parameters if not one.required}
        return {
            name: value
            for name, value in values.items()
            if name != PASSWORD_VALUE and (name not in defaults or value != defaults[name])
        }


def account_models(app: Any) -> Iterator[ModelTemplate]:
    """Yield the models of `app` that set passwords."""
    _extension, session, models = models_by_extension(app)
    for model in models if session else ():
        method = _setter_of(model.kind)
        needs_no_other = not any(parent.needed for parent in model.parents.values())
        if method is not None and needs_no_other:
            yield ModelTemplate(session, model, method, _parameters(model))


def _setter_of(kind: type) -> str | None:
    """Return the method that sets a password, "" for a property, None without either."""
    for name, member in sorted(vars(kind).items()):
        words = set(words_of(name))
        if isinstance(member, property) and member.fset is not None and is_password(name):
            return "" if name == PASSWORD_VALUE else None
        if inspect.isfunction(member) and words & set(PASSWORD.words()) and words & CONVENTION:
            needed = [
                one
                for one in list(inspect.signature(member).parameters.values())[1:]
                if one.default is one.empty
            ]
            if len(needed) == 1 and needed[0].kind is needed[0].POSITIONAL_OR_KEYWORD:
                return name
    return None


def _parameters(model: RowModel) -> tuple[Parameter, ...]:
    found = [Parameter(PASSWORD_VALUE)]
    for attribute in model.kind.__mapper__.column_attrs:
        column, name = attribute.columns[0], attribute.key
        if model.gene.field(name) is not None and not _holds_a_hash(name):
            found.append(_parameter(name, column))
    return tuple(found)


def _parameter(name: str, column: Any) -> Parameter:
    """Return the parameter for a column: a name, a role from a list, a flag, or its default."""
    default = getattr(column.default, "arg", None)
    default = default if isinstance(default, (str, int, bool)) else None
    needed = default is None and column.server_default is None and not column.nullable
    options = tuple(getattr(column.type, "enums", None) or ())
    kind = column.type.python_type
    if options:
        return Parameter(name, default, needed, options)
    if kind is bool:
        first = bool(default)
        return Parameter(name, first if needed else default, needed, (first, not first))
    if kind is str:
        return Parameter(name, default, needed or (is_name(name) and default is None))
    return Parameter(name, 1 if needed else default, required=False)


def _holds_a_hash(name: str) -> bool:
    words = set(words_of(name))
    return bool(words & {"hash", "hashed", "digest", "salt"}) or is_password(name)
