from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from importlib import import_module

from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.settings.oracle_specs import OracleSpec

JSON = (("Content-Type", "application/json"),)


@dataclass(frozen=True)
class Example:
    """Exchanges, and the kinds of faults that an oracle finds in them (`finds`)."""

    exchanges: tuple[Exchange, ...]
    finds: tuple[str, ...] = ()
    knowledge: Knowledge = field(default_factory=Knowledge)


def examples_of(spec: OracleSpec) -> list[Example]:
    """Return the examples of one oracle: those of the function that is named like its code."""
    module = import_module(f"oracle_examples.{spec.implementation.partition(':')[0]}")
    function: Callable[[], Iterator[Example]] = getattr(module, spec.code.replace("-", "_"))
    return list(function())
