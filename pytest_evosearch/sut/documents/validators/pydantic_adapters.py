"""Reads the adapters of pydantic 2, which validate types other than models: ``list[Order]``."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same
from pytest_evosearch.sut.documents.validators.hooks import as_json


def hooks(library: ModuleType) -> list[Hook]:
    """Return the two methods that validate input."""
    adapter = library.TypeAdapter
    return [Hook(adapter, name, _identity, _parts) for name in ("validate_python", "validate_json")]


def _identity(adapter: Any, /, *_values: object, **_keywords: object) -> Hashable:
    return Same(adapter)


def _parts(adapter: Any, /, *values: object, **keywords: object) -> Iterable[Part]:
    data = values[0] if values else keywords.get("object", keywords.get("data"))
    return [Part(data, lambda: as_json(adapter.json_schema()))]
