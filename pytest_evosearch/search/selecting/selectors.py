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
from pytest_evosearch.settings.tunables import Tunable
from pytest_evosearch.settings.tunables import tunables_in


class SelectorFactory(Protocol):
    """An entry of the table: the class of a selector."""

    parameters_type: type[Any]
    prefix: str
    """What stands before the names of its parameters in ``--evosearch-set``: ``gp.policy``."""

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
        "gp-policy": "pytest_evosearch.search.selecting.policy:PolicySelector",
        "gp-evolving": "pytest_evosearch.search.selecting.evolving:EvolvingSelector",
        "bandit": "pytest_evosearch.search.selecting.bandit:BanditSelector",
    },
)


def make_selector(name: str, tunables: Mapping[str, str] | None = None) -> ActionSelector:
    """Make the selector `name` with those of `tunables` (raw texts) that are its own.

    Raise `InvalidSetting` for an unknown selector or a wrong value.
    """
    factory = SELECTORS.get(name)
    own = tunables_in(factory.parameters_type)
    given = tunables or {}
    names = {one: f"{factory.prefix}.{one}" for one in own}
    chosen = {one: given[full] for one, full in names.items() if full in given}
    return factory(parameters=parameters_of(name, factory.parameters_type, chosen))


def selector_tunables() -> dict[str, Tunable]:
    """Return the tunables of all selectors, by their full names."""
    return {
        f"{factory.prefix}.{name}": tunable
        for factory in map(SELECTORS.get, SELECTORS.names)
        for name, tunable in tunables_in(factory.parameters_type).items()
    }
