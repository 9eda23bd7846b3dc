"""A pytest plugin that sends the requests of written tests as they are, or with one part repaired.

``EVOSEARCH_CAUSES`` is a JSON file: test function -> its causes, as the report tells them.
``EVOSEARCH_ANSWERS`` is where the answers go, a JSON line for each test.  With
``EVOSEARCH_REPAIRED=N`` the N-th cause that a test's last call to the endpoint shows is repaired.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.parse import unquote

import pytest
from flask.testing import FlaskClient

NOT_SENT = object()
PLACES = {"query": "query_string", "json": "json", "form": "data", "header": "headers"}


def path_pattern(template: str, name: str) -> re.Pattern[str]:
    """Return a pattern for the paths of a template; its group is the value called `name`."""
    parts = re.split(r"\{([^}]*)\}", template)
    texts = [
        re.escape(part) if at % 2 == 0 else "(?P<value>[^/]*)" if part == name else ".*?"
        for at, part in enumerate(parts)
    ]
    return re.compile("".join(texts))


def value_at(cause: dict[str, Any], path: str, options: dict[str, Any]) -> object:
    """Return what a request sends in the place of a cause."""
    if cause["location"] == "path":
        found = path_pattern(cause["endpoint"].partition(" ")[2], cause["name"]).fullmatch(path)
        return NOT_SENT if found is None else unquote(found["value"])
    held = options.get(PLACES[cause["location"]])
    if held is not None and not isinstance(held, dict):
        return held  # a whole body of another kind
    pairs = dict(held or {})
    if cause["location"] == "header":
        pairs = {name.lower(): value for name, value in pairs.items()}
    return pairs.get(cause["name"], NOT_SENT)


def is_shown(cause: dict[str, Any], path: str, options: dict[str, Any]) -> bool:
    """Say whether a request sends the value of a cause."""
    if cause["location"] not in (*PLACES, "path"):
        return False
    sent, wanted = value_at(cause, path, options), cause.get("value", NOT_SENT)
    if cause["location"] in ("query", "json", "form") and not is_beside(cause, options):
        return False  # another row of the table
    return sent is wanted or (NOT_SENT not in (sent, wanted) and str(sent) == str(wanted))


def is_beside(cause: dict[str, Any], options: dict[str, Any]) -> bool:
    """Say whether a request sends in the same place what a cause was seen with."""
    held = options.get(PLACES[cause["location"]])
    others = dict(held) if isinstance(held, dict) else {}
    others.pop(cause["name"], None)
    told = cause.get("beside", others)
    return others.keys() == told.keys() and all(
        value in ("linked", others[name]) or str(value) == str(others[name])
        for name, value in told.items()
    )


def repaired(
    cause: dict[str, Any], path: str, options: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return a request with the good value in the place of a cause."""
    if cause["location"] == "path":
        pattern = path_pattern(cause["endpoint"].partition(" ")[2], cause["name"])
        found = pattern.fullmatch(path)
        assert found is not None
        first, last = found.span("value")
        return path[:first] + quote(str(cause["usual"]), safe="") + path[last:], options
    key = PLACES[cause["location"]]
    sent = dict(options.get(key) or {})
    kept = {name: value for name, value in sent.items() if name.lower() != cause["name"].lower()}
    if "usual" in cause:
        kept[cause["name"]] = cause["usual"]
    return path, {**options, key: kept}


def kind_of(response: Any) -> list[Any]:
    """Return what tells one answer from another: no texts, which may be random."""
    body = response.get_json(silent=True)
    keys: Any = bool(body)
    if isinstance(body, dict):
        keys = sorted([str(key), part == [], part is False] for key, part in body.items())
    location = (response.headers.get("Location") or "").partition("?")[0]
    return [response.status_code, location, b"<form" in response.get_data(), keys]


class Repairs:
    """Notes the calls of each test, and repairs one of them."""

    def __init__(self, causes: dict[str, Any], answers: Path, number: int) -> None:
        self.causes = causes
        self.answers = answers
        self.number = number
        self.places: dict[str, dict[str, Any]] = {}
        """Test -> which of its calls is repaired, and the cause; from an earlier run."""
        self.calls: list[dict[str, Any]] = []
        self.test = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run a test, and write down what its calls were answered."""
        self.test, self.calls = item.nodeid, []
        try:
            yield
        finally:
            with self.answers.open("a", encoding="utf-8") as told:
                told.write(json.dumps({"test": self.test, "calls": self.calls}) + "\n")

    def send(self, client: FlaskClient, *args: Any, **options: Any) -> Any:
        """Send a request, repaired where it is its turn."""
        path = str(args[0]) if args else str(options.get("path", ""))
        place = self.places.get(self.test)
        if place and place["call"] == len(self.calls):
            path, options = repaired(place["cause"], path, options)
        call: dict[str, Any] = {"shows": self._shown(path, options), "answer": None}
        self.calls.append(call)
        try:
            response = OPEN(client, path, *args[1:], **options)
        except Exception as error:
            call["text"] = repr(error)
            raise
        call["answer"] = kind_of(response)
        call["text"] = response.get_data().decode("utf-8", "replace")
        return response

    def _shown(self, path: str, options: dict[str, Any]) -> list[dict[str, Any]]:
        method = options.get("method", "GET")
        function = self.test.partition("[")[0]
        return [
            one
            for one in self.causes.get(function, ())
            if one["endpoint"].partition(" ")[0] == method and is_shown(one, path, options)
        ]


OPEN = FlaskClient.open


def pytest_configure(config: pytest.Config) -> None:
    """Watch all clients of this run."""
    causes = json.loads(Path(os.environ["EVOSEARCH_CAUSES"]).read_text(encoding="utf-8"))
    number = int(os.environ.get("EVOSEARCH_REPAIRED", "0"))
    repairs = Repairs(causes["causes"], Path(os.environ["EVOSEARCH_ANSWERS"]), number)
    repairs.places = causes["places"][number] if number else {}
    config.pluginmanager.register(repairs)
    FlaskClient.open = lambda client, *args, **options: repairs.send(client, *args, **options)  # type: ignore[method-assign]
