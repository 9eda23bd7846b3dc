"""The oracles by name, created from the rows of `settings.oracle_specs`."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_evosearch.core.registry import Registry
from pytest_evosearch.oracles.oracle import AnyOracle
from pytest_evosearch.oracles.oracle import DocumentedOracle
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.settings.oracle_specs import ORACLES as SPECS
from pytest_evosearch.settings.oracle_specs import PAGE_NAMES
from pytest_evosearch.settings.oracle_specs import expanded

ORACLES: Registry[DocumentedOracle] = Registry(
    "oracle",
    {
        spec.code: f"pytest_evosearch.oracles.{spec.implementation}"
        for spec in SPECS
        if spec.implementation
    },
)


def make_oracles(names: Iterable[str], knowledge: Knowledge) -> tuple[AnyOracle, ...]:
    """Return the oracles called `names`; raise `InvalidSetting` for an unknown one.

    What a browser shows is judged by no class.
    """
    wanted = [name for name in expanded(names) if name not in PAGE_NAMES]
    return tuple(ORACLES.get(name)(knowledge) for name in wanted)
