"""Finds the units of modules: their functions, and the methods of their classes.

Names with a leading underscore belong to the module alone, unless the user names one.  What a
module imports is a unit of another module.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import pkgutil
import re
import sys
import typing
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from types import ModuleType
from typing import Any

from pytest_evosearch.core.exception_texts import attribute_of
from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.problem.units.code_uses import constructors_of
from pytest_evosearch.problem.units.code_uses import function_in
from pytest_evosearch.problem.units.code_uses import gives_nothing
from pytest_evosearch.problem.units.code_uses import is_left_open
from pytest_evosearch.problem.units.code_uses import uses_of
from pytest_evosearch.problem.units.fixed_reads import reads_of
from pytest_evosearch.problem.units.operators import OPERATORS
from pytest_evosearch.problem.units.operators import Operator
from pytest_evosearch.problem.units.own_classes import inherited_by
from pytest_evosearch.problem.units.own_classes import is_base
from pytest_evosearch.problem.units.public_places import defining_module
from pytest_evosearch.problem.units.public_places import public_module
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Parameter
from pytest_evosearch.problem.units.unit import Unit

_ANNOUNCED = re.compile(
    r"(?m)^\s*(?::raises?\s+([\w.]+)|([A-Z]\w*(?:Error|Exception))\s*:)|"
    r"\b[Rr]aises?\s+(?:an?\s+)?`*([A-Z]\w+)"
)
"""Exceptions that a docstring names: ``:raises KeyError:``, ``ValueError: if``, ``Raises X``."""

_CALLED_BY_PYTHON = frozenset({*OPERATORS, "__call__", "__enter__", "__aenter__"})
"""Special methods that are units, when a class of the project defines them."""


VALUE = Parameter("value", is_required=True)
"""The parameter of an enum, which gives the member with a value."""

_ENTERING = {"__enter__": Flavour.CONTEXT, "__aenter__": Flavour.ASYNC_CONTEXT}
"""Methods that a ``with`` statement calls."""

_OF_SETS = frozenset(
    name
    for name in {*dir(set)} - {*dir(object), "copy"}
    if hasattr(frozenset, name.removesuffix("_update")) or name == set.update.__name__
)
"""Methods of sets that take other sets, and operators."""


def modules_named(names: Sequence[str]) -> list[ModuleType]:
    """Import the modules that the user names; raise `InvalidSetting` with one line."""
    return [_imported(name) for name in dict.fromkeys(one.partition(":")[0] for one in names)]


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise InvalidSetting(
            f"--evosearch-units={name}: the module cannot be imported: "
            f"{text_of_exception(error):.200}"
        ) from error


def units_of(
    names: Sequence[str], only: Sequence[str] = (), skip: Sequence[str] = (), whole: bool = True
) -> list[Unit]:
    """Return the units that the user names, in the order of their definition.

    `names` are ``MODULE`` or ``MODULE:NAME``; `only` and `skip` are patterns of qualified names.
    With `whole`, a package stands for its public modules, too, which are imported.  What it takes
    from private modules and gives to others is its own.
    """
    wanted: dict[str, set[str]] = {}
    for name in names:
        path, _colon, inside = name.partition(":")
        wanted.setdefault(path, set()).add(inside)
    found = []
    for module in modules_named(names):
        asked = wanted[module.__name__]
        units = [one for one in _units_in(module) if _is_asked(one, asked)]
        if whole and "" in asked:
            contained = chain.from_iterable(map(_units_in, _modules_inside(module)))
            units += [one for one in contained if _is_asked(one, {""})]
        if not units:
            raise InvalidSetting(
                f"--evosearch-units={module.__name__}: no function or class is defined there"
                f"{'' if '' in asked else f' under the name {min(asked)}'}"
            )
        wanted_here = [one for one in units if not only or _matches(one, only)]
        needed = {one.key for one in wanted_here} | {one.owner for one in wanted_here}
        found += [one for one in units if one.key in needed]
    kept = {one.key: one for one in found if not _matches(one, skip)}
    return [one for one in kept.values() if not one.owner or one.owner in kept]


def _modules_inside(package: ModuleType) -> Iterator[ModuleType]:
    """Import the public modules of a package; one that cannot be imported is left out."""
    for found in pkgutil.iter_modules(getattr(package, "__path__", ()), f"{package.__name__}."):
        if found.name.rpartition(".")[2].startswith(("_", "test")):
            continue
        with contextlib.suppress(Exception):
            module = importlib.import_module(found.name)
            yield module
            yield from _modules_inside(module)


def constructing_units(kind: type) -> list[Unit]:
    """Return the units of the class methods that make objects of a class."""
    return [
        _unit(kind.__module__, f"{kind.__qualname__}.{name}", Kind.FUNCTION, function, 1)
        for name, function in constructors_of(kind)
    ]


def hidden_classes(modules: Iterable[ModuleType]) -> dict[str, type]:
    """Return the private classes of modules, of which functions may give objects, by their keys."""
    return {
        f"{module.__name__}:{name}": kind
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and kind.__module__ == module.__name__
        if name.startswith("_") and kind.__qualname__ == name
    }


def units_of_hidden(kind: type, makers: Sequence[str]) -> list[Unit]:
    """Return the units of a private class whose objects these functions give."""
    units = list(_units_of_class(kind.__module__, kind.__module__, kind, kind.__name__))
    own = [replace(one, made_by=tuple(makers)) for one in units if one.kind is Kind.CLASS]
    names = ((one, one.name.rpartition(".")[2]) for one in units if one.owner)
    public = [one for one, name in names if not name.startswith("_") or name in _CALLED_BY_PYTHON]
    return [*own, *public] if own else []


def is_between_equals(unit: Unit) -> bool:
    """Say whether a method mostly takes other objects of its own class.

    Operators such as ``+`` do, and what sets have, in a class whose objects hold elements.
    """
    if unit.operator is not None:
        return unit.operator.is_between_equals
    owner, _dot, name = unit.name.rpartition(".")
    if unit.kind is not Kind.METHOD or name not in _OF_SETS:
        return False
    kind: Any = importlib.import_module(unit.module)
    for part in owner.split("."):
        kind = getattr(kind, part, None)
    return hasattr(kind, "__contains__") and hasattr(kind, "__iter__")


def function_of(unit: Unit) -> Callable[..., Any] | None:
    """Return the function with the signature of a unit; None where there is none."""
    found: Any = importlib.import_module(unit.module)
    for part in unit.name.split("."):
        found = inspect.getattr_static(found, part, None)
    if isinstance(found, type):
        return _maker(found)
    if isinstance(found, property):
        return found.fget
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    return found if callable(found) else getattr(found, "func", None)


def members_of(unit: Unit) -> tuple[object, ...]:
    """Return the values of the members of an enum, for the unit that makes one; else nothing."""
    if unit.parameters != (VALUE,):
        return ()
    kind: Any = importlib.import_module(unit.module)
    for part in unit.name.split("."):
        kind = inspect.getattr_static(kind, part, None)
    members: Mapping[str, Any] = getattr(kind, "__members__", {})
    return tuple(one.value for one in members.values())


def _maker(kind: type) -> Callable[..., Any] | None:
    for name in ("__init__", "__new__"):
        function = getattr(kind, name)
        if inspect.isfunction(function):
            return function
    return None


def _is_asked(unit: Unit, asked: set[str]) -> bool:
    if any(unit.name == one or unit.name.startswith(f"{one}.") for one in asked if one):
        return True
    inside = {part for part in unit.name.split(".") if part not in _CALLED_BY_PYTHON}
    if any(one.startswith(f"{unit.name}.") for one in asked):
        return True  # the class of a method that is asked for
    is_private = any(part.startswith("_") for part in inside) or _is_left_out(unit)
    return "" in asked and not is_private


def _is_left_out(unit: Unit) -> bool:
    """Say whether a function is not among the names that its module gives to others."""
    home = sys.modules.get(public_module(unit.module, unit.name))
    names = getattr(home, "__all__", None) or (unit.name,)
    return unit.kind is Kind.FUNCTION and "." not in unit.name and unit.name not in names


def _matches(unit: Unit, patterns: Iterable[str]) -> bool:
    dotted = f"{unit.module}.{unit.name}"
    return any(
        fnmatchcase(name, pattern) for pattern in patterns for name in (unit.key, dotted, unit.name)
    )


def _units_in(module: ModuleType) -> Iterator[Unit]:
    """Yield the units of a module, and those of private modules that it gives to others."""
    for name, value in list(vars(module).items()):
        said = str(attribute_of(value, "__module__"))
        if said != module.__name__ and public_module(said, name) != module.__name__:
            continue
        source = defining_module(value)
        if isinstance(value, type):
            units = _units_of_class(said, source, value, name)
        elif _is_function(value) and _name_of(value, name) == name:
            units = iter([_unit(said, name, Kind.FUNCTION, value)])
        else:
            continue
        yield from (replace(one, code_in=source if source != said else "") for one in units)


def _name_of(value: Any, otherwise: str) -> str:
    return str(getattr(value, "__qualname__", otherwise))


def _is_function(value: Any) -> bool:
    return inspect.isfunction(inspect.unwrap(value)) if callable(value) else False


def _units_of_class(module: str, source: str, kind: type, name: str) -> Iterator[Unit]:
    is_shape = typing.is_typeddict(kind) or getattr(kind, "_is_protocol", False)
    if kind.__qualname__ != name or issubclass(kind, BaseException) or is_shape:
        return
    is_made = not inspect.isabstract(kind) and not is_base(kind)
    if issubclass(kind, Enum):
        is_made = bool(kind.__members__) and _has_own_code(kind)
        yield from [Unit(module, name, Kind.CLASS, parameters=(VALUE,))] if is_made else ()
    elif is_made:
        yield _unit(module, name, Kind.CLASS, _maker(kind), dropped=1)
    members = {**dict(inherited_by(kind)), **vars(kind)} if is_made else vars(kind)
    for inside, value in list(members.items()):
        if inside.startswith("__") and inside not in _CALLED_BY_PYTHON:
            continue
        if is_left_open(function_in(value)) or _is_alias(inside, value, members):
            continue
        path = f"{name}.{inside}"
        if isinstance(value, (staticmethod, classmethod)):
            dropped = int(isinstance(value, classmethod))
            yield _unit(module, path, Kind.FUNCTION, value.__func__, dropped)
        elif isinstance(value, (property, cached_property)):
            getter = value.fget if isinstance(value, property) else value.func
            if is_made and getter is not None:
                yield _unit(module, path, Kind.PROPERTY, getter, dropped=1)
        elif inspect.isfunction(value) and value.__module__ in (module, source) and is_made:
            if inspect.unwrap(value).__code__.co_filename.startswith("<"):
                continue  # made by a decorator, such as the __eq__ of a dataclass
            unit = _unit(module, path, Kind.METHOD, value, dropped=1)
            yield from (unit,) if unit.operator is None else _by_operator(unit, unit.operator)


def _is_alias(name: str, value: object, members: Mapping[str, object]) -> bool:
    """Say whether a member is another name for a method of the class: ``__radd__ = __add__``."""
    own = attribute_of(value, "__name__")
    return own != name and members.get(str(own)) is value


def _has_own_code(kind: type) -> bool:
    """Say whether an enum has methods or properties, and plain values that make its members."""
    members: Any = kind
    plain = all(type(one.value) in (str, int) for one in members)
    code = (value for name, value in vars(kind).items() if not name.startswith("_"))
    return plain and any(inspect.isfunction(one) or isinstance(one, property) for one in code)


def _by_operator(unit: Unit, operator: Operator) -> Iterator[Unit]:
    """Yield a unit with as many arguments as its operator takes, if it can have them."""
    taken = unit.parameters[: operator.arguments]
    if len(taken) == operator.arguments:
        taken = tuple(
            Parameter(one.name, is_required=one.is_required or not operator.can_be_short)
            for one in taken
        )
        gives_nothing = unit.gives_nothing or operator.is_statement
        yield replace(unit, parameters=taken, gives_nothing=gives_nothing)


def _unit(
    module: str, name: str, kind: Kind, function: Callable[..., Any] | None, dropped: int = 0
) -> Unit:
    text = getattr(function, "__doc__", None) or ""
    announced = {
        next(filter(None, groups)).rpartition(".")[2] for groups in _ANNOUNCED.findall(text)
    }
    parameters = _parameters(function, dropped) if function is not None else ()
    names = {one.name for one in parameters}
    read = uses_of(function).variables if function is not None and kind is not Kind.CLASS else ()
    parameters += tuple(
        Parameter(name, is_required=False, is_variable=True) for name in read if name not in names
    )
    reads = reads_of(function) if function is not None and kind is not Kind.CLASS else ()
    parameters += tuple(Parameter(one, is_required=True, is_variable=True) for one in reads)
    is_silent = kind is not Kind.CLASS and gives_nothing(function)
    flavour = _flavour(function)
    return Unit(module, name, kind, flavour, parameters, frozenset(announced), is_silent)


def _parameters(function: Callable[..., Any], dropped: int) -> tuple[Parameter, ...]:
    try:
        given = list(inspect.signature(function).parameters.values())[dropped:]
    except (ValueError, TypeError):
        return ()
    return tuple(
        Parameter(
            one.name,
            is_required=one.default is one.empty,
            is_keyword_only=one.kind is one.KEYWORD_ONLY,
            is_variadic=one.kind is one.VAR_POSITIONAL,
        )
        for one in given
        if one.kind is not one.VAR_KEYWORD and not _is_hidden(one)
    )


def _is_hidden(one: inspect.Parameter) -> bool:
    """Say whether an option is the module's own business: ``_warn=True``."""
    return one.name.startswith("_") and one.default is not one.empty


def _flavour(function: Any) -> Flavour:
    if function is None:
        return Flavour.PLAIN
    name = getattr(function, "__name__", "")
    bare = inspect.unwrap(function)
    if bare is not function and _wraps_context(function):
        is_async = inspect.isasyncgenfunction(bare)
        return Flavour.ASYNC_CONTEXT if is_async else Flavour.CONTEXT
    if name in _ENTERING:
        return _ENTERING[name]
    if inspect.iscoroutinefunction(bare):
        return Flavour.COROUTINE
    if inspect.isasyncgenfunction(bare):
        return Flavour.ASYNC_GENERATOR
    return Flavour.GENERATOR if inspect.isgeneratorfunction(bare) else Flavour.PLAIN


def _wraps_context(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == contextlib.__file__
