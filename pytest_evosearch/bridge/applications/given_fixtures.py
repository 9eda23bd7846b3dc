"""Fixtures of a project that apply to any application, even to one on another machine.

They are `evosearch_users`, `evosearch_reset` and `evosearch_seeds`.  They are set up without an
application.
"""

from __future__ import annotations

from typing import Any

from pytest_evosearch.bridge.applications.attempts import described
from pytest_evosearch.bridge.applications.fixture_candidates import ProjectFixtures
from pytest_evosearch.bridge.applications.fixtures import RESET_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import SEEDS_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import USERS_FIXTURE
from pytest_evosearch.bridge.internals import SyntheticTest
from pytest_evosearch.bridge.internals import home_of
from pytest_evosearch.errors import InvalidSetting

NAMES = (USERS_FIXTURE, RESET_FIXTURE, SEEDS_FIXTURE)


class GivenFixtures:
    """The project's fixtures that need no application, set up together."""

    def __init__(self, fixtures: ProjectFixtures) -> None:
        self._sites = {name: fixtures.sites[name] for name in NAMES if name in fixtures.sites}
        self._synthetic: SyntheticTest | None = None
        self.directory = ""
        """Folder below which tests find all of them; empty when there are none."""
        if self._sites:
            deepest = max(self._sites.values(), key=lambda site: len(site.path.parts))
            home = home_of(fixtures.session, deepest.definition)
            self._synthetic = SyntheticTest(fixtures.session, home, requested=sorted(self._sites))
            self.directory = str(deepest.path.parent)

    def start(self) -> None:
        """Set the fixtures up; raise `InvalidSetting` when that fails."""
        try:
            if self._synthetic is not None:
                self._synthetic.start()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            names = ", ".join(self._sites)
            raise InvalidSetting(f"setting up {names} failed: {described(error)}") from error

    def has(self, name: str) -> bool:
        """Say whether the project defines the fixture."""
        return name in self._sites

    def get(self, name: str) -> Any:
        """Return the value of a fixture that is set up."""
        assert self._synthetic is not None
        return self._synthetic.value(name)

    def close(self) -> None:
        """Tear the fixtures down."""
        if self._synthetic is not None:
            self._synthetic.close()
