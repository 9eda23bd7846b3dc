"""Types of JSON and the types of Python that they stand for, for all packages."""

from __future__ import annotations

OF_PYTHON: dict[type, str] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}
"""The JSON type, as a schema calls it, of each type of Python."""


def type_called(name: str) -> str | None:
    """Return the JSON type that a name in lower case means, in Python or in a schema; else None."""
    named = {kind.__name__: said for kind, said in OF_PYTHON.items() if kind is not type(None)}
    return named.get(name) or (name if name in named.values() else None)


def python_names(json_type: str) -> tuple[str, ...]:
    """Return the names of Python's types for a JSON type; those for ``number`` include ``int``."""
    held = (json_type, "integer") if json_type == "number" else (json_type,)
    names = (kind.__name__ for said in held for kind, given in OF_PYTHON.items() if given == said)
    return tuple(name for name in names if name != "NoneType")
