"""Tries tests without the body of what they test, in a process that is thrown away.

The tested function gives nothing, or its first argument (a method: its object).  A test that ends
as before says nothing of the body.
"""

from __future__ import annotations

import importlib
import inspect
import signal
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from pytest_evosearch.errors import CutOff
from pytest_evosearch.execution.units.mutant_trials import CHANGE_SECONDS
from pytest_evosearch.execution.units.mutant_trials import Sent
from pytest_evosearch.execution.units.mutant_trials import cut_off
from pytest_evosearch.execution.units.mutant_trials import outcome_of
from pytest_evosearch.problem.units.unit import Flavour
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Unit

Body = Callable[..., object]


def hollow_tests(tests: Sequence[Sent], units: Mapping[str, Unit]) -> list[int]:
    """Return the numbers of the tests that end as usual though nothing is done."""
    signal.signal(signal.SIGVTALRM, cut_off)
    return [at for at, test in enumerate(tests) if _is_hollow(test, units)]


def _is_hollow(test: Sent, units: Mapping[str, Unit]) -> bool:
    unit = units[test[-1][0]]
    if unit.kind is Kind.CLASS:
        return False
    signal.setitimer(signal.ITIMER_VIRTUAL, CHANGE_SECONDS, 0.1)
    try:
        usual = outcome_of(test, units)
        return bool(usual) and any(_ends_so(usual, test, units, one) for one in _bodies(unit))
    except (CutOff, Exception):  # it does not end, or the function cannot be replaced
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _ends_so(usual: str, test: Sent, units: Mapping[str, Unit], body: Body) -> bool:
    with _replaced(units[test[-1][0]], body):
        return outcome_of(test, units) == usual


def _bodies(unit: Unit) -> Sequence[Body]:
    """Return what can stand for the body of a unit."""
    return _BODIES.get(unit.flavour, ())


@contextmanager
def _replaced(unit: Unit, body: Body) -> Iterator[None]:
    """Put another body in the place of that of a function, for as long as the block runs."""
    place: Any = importlib.import_module(unit.module)
    *path, name = unit.name.split(".")
    for part in path:
        place = getattr(place, part)
    own = vars(place).get(name)
    setattr(place, name, _of_kind(inspect.getattr_static(place, name), name, body))
    try:
        yield
    finally:
        delattr(place, name)
        if own is not None:
            setattr(place, name, own)


def _of_kind(found: object, name: str, body: Body) -> object:
    """Return a body as the same kind of member of its class."""
    if isinstance(found, staticmethod):
        return staticmethod(body)
    if isinstance(found, classmethod):
        return classmethod(lambda _cls, *given, **named: body(*given, **named))
    if isinstance(found, cached_property):
        kept = cached_property(body)
        kept.__set_name__(object, name)
        return kept
    return property(body) if isinstance(found, property) else body


def _nothing(*_given: object, **_named: object) -> None:
    pass


def _first(*given: object, **named: object) -> object:
    return next(iter((*given, *named.values())), None)


async def _nothing_later(*_given: object, **_named: object) -> None:
    pass


async def _first_later(*given: object, **named: object) -> object:
    return _first(*given, **named)


_BODIES: Mapping[Flavour, Sequence[Body]] = {
    Flavour.PLAIN: (_nothing, _first),
    Flavour.GENERATOR: (_nothing, _first),
    Flavour.COROUTINE: (_nothing_later, _first_later),
}
"""What a function does that does nothing; a context manager has none."""
