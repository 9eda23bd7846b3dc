"""Makes the application's handle from the fixtures that a scene has set up."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pytest_evosearch.bridge.applications.application_name import expression_of
from pytest_evosearch.bridge.applications.fixture_candidates import DATABASE_NAMES
from pytest_evosearch.bridge.applications.fixture_candidates import FixtureSite
from pytest_evosearch.bridge.applications.fixtures import USERS_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import Scene
from pytest_evosearch.bridge.applications.fixtures import application_fixture
from pytest_evosearch.bridge.applications.fixtures import leaves_context_pushed
from pytest_evosearch.bridge.applications.project_clients import client_factory
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.bridge.applications.scene_values import application_of
from pytest_evosearch.bridge.applications.scene_values import description_of_users
from pytest_evosearch.bridge.applications.scene_values import isolated_fixture
from pytest_evosearch.bridge.applications.scene_values import kept_fresh
from pytest_evosearch.bridge.applications.scene_values import seeds_of
from pytest_evosearch.bridge.applications.scene_values import with_isolated_users
from pytest_evosearch.bridge.applications.stand_in_keys import put_key
from pytest_evosearch.bridge.applications.stand_in_variables import StandInVariables
from pytest_evosearch.bridge.applications.user_fixtures import user_values
from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.execution.visiting import CarefulVisit
from pytest_evosearch.report.terminal_lines import finding_with_origin
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.surroundings import project_modules


@dataclass(frozen=True)
class SceneHandles:
    """Finds out what a scene's fixtures give: the application, its tables, users and clients."""

    rootdir: Path
    rootpath: Path
    """The root folder of pytest, above which no conftest counts."""
    output: Path | None
    """The folder for written tests, if the user has chosen one."""
    notify: Callable[[str], None]
    variables: StandInVariables
    visit: CarefulVisit
    offered_users: Callable[[Any], dict[str, User]]
    """Returns the users that hooks offer for an application."""

    def handle_of(self, scene: Scene) -> AppHandle:
        """Return the application of fixtures that are set up, with its users."""
        from pytest_evosearch.sut.users.minted_users import mint_users

        app = application_of(scene)
        from_client = is_client(scene.value)
        make_client = client_factory(scene.value) if from_client else app.test_client
        client = scene.primary.name if from_client else "client"
        keys = put_key(app, self.rootdir, client, self.notify)
        users, extra, rows = self._users_of(scene, app)
        support = self._support(scene, app, from_client, extra, rows)
        support = replace(support, lasting=scene.lasts, sources=keys)
        support = with_isolated_users(support, scene, users.values())
        minted = None
        if not users:
            minted = mint_users(app, support.client_fixture)
        findings = self._findings(scene, app, users)
        if minted is not None and minted.users:
            users = dict(minted.users)
            support = replace(support, sources=(*keys, *minted.sources))
            findings["auth"] = minted.description
        return AppHandle(
            app=app,
            description=self._describe(scene, app),
            make_client=make_client,
            users=users,
            support=support,
            seeds=seeds_of(scene),
            findings=findings,
        )

    def add_database(self, scene: Scene) -> None:
        """Set up the project's fixture with the tables, if pages fail without it."""
        from pytest_evosearch.sut.users.missing_tables import is_missing_tables

        app, names = application_of(scene), scene.spare_databases()
        modules = project_modules(self.rootdir)
        if not names or not is_missing_tables(app, self.visit, modules):
            return
        for name in names:
            try:
                forget = partial(scene.forget_failure, name)
                self.variables.with_missing(partial(scene.get, name), forget)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self.notify(f'fixture "{name}" brings no tables: {text_of_exception(error)}')
                continue
            complete = not is_missing_tables(app, self.visit, modules)
            if complete or name in DATABASE_NAMES:  # by name: it creates at least some
                scene.companions = (*scene.companions, name)
            if complete:
                return

    def _users_of(
        self, scene: Scene, app: Any
    ) -> tuple[dict[str, User], tuple[str, ...], tuple[str, ...]]:
        """Return users, and two groups of fixtures that every written test must request.

        The first group belongs to the users.  The second group holds fixtures that are no users,
        but brought state to the search.
        """
        from pytest_evosearch.sut.users.offered_users import user_from
        from pytest_evosearch.sut.users.offered_users import users_from

        users = self.offered_users(app)
        from_client = is_client(scene.value)
        client = scene.primary.name if from_client else "client"
        if scene.has(USERS_FIXTURE):
            users.update(users_from(scene.get(USERS_FIXTURE), client_fixture=client))
            return users, (), ()
        extra: list[str] = []
        values, rows = user_values(scene, self.notify)
        for name, found in values.items():
            user = user_from(name, found.value, fixture=name, client_fixture=client)
            if user.client is not None:
                user = replace(
                    user,
                    client=found.client,
                    shares_client=found.shares_client,
                    replaces_client=from_client and found.replaces_client,
                )
            users[name] = kept_fresh(scene, user)
            extra += found.fixtures
        return users, tuple(extra), rows

    def _support(
        self,
        scene: Scene,
        app: Any,
        from_client: bool,
        extra: tuple[str, ...],
        rows: tuple[str, ...],
    ) -> Support:
        from pytest_evosearch.bridge.applications.borrowing import common_folder
        from pytest_evosearch.bridge.applications.borrowing import support_of_app_fixture
        from pytest_evosearch.bridge.applications.borrowing import support_of_local_fixture

        directory = self._conftest_folder(scene, app)
        is_local = scene.fixtures.is_local(scene.primary)
        if is_local:
            directory = common_folder(scene) or directory
        else:
            self._check_reach(scene, directory)
        if from_client:
            name = scene.primary.name
            fixtures = scene.without_repetition((*scene.companions, *extra, *rows))
            if is_local:
                return support_of_local_fixture(scene, directory, fixtures)
            pushed = leaves_context_pushed(scene)
            isolation = isolated_fixture(scene, name) if pushed else None
            people = tuple(one for one in fixtures if one in (*extra, *rows))
            return Support(
                name,
                str(directory),
                fixtures=fixtures,
                people=people,
                isolation=isolation,
                client_scope=scene.primary.scope,
            )
        brought = scene.without_repetition((*scene.companions, *rows))
        return support_of_app_fixture(scene, directory, extra, brought)

    def _check_reach(self, scene: Scene, directory: Path) -> None:
        """Raise `InvalidSetting` if tests in the chosen folder would not find the fixtures."""
        output = self.output
        if output is None or scene.primary.is_installed:
            return
        if not Path(os.path.realpath(output)).is_relative_to(os.path.realpath(directory)):
            raise InvalidSetting(
                f'--evosearch-output={output}: tests there do not find the fixture "'
                f'{scene.primary.name}" ({scene.primary.location(self.rootdir)}); choose '
                f"a folder below {directory}"
            )

    def _conftest_folder(self, scene: Scene, app: Any) -> Path:
        """Return the folder of the conftest that defines the client, else the application.

        A conftest that imports them will do.  Without one, return the folder above all tests that
        use the client.
        """
        from pytest_evosearch.bridge.applications.borrowing import common_folder
        from pytest_evosearch.bridge.internals import conftest_folder_of

        sites = [scene.primary, application_fixture(scene, app)]
        for site in sites:
            if site is not None and site.in_conftest:
                return site.path.parent
            if site is not None and not site.is_installed:
                folder = conftest_folder_of(site.definition, self.rootpath)
                if folder is not None:
                    return folder
        return common_folder(scene) or self.rootdir

    def _describe(self, scene: Scene, app: Any) -> str:
        site = application_fixture(scene, app)
        expression = expression_of(site, app) if site is not None else ""
        return expression or f'fixture "{(site or scene.primary).name}"'

    def _findings(self, scene: Scene, app: Any, users: Mapping[str, User]) -> dict[str, str]:
        root = self.rootdir
        site = application_fixture(scene, app) or scene.primary
        findings = {
            "app": finding_with_origin(
                expression_of(site, app) or app.import_name, _origin(site, root)
            ),
            "client": f'fixture "{scene.primary.name}"'
            if is_client(scene.value)
            else f'of fixture "{scene.primary.name}"',
        }
        if scene.companions:
            findings["client"] += f" with {', '.join(scene.companions)}"
        if users:
            findings["auth"] = description_of_users(users)
        return findings


def _origin(site: FixtureSite, root: Path) -> str:
    return f'fixture "{site.name}" ({site.location(root)}), {site.scope} scope'
