"""Sets up a project's own fixtures for the whole search, chosen by the type of their value.

    candidates (bridge.applications.fixture_candidates) -> one synthetic test -> values
        -> client, application, users

The project's own test suite configures the application best.  About 40 % of projects have a fixture
called ``app``, but nearly all have a fixture that gives a test client.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.attempts import Attempts
from pytest_evosearch.bridge.applications.attempts import described
from pytest_evosearch.bridge.applications.fixture_candidates import DATABASE_NAMES
from pytest_evosearch.bridge.applications.fixture_candidates import FixtureSite
from pytest_evosearch.bridge.applications.fixture_candidates import ProjectFixtures
from pytest_evosearch.bridge.applications.fixture_candidates import own_test_files
from pytest_evosearch.bridge.applications.project_clients import asks_connexion
from pytest_evosearch.bridge.applications.project_clients import connexion_of
from pytest_evosearch.bridge.applications.project_clients import is_application
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.bridge.applications.project_clients import is_connexion
from pytest_evosearch.bridge.applications.stand_in_variables import StandInVariables
from pytest_evosearch.bridge.applications.unittest_case import quietly
from pytest_evosearch.bridge.internals import Parametrization
from pytest_evosearch.bridge.internals import SyntheticTest
from pytest_evosearch.bridge.internals import home_of
from pytest_evosearch.bridge.internals import parametrization_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.execution.crash import cannot_reach
from pytest_evosearch.sut.surroundings import is_context_pushed

USERS_FIXTURE = "evosearch_users"
RESET_FIXTURE = "evosearch_reset"
SEEDS_FIXTURE = "evosearch_seeds"

HEADER_PREFIX = "x-"
"""Beginning of custom headers; a dict of such headers counts as a user's credentials."""


TOKEN_NAMES = re.compile(r"token|jwt")
SHORTEST_TOKEN = 16
"""Shortest token in characters; a shorter text is more likely a name."""


@dataclass
class Scene:
    """Fixtures of the project that are set up until `close`."""

    synthetic: SyntheticTest
    fixtures: ProjectFixtures
    primary: FixtureSite
    """The fixture that was chosen first: the client's, or the application's."""
    value: Any
    companions: tuple[str, ...] = ()
    """Database fixtures that were set up because most tests request them, too."""

    def get(self, name: str) -> Any:
        """Return the value of another fixture; set it up if necessary, and raise what it raises."""
        return self.synthetic.value(name)

    def forget_failure(self, name: str) -> None:
        """Let a fixture that has failed run again when it is next requested."""
        self.synthetic.forget_failure(name)

    def again(self, name: str) -> Any:
        """Call a fixture's function again, for a value that expires, such as a token.

        Fixtures that it needs keep their values, except tokens and headers, which are made again.
        Raise what the fixture raises, and LookupError for one that cannot be called twice: it would
        need a teardown in between.
        """
        site = self.fixtures.sites[name]
        if inspect.isgeneratorfunction(site.function) or "request" in site.requests:
            raise LookupError(name)
        return site.function(**{needed: self._young(needed) for needed in site.requests})

    def _young(self, name: str) -> Any:
        """Return the value of a fixture; make a token or header again where that is possible."""
        value = self.get(name)
        if not (is_token(name, value) or is_credentials(value)):
            return value
        try:
            return self.again(name)
        except LookupError:
            return value

    def without_repetition(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return `names` without the fixtures that an earlier one of them sets up."""
        kept: list[str] = []
        for name in names:
            if name not in self.fixtures.closure(kept):
                kept.append(name)
        return tuple(kept)

    def has(self, name: str) -> bool:
        """Say whether the project defines the fixture."""
        return name in self.fixtures.sites

    @property
    def lasts(self) -> bool:
        """Say whether a fixture in use, of the project, is set up once for several tests."""
        names = self.fixtures.closure([self.primary.name, *self.companions])
        sites = self.fixtures.sites
        return any(sites[name].scope != "function" for name in names if name in sites)

    def spare_databases(self) -> list[str]:
        """Return the names of fixtures that may create the tables; none if one is set up."""
        known = self.fixtures.closure([self.primary.name, *self.companions])
        names = {name for name in DATABASE_NAMES if self.has(name)}
        if known & names or names & frozenset(self.synthetic.automatic):
            return []
        return self.fixtures.table_candidates(self.primary.name)

    def close(self) -> None:
        """Tear the fixtures down."""
        self.synthetic.close()


TESTS_ALONE = "only its tests define the endpoints of its application"

Complain = Callable[[str], None]
"""A function that takes one line about something that did not work."""


@dataclass
class SceneBuilder:
    """Tries candidates until one has a value of the right type."""

    fixtures: ProjectFixtures
    complain: Complain
    variables: StandInVariables
    root: Path
    """Folder of the project."""
    tried: Attempts = field(default_factory=Attempts)
    demands_project: bool = True
    """Whether an application needs an endpoint of the project; else any endpoint will do."""
    packages: tuple[str, ...] = ()
    """Packages that are searched wherever they lie."""
    passed_over: list[str] = field(default_factory=list)
    """What gave an application without an endpoint of the project."""
    kept: Scene | None = None
    """The last scene that was passed over, still set up; closed before anything else is tried."""
    _judged: set[str] = field(default_factory=set)
    """Fixtures of an application that was passed over: setting one up twice may fail."""

    def build(self) -> Scene | None:
        """Return the first scene with a client, else with an application, else None."""
        for names, fits in (
            (self.fixtures.client_candidates(), _has_client),
            (self.fixtures.app_candidates(), _has_application),
        ):
            for name in names:
                site = self.fixtures.sites[name]
                scene = None if self.fixtures.is_local(site) else self._try(site, fits)
                if scene is not None:
                    return scene
        return None

    def build_local(self) -> Scene | None:
        """Return the first scene whose fixtures only one test module can request; else None.

        A scene with a client is preferred to one with an application.
        """
        for names, fits in (
            (self.fixtures.client_candidates(), _has_client),
            (self.fixtures.app_candidates(), _has_application),
        ):
            for name in names:
                site = self.fixtures.sites[name]
                importable = self.fixtures.is_local(site) and site.is_importable
                scene = self._try(site, fits) if importable else None
                if scene is not None:
                    return scene
        return None

    def _try(self, site: FixtureSite, fits: Callable[[object], bool]) -> Scene | None:
        name = site.name
        failure: BaseException | None = None
        if self.tried.hopeless or (self.demands_project and name in self._judged):
            return None
        self.let_go()
        for parent, parametrization in self._places(name, site):
            try:
                set_up = partial(self._set_up, site, parent, parametrization)
                scene = self.variables.with_missing(set_up)
            except (KeyboardInterrupt, EvosearchUsageError):
                raise
            except BaseException as error:
                failure = failure or error
                if cannot_reach(error):
                    break
                continue
            lack = self._lack_of_value(scene.value, fits)
            if lack is None:
                return scene
            self.tried.note(f'fixture "{name}"', lack)
            self._judged |= self.fixtures.closure([name])
            if lack == TESTS_ALONE:
                self.kept = scene
            else:
                scene.close()
            return None
        if failure is not None and not site.is_installed:
            self.tried.note_failure(f'fixture "{name}"', failure)
            location = site.location(self.fixtures.session.config.rootpath)
            self.complain(f'fixture "{name}" ({location}) failed: {described(failure)}')
        return None

    def let_go(self) -> None:
        """Tear the scene down that was passed over, if it is set up still."""
        kept, self.kept = self.kept, None
        if kept is not None:
            kept.close()

    def lack_of(self, app: Any) -> str | None:
        """Return what an application of the tests lacks for a search; None if nothing."""
        from pytest_evosearch.sut.finding.own_endpoints import serves_something
        from pytest_evosearch.sut.finding.own_endpoints import serves_the_project

        if not serves_something(app):
            return "its application has no endpoints"
        if not self.demands_project:
            return None
        if serves_the_project(app, self.root, self._test_files, self.packages):
            return None
        self.passed_over.append(app.name)
        return TESTS_ALONE

    def _lack_of_value(self, value: Any, fits: Callable[[object], bool]) -> str | None:
        """Return why a fixture's value cannot be searched; None where it can."""
        if not fits(value):
            return type(value).__name__
        if connexion_of(value) is not None:
            return None  # what it serves lies in front of its Flask application
        from pytest_evosearch.sut.finding.application_loader import unwrap  # needs Flask

        app, _suffix = unwrap(value.application if is_client(value) else value)
        return None if app is None else self.lack_of(app)

    @cached_property
    def _test_files(self) -> frozenset[Path]:
        return frozenset(own_test_files(self.fixtures.items, self.root))

    def _places(
        self, name: str, site: FixtureSite
    ) -> Iterator[tuple[pytest.Collector, Parametrization]]:
        """Yield nodes below which the synthetic test may be placed, the most typical first.

        A class may prepare what its tests need, so it comes before its module.  This does not hold
        where a fixture reads its test's class: the written tests are functions and have none.
        """
        item = self.fixtures.typical_test(name)
        if item is None:
            yield home_of(self.fixtures.session, site.definition), Parametrization()
            return
        reads_class = self._reads_class(name)
        node: Any = item.parent
        while node is not None:
            if not (reads_class and isinstance(node, pytest.Class)):
                yield node, parametrization_of(item)
            node = node.parent

    def _reads_class(self, name: str) -> bool:
        sites = self.fixtures.sites
        closure = sorted(self.fixtures.closure([name]) & sites.keys())
        return any("request.cls" in sites[needed].source for needed in closure)

    def _set_up(self, site: FixtureSite, parent: pytest.Collector, given: Parametrization) -> Scene:
        session = self.fixtures.session
        automatic = SyntheticTest(session, parent, given).automatic
        alone = SyntheticTest(session, parent, given, [site.name])
        fixtures = self.fixtures.as_seen_by(alone)
        usual = fixtures.database_companions(site.name)
        companions = [name for name in usual if name not in automatic]
        companions += fixtures.asked_by_local(automatic, site.name)
        synthetic = SyntheticTest(session, parent, given, [site.name, *companions])
        try:
            synthetic.start()
            value = synthetic.value(site.name)
        except BaseException:
            quietly(synthetic.close)
            raise
        return Scene(synthetic, fixtures, site, value, tuple(companions))


def _has_client(value: object) -> bool:
    return is_client(value) or asks_connexion(value)


def _has_application(value: object) -> bool:
    return is_application(value) or is_connexion(value)


def application_fixture(scene: Scene, application: object) -> FixtureSite | None:
    """Return the fixture that gave `application` to the client's; None when there is none."""
    if _gives(scene.value, application):
        return scene.primary
    needed = scene.fixtures.closure([scene.primary.name])
    for name in sorted(needed & frozenset(scene.fixtures.app_candidates())):
        if _gives(scene.get(name), application):
            return scene.fixtures.sites[name]
    return None


def _gives(value: Any, application: object) -> bool:
    return value is application or (is_connexion(value) and value.app is application)


def leaves_context_pushed(scene: Scene) -> bool:
    """Say whether an application or request context is pushed around every test.

    A fixture may yield inside ``with app.app_context()``.  pytest-flask pushes a context for tests
    that need a fixture called ``app``.
    """
    if is_context_pushed():
        return True
    plugins = scene.fixtures.session.config.pluginmanager
    names = scene.fixtures.closure([scene.primary.name])
    return "app" in names and any(
        plugins.has_plugin(name) for name in ("flask", "pytest-flask", "pytest_flask.plugin")
    )


def can_log_in(value: object) -> bool:
    """Say whether `value` is an object whose ``login()`` needs no arguments."""
    if inspect.isclass(value) or inspect.ismodule(value) or isinstance(value, Mapping):
        return False
    login = getattr(value, "login", None)
    if not callable(login) or is_client(value) or is_application(value):
        return False
    try:
        inspect.signature(login).bind()
    except (TypeError, ValueError):
        return False
    return True


def is_token(name: str, value: object) -> bool:
    """Say whether the fixture `name` gives a user's token: a long text without spaces."""
    if not isinstance(value, str) or not TOKEN_NAMES.search(name):
        return False
    return len(value) >= SHORTEST_TOKEN and not re.search(r"\s|://", value)


def is_credentials(value: object) -> bool:
    """Say whether `value` is a dict of headers that identify a user."""
    if not isinstance(value, Mapping) or not value:
        return False
    if not all(isinstance(part, str) for pair in value.items() for part in pair):
        return False
    names = [str(name).lower() for name in value]
    return any(
        name in ("authorization", "cookie") or name.startswith(HEADER_PREFIX) or "token" in name
        for name in names
    )
