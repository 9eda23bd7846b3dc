"""The selectors by name.

A selector is a class (or function) that is called as ``Selector(parameters=None)``.  Its
``parameters_type`` is a frozen dataclass of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Protocol

from pytest_evosearch.core.registry import Registry
from pytest_evosearch.screens.choosing import ActionSelector
from pytest_evosearch.search.algorithms import parameters_of


class SelectorFactory(Protocol):
    """An entry of the table: the class of a selector."""

    parameters_type: type[Any]

    def __call__(self, parameters: Any = None) -> ActionSelector:
        """Make the selector; `parameters` is a `parameters_type`, or None for its defaults."""
        ...


SELECTORS: Registry[SelectorFactory] = Registry(
    "selector",
    {
        "least-used": "pytest_evosearch.search.selecting.counting:LeastUsedSelector",
        "random": "pytest_evosearch.search.selecting.counting:RandomSelector",
        "unvisited": "pytest_evosearch.search.selecting.counting:UnvisitedSelector",
        "qlearning": "pytest_evosearch.search.selecting.q_selector:QSelector",
    },
)


def make_selector(name: str, tunables: Mapping[str, str] | None = None) -> ActionSelector:
    """Make the selector `name` with its `tunables` (raw texts).

    Raise `InvalidSetting` for an unknown selector, an unknown tunable or a wrong value.
    """
    factory = SELECTORS.get(name)
    return factory(parameters=parameters_of(name, factory.parameters_type, tunables or {}))
