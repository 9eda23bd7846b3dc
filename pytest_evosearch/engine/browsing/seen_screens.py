"""Which screens the browser has shown, and the pictures of them.

A page that scripts have made is named like any other page, by the rules of `screens`.  Controls
that are neither links nor parts of a form count, too, because only scripts know what they do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.walks.walk import Guide
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.screen import screen_of
from pytest_evosearch.screens.screen import state_named
from pytest_evosearch.screens.state_model import StateModel

MOST_PICTURES = 80
MOST_BYTES = 2_500_000
"""Most pictures of a report, and their size as base64."""


class SeenScreens:
    """The screens of all visits; `axe` is the file of axe-core, or empty."""

    def __init__(self, guide: Guide, axe: str = "", overflow: bool = False) -> None:
        self._guide = guide
        self._checks = {"axe": axe, "overflow": overflow}
        self.states = StateModel()
        self.pictures: dict[str, str] = {}
        """Name of a state -> a JPEG as base64."""
        self._looked: set[str] = set()
        self._state = ""
        self._pictures = 0
        self._bytes = 0

    def arrived(self, message: Mapping[str, Any], offers: tuple[Offer, ...]) -> str:
        """Note a quiet page, and return the name of its state."""
        self._state = state = self._name(message)
        self.states.note_visit(state, offers)
        return state

    def _name(self, message: Mapping[str, Any]) -> str:
        path, status = urlsplit(message["at"]).path or "/", message["status"]
        resolve = self._guide.calls.resolving(Request("GET", path))
        route = resolve("GET", path) or f"GET {path}"
        screen = screen_of(route, status, message["html"], resolve)
        free = {offer_of(one).name for one in message["screen"] if not one.get("owned")}
        if free:
            return f"{state_named(route, status, (screen.state, *free))} by script"
        return self._guide.states.name(screen)

    def look(self, state: str, found: bool) -> dict[str, Any]:
        """Return how the browser looks at a page: once at each state, and where it `found` more."""
        if state in self._looked and not found:
            return {}
        checks = {} if state in self._looked else self._checks
        self._looked.add(state)
        return {"picture": True, **checks}

    def keep(self, picture: str) -> str:
        """Keep a picture of the present state, if there is room; return it, else nothing."""
        size = self._bytes + len(picture)
        if not picture or self._pictures >= MOST_PICTURES or size > MOST_BYTES:
            return ""
        self._pictures, self._bytes = self._pictures + 1, size
        self.pictures.setdefault(self._state, picture)
        return picture


def offer_of(control: Mapping[str, Any]) -> Offer:
    """Return what a control offers, by its role and name without digits."""
    kind = SUBMIT if control["fields"] else CLICK
    return Offer(re.sub(r"\d", "0", f"{control['role']} {control['name']}"), kind)
