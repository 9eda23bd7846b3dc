"""What `hash` and `id` tell the application's own code in another interpreter.

The hash of a text, and where an object lies in memory, are other ones in each interpreter; within
one they are always as they were, so that repeating a test does not show that they decide something.
Here the modules of the application get functions of their own, for a while: they answer as another
interpreter would.  Libraries keep the real ones, which their tables rely on.
"""

from __future__ import annotations

import builtins
import datetime
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from functools import partial
from types import ModuleType

from pytest_evosearch.instrument.loader import InstrumentingLoader

Ask = Callable[[object], int]
"""`hash`, `id`, or what stands in for one of them."""

NAMES = ("hash", "id")

_SEEDED = (str, bytes, datetime.date, datetime.time)
"""Whose hash depends on ``PYTHONHASHSEED``."""

_ALIGNMENT = 4
"""Objects begin at multiples of sixteen."""


def another_interpreter(number: int) -> Callable[[], AbstractContextManager[None]]:
    """Return a condition under which hashes and addresses are those of another interpreter."""
    return partial(_in_another, number)


@contextmanager
def _in_another(number: int) -> Iterator[None]:
    def otherwise(name: str, ask: Ask) -> Ask:
        return partial(_hash_of, number, ask) if name == "hash" else partial(_id_of, number, ask)

    with _replaced(otherwise):
        yield


def _hash_of(number: int, ask: Ask, value: object) -> int:
    return hash((number, ask(value))) if _differs(value) else ask(value)


def _id_of(number: int, ask: Ask, value: object) -> int:
    return ask(value) ^ ((hash((number,)) & 0xFFFFFF) << _ALIGNMENT)


def _differs(value: object) -> bool:
    """Say whether the hash of `value` is another one in another interpreter."""
    if isinstance(value, tuple | frozenset):
        return any(map(_differs, value))
    return isinstance(value, _SEEDED) or type(value).__hash__ is object.__hash__


class IdentityWatch:
    """Counts how often the application's own code asked for a hash or an address."""

    def __init__(self) -> None:
        self.asked = 0

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count inside."""

        def counted(_name: str, ask: Ask) -> Ask:
            def answer(value: object) -> int:
                self.asked += 1
                return ask(value)

            return answer

        with _replaced(counted):
            yield


@contextmanager
def _replaced(make: Callable[[str, Ask], Ask]) -> Iterator[None]:
    """Let `make` decide what the modules of the application find under each of `NAMES`.

    A module that defines such a name itself means something else by it.
    """
    given: list[tuple[dict[str, object], str, object]] = []
    for module in _application_modules():
        names = vars(module)
        for name in NAMES:
            before = names.get(name)
            if name in names and not isinstance(before, _Answer):
                continue
            names[name] = _Answer(make(name, before or getattr(builtins, name)))
            given.append((names, name, before))
    try:
        yield
    finally:
        for names, name, before in given:
            if before is None:
                names.pop(name, None)
            else:
                names[name] = before


class _Answer:
    """A function that stands in for `hash` or `id`."""

    __slots__ = ("_ask",)

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def __call__(self, value: object, /) -> int:
        return self._ask(value)


def _application_modules() -> list[ModuleType]:
    return [
        module
        for module in list(sys.modules.values())
        if type(module) is ModuleType
        and isinstance(vars(module).get("__loader__"), InstrumentingLoader)
    ]
