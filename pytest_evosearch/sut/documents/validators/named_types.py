"""Schemas for names of types in validating libraries: ``Integer``, ``EmailField``, ``url``.

Libraries share names for common types; types of a single library are in its own reader.
"""

from __future__ import annotations

from pytest_evosearch.core.json_types import type_called
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import moment

_FORMATS = {
    **dict.fromkeys(("url", "fqdnurl"), "uri"),
    **dict.fromkeys(("ip", "ipv4"), "ipv4"),
    **dict.fromkeys(("file", "filestorage"), "binary"),
    **{name: name for name in ("email", "uuid", "ipv6")},
}

_MOMENTS = {
    **dict.fromkeys(("date", "month", "week"), "date"),
    "time": "time",
    "datetime": "date-time",
}


def schema_named(name: str, layout: object = None) -> Schema:
    """Return the schema of a type of that name; empty for an unknown name.

    `layout` is the `strftime` format of a date or time.
    """
    plain = name.lower().replace("_", "").removesuffix("field").removesuffix("range")
    plain = plain.removesuffix("fromiso8601")
    if plain in _MOMENTS:
        return moment(_MOMENTS[plain], layout)
    if plain in _FORMATS:
        return {"type": "string", "format": _FORMATS[plain]}
    known = type_called({"timedelta": "int", "decimal": "float"}.get(plain, plain))
    return {} if known is None else {"type": known}
