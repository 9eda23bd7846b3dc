"""The algorithms by name, and how one is made with the tunables of the user.

An algorithm is a class (or function) that is called as ``Algorithm(context, parameters=None)``.
Its ``parameters_type`` is a frozen dataclass of parameters.

A project adds an algorithm through the hook ``pytest_evosearch_make_algorithm`` (docs/hooks.md).
Code without pytest uses ``ALGORITHMS.with_entry("name", "package.module:Class")``.
`pytest_evosearch.search.conformance.run_conformance` checks an algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from typing import Protocol
from typing import TypeVar

from pytest_evosearch.core.registry import Registry
from pytest_evosearch.core.registry import suggestion
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.search.ask_and_tell import SearchAlgorithm
from pytest_evosearch.search.ask_and_tell import SearchContext
from pytest_evosearch.settings.tunables import Tunable
from pytest_evosearch.settings.tunables import tunables_in

I = TypeVar("I")  # noqa: E741 - the field's own letter for "individual"


class AlgorithmFactory(Protocol):
    """An entry of the registry: the class of an algorithm, or a function that makes one."""

    parameters_type: type[Any]

    def __call__(self, context: SearchContext[I], parameters: Any = None) -> SearchAlgorithm[I]:
        """Make the algorithm; `parameters` is a `parameters_type`, or None for its defaults."""
        ...


ALGORITHMS: Registry[AlgorithmFactory] = Registry(
    "algorithm",
    {
        "mio": "pytest_evosearch.search.mio:Mio",
        "mosa": "pytest_evosearch.search.mosa:Mosa",
        "dynamosa": "pytest_evosearch.search.dynamosa:DynaMosa",
        "lt-mosa": "pytest_evosearch.search.lt_mosa:LtMosa",
        "wts": "pytest_evosearch.search.whole_suite:WholeSuite",
        "random": "pytest_evosearch.search.random_search:RandomSearch",
        "qlearning": "pytest_evosearch.search.q_learning:QLearning",
    },
)
"""Every algorithm that this package contains."""


def make_algorithm(
    name: str,
    context: SearchContext[I],
    tunables: Mapping[str, str] | None = None,
    registry: Registry[AlgorithmFactory] = ALGORITHMS,
) -> SearchAlgorithm[I]:
    """Make the algorithm `name` with its `tunables` (raw texts).

    Raise `InvalidSetting` for an unknown algorithm, an unknown tunable or a wrong value.
    """
    factory = registry.get(name)
    return factory(context, parameters=parameters_of(name, factory.parameters_type, tunables or {}))


def tunables_of(name: str, registry: Registry[AlgorithmFactory] = ALGORITHMS) -> dict[str, Tunable]:
    """Return the tunables of the algorithm `name`, by names without the algorithm's."""
    return tunables_in(registry.get(name).parameters_type)


def parameters_of(name: str, parameters_type: type[Any], tunables: Mapping[str, str]) -> Any:
    """Return the parameters of the algorithm `name`; raise `InvalidSetting` for a wrong tunable."""
    known = tunables_in(parameters_type)
    chosen = {}
    for tunable, text in tunables.items():
        if tunable not in known:
            names = ", ".join(known) or "none"
            raise InvalidSetting(
                f"{name} has no tunable {tunable!r}{suggestion(tunable, known)} (it has: {names})"
            )
        chosen[tunable] = known[tunable].parse(f"{name}.{tunable}", text.strip())
    return parameters_type(**chosen)
