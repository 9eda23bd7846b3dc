"""A `dataclass` decorator whose classes take a third of the time to define.

The standard one compiles up to seven functions for each class, one by one. A search loads some 450
such classes, which took half of the time that importing our modules takes. Here only `__init__` is
compiled; all other methods are closures around the names of the fields. `dataclasses` itself still
reads the fields, so that its `fields`, `replace` and `asdict` work as usual.

Not supported, since no class needs them: `order`, `unsafe_hash` and `InitVar`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import MISSING
from dataclasses import Field
from dataclasses import FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING
from typing import Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(class_=None, /, *, frozen=False, eq=True, slots=False, kw_only=False):
        """Add the methods of a dataclass; the options have their standard meaning."""

        def defined(class_):
            return _defined(class_, frozen=frozen, eq=eq, slots=slots, kw_only=kw_only)

        return defined if class_ is None else defined(class_)


__all__ = ["dataclass"]


def _defined(class_: type, *, frozen: bool, eq: bool, slots: bool, kw_only: bool) -> type:
    """Return the class with its methods; with `slots` it is a new class."""
    own = dict(vars(class_))
    is_hashed = own.get("__hash__", MISSING) not in (MISSING, None if "__eq__" in own else MISSING)
    class_ = _with_fields(class_, frozen, slots=slots, kw_only=kw_only)
    fields = dataclasses.fields(class_)
    methods: dict[str, Any] = {
        "__init__": _initialiser(class_, fields, frozen),
        "__repr__": _representation([one.name for one in fields if one.repr]),
    }
    if eq:
        contents = _contents([one.name for one in fields if one.compare])
        methods["__eq__"] = _comparison(contents)
        if not is_hashed:
            methods["__hash__"] = _hashing(contents) if frozen else None
    if frozen:
        methods.update(__setattr__=_refuse_assignment, __delattr__=_refuse_deletion)
    for name, method in methods.items():
        if name == "__hash__" or name not in own:
            setattr(class_, name, method)
    return class_


def _with_fields(class_: type, frozen: bool, **options: bool) -> type:
    """Let `dataclasses` read the fields of a class.

    For a frozen class it would compile methods, and it refuses another one below a frozen class.
    Afterwards it has to know, since classes of extensions inherit from ours.
    """
    bases = [vars(base).get("__dataclass_params__") for base in class_.__mro__[1:]]
    hidden = [one for one in bases if one is not None and one.frozen]
    for one in hidden:
        one.frozen = False
    try:
        read = dataclasses.dataclass(init=False, repr=False, eq=False, **options)
        class_ = read(class_)
    finally:
        for one in hidden:
            one.frozen = True
    class_.__dataclass_params__.frozen = frozen  # type: ignore[attr-defined]
    return class_


def _initialiser(class_: type, fields: tuple[Field[Any], ...], frozen: bool) -> Any:
    """Compile the `__init__` of a class."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    usual = [_parameter(one, names) for one in fields if one.init and not one.kw_only]
    named = [_parameter(one, names) for one in fields if one.init and one.kw_only]
    parameters = ["self", *usual, *(["*", *named] if named else [])]
    assign = "_set(self, {0!r}, {1})" if frozen else "self.{0} = {1}"
    lines = [assign.format(one.name, value) for one, value in _values(fields, names)]
    if hasattr(class_, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "".join(f"    {line}\n" for line in lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n{body}", names)
    names["__init__"].__qualname__ = f"{class_.__qualname__}.__init__"
    return names["__init__"]


def _parameter(field: Field[Any], names: dict[str, Any]) -> str:
    """Return the text of a parameter; `names` gets its default."""
    if field.default_factory is not MISSING:
        return f"{field.name}=_MISSING"
    if field.default is MISSING:
        return field.name
    names[f"_default_{field.name}"] = field.default
    return f"{field.name}=_default_{field.name}"


def _values(fields: tuple[Field[Any], ...], names: dict[str, Any]) -> Iterator[tuple[Any, str]]:
    """Yield each field that `__init__` sets, and the text of its value."""
    for field in fields:
        if field.default_factory is not MISSING:
            names[f"_make_{field.name}"] = field.default_factory
            made = f"_make_{field.name}()"
            given = f"{made} if {field.name} is _MISSING else {field.name}"
            yield field, given if field.init else made
        elif field.init:
            yield field, field.name


def _contents(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns the values of an object's attributes."""
    if not names:
        return lambda _object: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda one: (get(one),)


def _representation(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr("...")
    def __repr__(self: Any) -> str:  # noqa: N807 - it becomes this method
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _comparison(contents: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - it becomes this method
        if type(other) is not type(self):
            return NotImplemented
        return contents(self) == contents(other)

    return __eq__


def _hashing(contents: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:  # noqa: N807 - it becomes this method
        return hash(contents(self))

    return __hash__


def _refuse_assignment(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
