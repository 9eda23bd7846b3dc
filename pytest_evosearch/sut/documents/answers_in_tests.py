"""Finds what services answer in the project's own tests: stubs, and cassettes of vcr.

    responses.add(responses.GET, "http://prices/today", json={"oats": 3})
    requests_mock.get("http://prices/today", text='{"oats": 3}')
    respx.get("http://prices/today").mock(return_value=Response(200, json={"oats": 3}))

These are documents that people know of the service; the search begins with them.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.sut.finding.project_scan import parsed
from pytest_evosearch.sut.finding.project_scan import read_source
from pytest_evosearch.sut.finding.project_scan import source_files
from pytest_evosearch.sut.outgoing.asked_calls import OutgoingRequest
from pytest_evosearch.sut.outgoing.asked_calls import name_of

_ADDRESS = ("http://", "https://")
_JSON_WORDS = ("json", "body", "text", "content")
_CASSETTES = "cassettes"
_OWN = "test_evosearch"

MOST_CASSETTES = 200
"""Most cassettes that are read; each takes some milliseconds."""


def answers_in_tests(root: Path) -> dict[str, object]:
    """Return the documents by the name of the call, as `sut.outgoing.asked_calls` names it."""
    found: dict[str, object] = {}
    for path in source_files(root, tests=True):
        source = "" if path.name.startswith(_OWN) else read_source(path)
        if any(one in source for one in _ADDRESS):
            for node in ast.walk(parsed(source)):
                if isinstance(node, ast.Call):
                    for name, document in _stubbed(node):
                        found.setdefault(name, document)
    for name, document in _recorded(root):
        found.setdefault(name, document)
    return found


def _stubbed(call: ast.Call) -> Iterator[tuple[str, object]]:
    """Yield what a call of a stub library tells; the address may be in what it is called on."""
    inner = call.func.value if isinstance(call.func, ast.Attribute) else None
    for named in (call, inner):
        if not isinstance(named, ast.Call):
            continue
        given = [*named.args, *(one.value for one in named.keywords if one.arg == "url")]
        address = next((text for text in map(_text, given) if text.startswith(_ADDRESS)), "")
        document = _document(call)
        if address and document is not None:
            yield _name(_method(named), address), document
            return


def _document(call: ast.Call) -> object:
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Call):
            inside = _document(keyword.value)
            if inside is not None:
                return inside
        if keyword.arg in _JSON_WORDS:
            with suppress(ValueError, TypeError, SyntaxError):
                value = ast.literal_eval(keyword.value)
                value = json.loads(value) if isinstance(value, str | bytes) else value
                if isinstance(value, dict | list):
                    return json.loads(json.dumps(value))
    return None


def _method(call: ast.Call) -> str:
    """Return the method that a stub is for: an argument, else the name of its function."""
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "method")]
    words = [one.attr if isinstance(one, ast.Attribute) else _text(one) for one in given]
    named = next((word for word in words if word.isalpha() and word.isupper()), "")
    function = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return named or (function.upper() if function in ("post", "put", "patch", "delete") else "GET")


def _text(node: ast.expr) -> str:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text and isinstance(node, ast.Constant) else ""


def _name(method: str, address: str) -> str:
    return name_of(OutgoingRequest(method, address.partition("?")[0]), ())


def _recorded(root: Path) -> Iterator[tuple[str, object]]:
    """Yield the answers in cassettes of vcr."""
    for path in _cassettes(root):
        with suppress(Exception):  # a file of any content, and a library that may be missing
            import yaml

            for one in yaml.safe_load(path.read_bytes())["interactions"]:
                asked, body = one["request"], one["response"]["body"]
                text: Any = body["string"] if isinstance(body, dict) else body
                yield _name(str(asked["method"]), str(asked["uri"])), json.loads(text)


def _cassettes(root: Path) -> list[Path]:
    found: list[Path] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if _CASSETTES in Path(folder).parts:
            found += [
                Path(folder) / one for one in sorted(files) if one.endswith((".yaml", ".yml"))
            ]
        if len(found) > MOST_CASSETTES:
            break
    return found[:MOST_CASSETTES]
