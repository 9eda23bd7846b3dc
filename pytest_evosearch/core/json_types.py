"""Types of JSON and of Python, one for all rooms: what a schema calls a type."""

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
"""The name in a schema of what a type of Python becomes in JSON."""


def type_called(name: str) -> str | None:
    """Return the JSON type that a name in lower case means, as Python or a schema calls it."""
    named = {kind.__name__: said for kind, said in OF_PYTHON.items() if kind is not type(None)}
    return named.get(name) or (name if name in named.values() else None)


def python_names(json_type: str) -> tuple[str, ...]:
    """Return the names of Python's types that hold a JSON type; an integer is a number, too."""
    held = (json_type, "integer") if json_type == "number" else (json_type,)
    names = (kind.__name__ for said in held for kind, given in OF_PYTHON.items() if given == said)
    return tuple(name for name in names if name != "NoneType")
