"""What the names of types say in the libraries that validate: ``Integer``, ``EmailField``, ``url``.

The libraries name alike what they mean alike; what one has for itself stands in its own reader.
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
    """Return the schema of a type of that name; empty for one that says nothing.

    `layout` is how a date or time is written, for `strftime`.
    """
    plain = name.lower().replace("_", "").removesuffix("field").removesuffix("range")
    plain = plain.removesuffix("fromiso8601")
    if plain in _MOMENTS:
        return moment(_MOMENTS[plain], layout)
    if plain in _FORMATS:
        return {"type": "string", "format": _FORMATS[plain]}
    known = type_called({"timedelta": "int", "decimal": "float"}.get(plain, plain))
    return {} if known is None else {"type": known}
