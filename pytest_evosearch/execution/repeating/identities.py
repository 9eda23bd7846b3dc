"""What `hash` and `id` tell the application's own code in another interpreter.

The hash of a text, and where an object lies in memory, are other ones in each interpreter; within
one they are always as they were, so that repeating a test does not show that they decide something.
Here the modules of the application get functions of their own for a while, which answer as another
interpreter would.  Libraries keep the real ones, which their tables rely on.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from functools import partial
from types import ModuleType

from pytest_evosearch.instrument.loading.loader import InstrumentingLoader

Ask = Callable[[object], int]
"""`hash`, `id`, or what stands in for one of them."""

_SEEDED = (str, bytes, datetime.date, datetime.time)
"""Whose hash depends on ``PYTHONHASHSEED``."""

_ALIGNMENT = 4
"""Objects begin at multiples of sixteen."""


class IdentityWatch:
    """Counts how often the application's own code asks for a hash or an address.

    `interpreter` says whose answers it gets: 0 for this one, any other number for another.
    """

    def __init__(self, interpreter: int = 0) -> None:
        self._interpreter = interpreter
        self.asked = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Answer, and count, inside."""

        def counted(ask: Ask) -> Ask:
            def answer(value: object, /) -> int:
                self.asked += 1
                return ask(value)

            return answer

        number = self._interpreter
        asks: dict[str, Ask] = {"hash": hash, "id": id}
        if number:
            asks = {"hash": partial(_hash_of, number), "id": partial(_id_of, number)}
        with _given({name: counted(ask) for name, ask in asks.items()}):
            yield


def _hash_of(number: int, value: object) -> int:
    return hash((number, hash(value))) if _differs(value) else hash(value)


def _id_of(number: int, value: object) -> int:
    return id(value) ^ ((hash((number,)) & 0xFFFFFF) << _ALIGNMENT)


def _differs(value: object) -> bool:
    """Say whether the hash of `value` is another one in another interpreter."""
    if isinstance(value, tuple | frozenset):
        return any(map(_differs, value))
    return isinstance(value, _SEEDED) or type(value).__hash__ is object.__hash__


@contextmanager
def _given(functions: Mapping[str, Ask]) -> Iterator[None]:
    """Let the modules of the application find `functions` under their names.

    A module that defines such a name itself means something else by it.
    """
    given: list[tuple[dict[str, object], str]] = []
    for module in application_modules():
        names = vars(module)
        for name in functions.keys() - names.keys():
            names[name] = functions[name]
            given.append((names, name))
    try:
        yield
    finally:
        for names, name in given:
            names.pop(name, None)


def application_modules() -> list[ModuleType]:
    """Return the modules of the application that are loaded."""
    return [
        module
        for module in list(sys.modules.values())
        if type(module) is ModuleType
        and isinstance(vars(module).get("__loader__"), InstrumentingLoader)
    ]
