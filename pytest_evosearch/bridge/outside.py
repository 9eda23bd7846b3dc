"""A running server in the place of an application: nothing is loaded, and nothing is put back.

Of the project's fixtures those count that say something about any application:
`evosearch_users`, `evosearch_reset` and `evosearch_seeds`.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from pytest_evosearch.bridge.attempts import described
from pytest_evosearch.bridge.fixtures import RESET_FIXTURE
from pytest_evosearch.bridge.fixtures import SEEDS_FIXTURE
from pytest_evosearch.bridge.fixtures import USERS_FIXTURE
from pytest_evosearch.bridge.internals import SyntheticTest
from pytest_evosearch.bridge.internals import home_of
from pytest_evosearch.bridge.mining import ProjectFixtures
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.report.terminal import finding_with_origin
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.running_server import RunningServer
from pytest_evosearch.sut.running_server import check_host
from pytest_evosearch.sut.running_server import stand_in
from pytest_evosearch.sut.server_client import conftest_of_server

UNRESTORED = (
    "nothing brings the state of the server back: what the search changes there stays, and only "
    "tests that hold time and again are kept (give a fixture evosearch_reset)"
)
"""The notice of a search that leaves its traces."""

NAMES = (USERS_FIXTURE, RESET_FIXTURE, SEEDS_FIXTURE)


class GivenFixtures:
    """Those of the project's fixtures that need no application, set up together."""

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
        """Set them up; raise `InvalidSetting` when that fails."""
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


def reached_server(url: str, allowed: Sequence[str], resources: ExitStack) -> RunningServer:
    """Return the server at `url`; raise `EvosearchUsageError` when it is not meant, or not there.

    Its connections are closed with `resources`.
    """
    check_host(url, allowed)
    server = RunningServer(url)
    resources.callback(server.close)
    server.check()
    return server


def handle_of_server(
    server: RunningServer, given: GivenFixtures, users: Mapping[str, User], *, resets: bool
) -> AppHandle:
    """Return the handle of a server; `resets` says that the project brings its state back."""
    reset = RESET_FIXTURE if given.has(RESET_FIXTURE) else None
    conftest = conftest_of_server(server.url, reset)
    findings = {
        "app": finding_with_origin(server.url, "--evosearch-url: its data will change"),
        "client": "requests",
        "state": "brought back by the project" if resets else "not brought back",
    }
    if users:
        findings["auth"] = ", ".join(users)
    return AppHandle(
        app=stand_in(),
        description=server.url,
        make_client=server.make_client,
        users=users,
        support=Support(directory=given.directory, conftest=conftest),
        outside=True,
        absence=server.absence,
        unrestored="" if resets else UNRESTORED,
        findings=findings,
    )
