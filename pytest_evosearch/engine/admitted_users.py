"""Users whom the search has found: made of what lets a caller in, told, and written as fixtures."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import MutableMapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from pytest_evosearch.core.isolation import os
from pytest_evosearch.problem.http.doors.callers import Caller
from pytest_evosearch.problem.http.doors.callers import pair_of
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.surroundings import project_modules
from pytest_evosearch.sut.users.found_users import FoundUser
from pytest_evosearch.sut.users.found_users import HeldKey
from pytest_evosearch.sut.users.found_users import found_user
from pytest_evosearch.sut.users.origins import environment_secrets
from pytest_evosearch.sut.users.origins import named_files
from pytest_evosearch.sut.users.origins import origin_of
from pytest_evosearch.sut.users.origins import secret_place
from pytest_evosearch.write.content.environment import werkzeug_version
from pytest_evosearch.write.suite import NEW_COOKIE_CALL


@dataclass
class AdmittedUsers:
    """Makes users of callers."""

    handle: AppHandle
    users: MutableMapping[str, User]
    """Those of the handle, which learns of new ones."""
    root: Path
    tell: Callable[[str], None] = lambda _line: None
    found: dict[str, FoundUser] = field(default_factory=dict)

    def introduce(self, caller: Caller) -> str | None:
        """Make a user of a caller; return the name, None where the application is elsewhere."""
        if self.handle.outside:
            return None
        app, modules = self.handle.app, project_modules(self.root)
        find = lru_cache(lambda text: origin_of(text, app, modules))
        keys = [_held_key(given) for given in caller.inputs]
        taken = {*self.users, *self.handle.support.taken_fixtures, *_FIXTURES}
        client = self.handle.support.client_fixture
        found = found_user(keys, find, client, taken, werkzeug_version() < NEW_COOKIE_CALL)
        found = self._without_secrets(found)
        name = found.user.name
        self.users[name] = found.user
        self.found[name] = found
        self.tell(f"let in: {name} ({found.door})")
        return name

    @property
    def findings(self) -> dict[str, str]:
        """A row of the discovery block with who was found, and by which door."""
        users = "; ".join(f"{name} ({found.door})" for name, found in self.found.items())
        return {"users": users} if users else {}

    @property
    def sources(self) -> tuple[str, ...]:
        """The fixtures of those whom tests may tell."""
        return tuple(one.source for one in self.found.values() if not one.user.withheld)

    def notices(self) -> list[str]:
        """Say of whom no tests are written, and why."""
        return [
            f"no test is written of what {name} does: {one.user.withheld}"
            for name, one in self.found.items()
            if one.user.withheld
        ]

    def secrets(self) -> dict[str, str]:
        """Return the texts of the environment that no test may tell, and where they stand."""
        recipe = self.handle.support.recipe
        known = frozenset(recipe.variables) if recipe is not None else frozenset()
        return environment_secrets(os.environ, known)

    def _without_secrets(self, found: FoundUser) -> FoundUser:
        files = named_files(self.handle.app, os.environ, self.root)
        secrets = self.secrets()
        for text in found.told:
            place = secret_place(text, secrets, files)
            if place:
                why = f"the key comes from {place}, and nothing of the application reads it there"
                return replace(found, user=replace(found.user, withheld=why))
        return found


_FIXTURES = frozenset(("flask_app", "client", "databases", "outbox", "monkeypatch", "tmp_path"))
"""Names of fixtures that written tests may have besides."""


def _held_key(given: Input) -> HeldKey:
    value = str(given.gene.value())
    return HeldKey(given.location.value, given.name, value, pair_of(given))
