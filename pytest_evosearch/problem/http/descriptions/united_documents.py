"""Reads several OpenAPI documents of one application as one.

An application with two APIs has two documents; parts with one name may differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeAlias

Document: TypeAlias = Mapping[str, Any]
Place: TypeAlias = "tuple[str, ...]"
"""The keys that lead to a part, as in ``("components", "schemas", "Book")``."""

_NAMED = ("definitions", "parameters", "responses")
"""Keys of OpenAPI 2 with named parts below them; OpenAPI 3 uses ``components``."""


def in_one_namespace(documents: Sequence[Document]) -> list[Document]:
    """Return the documents; where names clash, later documents get new names.

    In the union of all (see `union`), every reference leads to the part of its own document.
    """
    taken: dict[Place, object] = {}
    renamed = []
    for document in documents:
        names = {
            place: _free(place, taken)
            for place, part in _parts(document)
            if place in taken and taken[place] != part
        }
        document = _rewritten(document, names) if names else document
        renamed.append(document)
        taken.update((place, part) for place, part in _parts(document) if place not in taken)
    return renamed


def union(documents: Sequence[Document]) -> Document:
    """Return one document with the parts of all; everything else comes from the first."""
    whole: dict[str, Any] = {}
    for document in reversed(documents):
        whole.update(document)
    for word in ("paths", *_NAMED):
        if word in whole:
            whole[word] = _together([document.get(word) for document in documents])
    if "components" in whole:
        components = [document.get("components") for document in documents]
        kinds = _together(components)
        whole["components"] = {
            kind: _together([part.get(kind) for part in components if isinstance(part, Mapping)])
            for kind in kinds
        }
    return whole


def dialect(document: Document) -> str:
    """Return the JSON Schema dialect of `document`."""
    version = str(document.get("openapi", ""))
    modern = version.startswith("3.") and not version.startswith("3.0")
    return "2020-12" if modern else "4"


def _together(mappings: Sequence[object]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for mapping in reversed(mappings):
        whole.update(mapping if isinstance(mapping, Mapping) else {})
    return whole


def _parts(document: Document) -> Iterator[tuple[Place, object]]:
    holders: list[tuple[Place, object]] = [((word,), document.get(word)) for word in _NAMED]
    components = document.get("components")
    for kind, part in components.items() if isinstance(components, Mapping) else ():
        holders.append((("components", kind), part))
    for place, holder in holders:
        for name, part in holder.items() if isinstance(holder, Mapping) else ():
            yield (*place, name), part


def _free(place: Place, taken: Mapping[Place, object]) -> str:
    number = 2
    while (*place[:-1], f"{place[-1]}-{number}") in taken:
        number += 1
    return f"{place[-1]}-{number}"


def _rewritten(document: Document, names: Mapping[Place, str]) -> Document:
    """Return `document` with parts renamed, and with references to their new names."""
    pointers = {_pointer(place): _pointer((*place[:-1], new)) for place, new in names.items()}
    rewritten: dict[str, Any] = _referring(document, pointers)
    for (*holders, name), new in names.items():
        holder: dict[str, Any] = rewritten
        for word in holders:
            holder = holder[word]
        holder[new] = holder.pop(name)
    return rewritten


def _pointer(place: Place) -> str:
    escaped = (word.replace("~", "~0").replace("/", "~1") for word in place)
    return "#/" + "/".join(escaped)


def _referring(node: Any, pointers: Mapping[str, str]) -> Any:
    """Return a copy of `node` with new references, including those of discriminators."""
    if isinstance(node, Mapping):
        return {word: _referring(part, pointers) for word, part in node.items()}
    if isinstance(node, list):
        return [_referring(part, pointers) for part in node]
    if isinstance(node, str) and node.startswith("#/"):
        for old, new in pointers.items():
            if node == old or node.startswith(f"{old}/"):
                return new + node[len(old) :]
    return node
