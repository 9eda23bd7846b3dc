"""Reads schemas of jsonschema, which need no conversion."""

from __future__ import annotations

from collections.abc import Hashable
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Same
from pytest_evosearch.sut.documents.validators.hooks import as_json
from pytest_evosearch.sut.documents.validators.hooks import is_called_within


def hooks(library: ModuleType) -> list[Hook]:
    """Return the method of every validating class that all its other methods call.

    The classes of the drafts have no common base class, and applications extend them.
    """
    found = [
        kind
        for kind in object.__subclasses__()
        if "META_SCHEMA" in vars(kind) and "iter_errors" in vars(kind)
    ]
    drafts = (kind for kind in vars(library).values() if isinstance(kind, type))
    found += [kind for kind in drafts if "META_SCHEMA" in vars(kind) and kind not in found]
    return [Hook(kind, "iter_errors", _identity, _parts) for kind in found]


def _identity(
    validator: Any, _instance: object, _schema: object = None, **_further: object
) -> Hashable:
    return Same(validator.schema if _schema is None else _schema)


def _parts(
    validator: Any, instance: object, _schema: object = None, **_further: object
) -> Iterable[Part]:
    schema = validator.schema if _schema is None else _schema
    if not isinstance(schema, dict) or is_called_within("jsonschema", "iter_errors"):
        return []
    return [Part(instance, lambda: as_json(schema))]
