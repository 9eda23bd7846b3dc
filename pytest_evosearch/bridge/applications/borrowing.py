"""Applications that only the project's test modules prepare: test cases and local fixtures.

No other module can request what they prepare.  So the written tests get a conftest.py that imports
it from these modules.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import TestCase

from pytest_evosearch.bridge.applications.fixtures import Scene
from pytest_evosearch.bridge.applications.fixtures import leaves_context_pushed
from pytest_evosearch.bridge.applications.project_clients import asks_connexion
from pytest_evosearch.bridge.applications.project_clients import client_factory
from pytest_evosearch.bridge.applications.project_clients import connexion_of
from pytest_evosearch.bridge.applications.project_clients import is_connexion
from pytest_evosearch.bridge.applications.project_clients import preserves_contexts
from pytest_evosearch.bridge.applications.stand_in_keys import put_key
from pytest_evosearch.bridge.applications.unittest_case import PreparedCase
from pytest_evosearch.bridge.applications.unittest_case import application_of
from pytest_evosearch.bridge.applications.unittest_case import login_of
from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.report.terminal_lines import finding_with_origin
from pytest_evosearch.sut.asgi import put_front
from pytest_evosearch.sut.finding.application_loader import import_folders
from pytest_evosearch.sut.fixture_texts.borrowed_text import BORROWED_PREFIX
from pytest_evosearch.sut.fixture_texts.borrowed_text import CASE_FIXTURE
from pytest_evosearch.sut.fixture_texts.borrowed_text import LOGIN_FIXTURE
from pytest_evosearch.sut.fixture_texts.borrowed_text import CaseText
from pytest_evosearch.sut.fixture_texts.borrowed_text import case_fixtures
from pytest_evosearch.sut.fixture_texts.borrowed_text import client_of_connexion
from pytest_evosearch.sut.fixture_texts.borrowed_text import client_of_fixture
from pytest_evosearch.sut.fixture_texts.borrowed_text import imported_fixtures
from pytest_evosearch.sut.fixture_texts.borrowed_text import imports_of_fixtures
from pytest_evosearch.sut.fixture_texts.support_text import APP_FIXTURE
from pytest_evosearch.sut.fixture_texts.support_text import CLIENT_FIXTURE
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.users.minted_users import mint_users
from pytest_evosearch.sut.users.offered_users import user_from


def handle_of_case(
    case: PreparedCase,
    find_users: Callable[[Any], Mapping[str, User]],
    root: Path,
    notify: Callable[[str], None],
) -> AppHandle:
    """Return the application of a prepared test case; `root` is the project's folder."""
    client_attribute = case.client_attribute
    client: Any = getattr(case.instance, client_attribute) if client_attribute else None
    app = _application_of(case)
    keys = put_key(app, root, "client", notify)
    users = dict(find_users(app))
    if case.login_method is not None:
        login = login_of(case, case.login_method)
        users[LOGIN_FIXTURE] = user_from(LOGIN_FIXTURE, login, fixture=LOGIN_FIXTURE)
    attribute = client_attribute or case.connexion_attribute
    described = f"self.{attribute}" if attribute else "app.test_client()"
    findings = {
        "app": finding_with_origin(app.import_name, case.origin),
        "client": f"{described} after its setUp",
    }
    support = replace(_support_of_case(case), sources=keys)
    if LOGIN_FIXTURE in users:
        findings["auth"] = f"via self.{case.login_method}()"
    if not users:
        minted = mint_users(app)
        users, support = dict(minted.users), replace(support, sources=(*keys, *minted.sources))
        findings.update({"auth": minted.description} if users else {})
    return AppHandle(
        app=app,
        description=case.origin,
        make_client=client_factory(client) if client is not None else app.test_client,
        users=users,
        support=support,
        findings=findings,
    )


def _application_of(case: PreparedCase) -> Any:
    """Return the Flask application of a prepared case; raise `ApplicationNotFound` without one."""
    if case.connexion_attribute is not None:
        return put_front(connexion_of(getattr(case.instance, case.connexion_attribute)))
    app = application_of(case)
    if app is None:
        raise ApplicationNotFound(
            f"{case.origin} has a client that is not Flask's; a running server of it is "
            "searched from outside with --evosearch-url=http://127.0.0.1:5000"
        )
    return app


def _support_of_case(case: PreparedCase) -> Support:
    kind = case.kind
    held = f"{CASE_FIXTURE}.{case.client_attribute}"
    app = f"{CASE_FIXTURE}.{case.app_attribute}" if case.app_attribute else f"{held}.application"
    served = _served_by(case)
    app = app if served is None else f"{served}.app"
    text = case_fixtures(
        CaseText(
            module=kind.__module__,
            name=kind.__name__,
            app=app,
            client=held if case.client_attribute else f"{APP_FIXTURE}.test_client()",
            client_attribute=case.client_attribute,
            connexion=served,
            login_method=case.login_method,
            before=[name for name in ("_pre_setup", "setUp") if _defines(kind, name)],
            after=[name for name in ("tearDown", "_post_teardown") if _defines(kind, name)],
            prepares_class=_defines(kind, "setUpClass") or _defines(kind, "tearDownClass"),
            isolated=case.context_pushed,
        )
    )
    recipe = SupportText(
        import_statement="",
        expression="",
        path_entries=import_folders(sys.modules[kind.__module__]),
        isolated=case.context_pushed,
        borrowed=text,
    )
    return _with_recipe(recipe, CLIENT_FIXTURE, case.folder)


def _served_by(case: PreparedCase) -> str | None:
    """Return how a prepared case leads to a Connexion application; None when it has none."""
    if case.connexion_attribute is None:
        return None
    held = f"{CASE_FIXTURE}.{case.connexion_attribute}"
    value = getattr(case.instance, case.connexion_attribute)
    return f"{held}.app" if asks_connexion(value) else held


def _defines(kind: type[TestCase], name: str) -> bool:
    """Say whether the project, or Flask-Testing, gives `kind` a method that does something."""
    return getattr(getattr(kind, name, None), "__func__", getattr(kind, name, None)) is not getattr(
        getattr(TestCase, name, None), "__func__", getattr(TestCase, name, None)
    )


def support_of_local_fixture(scene: Scene, folder: Path, fixtures: tuple[str, ...]) -> Support:
    """Return support that imports the client's fixtures from their test modules.

    Every written test requests `fixtures` in addition to the client.
    """
    site = scene.primary
    modules, folders = _local_modules(scene, fixtures)
    isolated = leaves_context_pushed(scene)
    preserving = preserves_contexts(scene.value)
    recipe = SupportText(
        import_statement="",
        expression="",
        path_entries=folders,
        isolated=isolated,
        borrowed=imported_fixtures(modules, site.name, isolated, preserving),
        app_fixture=site.name,
    )
    return _with_recipe(recipe, site.name, folder, fixtures)


def _local_modules(
    scene: Scene, fixtures: tuple[str, ...]
) -> tuple[dict[str, list[str]], tuple[Path, ...]]:
    """Return the names of local fixtures by test module, and the folders of these modules."""
    modules: dict[str, list[str]] = {}
    folders: dict[Path, None] = {}
    automatic = scene.fixtures.automatic_in_module(scene.synthetic.automatic)
    for name in sorted(scene.fixtures.closure([scene.primary.name, *automatic, *fixtures])):
        needed = scene.fixtures.sites.get(name)
        if needed is None or not scene.fixtures.is_local(needed):
            continue
        module = sys.modules[needed.function.__module__]
        modules.setdefault(module.__name__, []).append(name)
        folders.update(dict.fromkeys(import_folders(module)))
    return modules, tuple(folders)


def common_folder(scene: Scene) -> Path | None:
    """Return the folder above all tests that use the client; None when there are none.

    When a plugin is missing, no test can use the client.  Then return the folder of the module that
    defines it for its own tests.
    """
    paths = [str(item.path.parent) for item in scene.fixtures.tests_using(scene.primary.name)]
    if not paths and scene.fixtures.is_local(scene.primary):
        return scene.primary.path.parent
    return Path(os.path.commonpath(paths)) if paths else None


def support_of_app_fixture(
    scene: Scene, folder: Path, fixtures: tuple[str, ...], rows: tuple[str, ...] = ()
) -> Support:
    """Return support for a project whose fixtures give an application but no client.

    The written client requests `rows`: fixtures that create the tables and fill them.
    """
    name = scene.primary.name
    isolated = leaves_context_pushed(scene)
    imports = ""
    folders: tuple[Path, ...] = ()
    if scene.fixtures.is_local(scene.primary):
        modules, folders = _local_modules(scene, (*fixtures, *rows))
        # The written fixture has this name itself.
        wrapped = name if name == CLIENT_FIXTURE else None
        imports = f"{imports_of_fixtures(modules, wrapped)}\n\n"
        name = f"{BORROWED_PREFIX}{name}" if wrapped else name
    source = imports + _client_source(scene, name, isolated, rows)
    recipe = SupportText(
        "", "", path_entries=folders, isolated=isolated, borrowed=source, app_fixture=name
    )
    return _with_recipe(recipe, CLIENT_FIXTURE, folder, fixtures)


def _client_source(scene: Scene, name: str, isolated: bool, rows: tuple[str, ...]) -> str:
    """Return the source of the client, made from the fixture called `name`."""
    if asks_connexion(scene.value):
        return client_of_connexion(name, f"{name}.app", isolated, rows)
    if is_connexion(scene.value):
        return client_of_connexion(name, name, isolated, rows)
    return client_of_fixture(name, isolated, rows)


def _with_recipe(
    recipe: SupportText, client: str, folder: Path, fixtures: tuple[str, ...] = ()
) -> Support:
    text = conftest_text(recipe, folder / "evosearch")
    return Support(client, str(folder), text, fixtures=fixtures, recipe=recipe)
