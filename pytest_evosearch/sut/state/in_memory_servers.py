"""Finds database servers that test libraries replace in memory.

    mongomock     MongoDB: one store for each server
    fakeredis     Redis: in the same way as moto

Fixtures recreate them for each test. The search has one set-up for all, and restores their content.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from pytest_evosearch.sut.living import living
from pytest_evosearch.sut.living import loaded_classes

_STORES = (
    ("mongomock.store", "ServerStore", "MongoDB by mongomock"),
    ("fakeredis", "FakeServer", "Redis by fakeredis"),
)
"""Module and class of an object with the whole content, and its name in the discovery block."""

STORE_PACKAGES = tuple(module.partition(".")[0] for module, _name, _title in _STORES)


def played_servers() -> list[Any]:
    """Return the stores of living replacements, wherever they are held."""
    return living(*loaded_classes(*((module, name) for module, name, _title in _STORES)))


def stores_are_loaded() -> bool:
    """Say whether any of them may exist."""
    return any(module in sys.modules for module, _name, _title in _STORES)


def described_stores(stores: Iterable[object]) -> list[str]:
    """Name each kind of store once: ``MongoDB by mongomock``."""
    packages = {type(one).__module__.partition(".")[0] for one in stores}
    return [title for module, _name, title in _STORES if module.partition(".")[0] in packages]
