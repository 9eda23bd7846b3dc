"""An application without a fixture: found by `sut.finding.discovery`, run in a sandbox."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_evosearch.bridge.applications.stand_in_keys import put_key
from pytest_evosearch.bridge.applications.stand_in_variables import with_variables_of_files
from pytest_evosearch.core.isolation import os
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.errors import EvosearchUsageError
from pytest_evosearch.report.causes import causes_counted
from pytest_evosearch.report.terminal_lines import finding_with_origin
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import make_client
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.databases import configured_places
from pytest_evosearch.sut.databases import refuse_server_databases
from pytest_evosearch.sut.databases import server_variables
from pytest_evosearch.sut.finding.application_loader import LoadedApplication
from pytest_evosearch.sut.finding.discovery import LATE
from pytest_evosearch.sut.finding.discovery import RUNNING
from pytest_evosearch.sut.finding.discovery import has_routes
from pytest_evosearch.sut.finding.discovery import is_prepared_by_a_program
from pytest_evosearch.sut.finding.discovery import load_application
from pytest_evosearch.sut.finding.discovery import prepared_by_a_program
from pytest_evosearch.sut.finding.dotenv_files import variables_of_files
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.unset_variables import unset_again
from pytest_evosearch.sut.finding.wanted_servers import names_a_server
from pytest_evosearch.sut.fixture_texts.server_text import can_be_written
from pytest_evosearch.sut.fixture_texts.support_text import CLIENT_FIXTURE
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.sandbox.confinement import Guard
from pytest_evosearch.sut.sandbox.confinement import sandbox
from pytest_evosearch.sut.servers.mongo_in_memory import advice
from pytest_evosearch.sut.servers.mongo_in_memory import mongo_in_memory
from pytest_evosearch.sut.servers.throw_away_servers import ThrowAwayServers
from pytest_evosearch.sut.shortcuts.absent_mail_server import absent_mail_server
from pytest_evosearch.sut.shortcuts.mail_servers import unasked_mail_servers
from pytest_evosearch.sut.shortcuts.replaced_services import StandIns
from pytest_evosearch.sut.surroundings import is_context_pushed
from pytest_evosearch.sut.surroundings import project_modules
from pytest_evosearch.sut.users.first_connections import note_first_connections
from pytest_evosearch.sut.users.minted_users import MintedUsers
from pytest_evosearch.sut.users.minted_users import mint_users
from pytest_evosearch.sut.users.missing_tables import create_missing_tables
from pytest_evosearch.sut.users.missing_tables import is_missing_tables
from pytest_evosearch.sut.watching.absent_clients import AbsentClients
from pytest_evosearch.sut.watching.sqlite_connections import withheld_tables

SHOWN_ATTEMPTS = 5
"""Blocked attempts that are reported one by one."""

MOST_PASSED_OVER = 2
"""Most crashed applications in one notice."""


def load_standalone(
    spec: str | None,
    settings: Settings,
    resources: ExitStack,
    find_users: Callable[[Any], Mapping[str, User]],
    notify: Callable[[str], None],
    visit: Visit,
) -> AppHandle:
    """Load the application called `spec`, or a discovered one, inside a sandbox.

    The sandbox lasts until `resources` is closed; then `notify` gets what it blocked.  Raise
    `ApplicationNotFound` when there is no application, and `EvosearchUsageError` when it works on a
    server's database.
    """
    guard = resources.enter_context(
        sandbox(
            settings.rootdir,
            allow_net=settings.application.allow_net,
            writable=_writable(settings),
            notify=notify,
        )
    )
    resources.callback(_report_blocked, guard, notify)
    resources.callback(_report_withheld, notify)
    servers = ThrowAwayServers(resources)
    plays_mongo = _led_away(servers, resources, settings)
    sends_mail = resources.enter_context(absent_mail_server(settings.application.allow_net))
    of_files = variables_of_files(settings.rootdir)
    os.environ.update(of_files)
    resources.callback(unset_again, of_files)
    tests = ParsedTests(settings.rootdir)
    clients = AbsentClients(settings.rootdir)
    resources.callback(clients.undo)
    loaded = _loaded(spec, settings.rootdir, tests, clients, notify)
    absent = clients.names
    _report_loading(loaded, notify)
    if loaded.variables:
        resources.callback(unset_again, loaded.variables)
    asks_mail_servers = resources.enter_context(unasked_mail_servers())
    refuse_server_databases(loaded.app, allow=settings.application.allow_db)
    modules = project_modules(settings.rootdir)
    places = [] if settings.application.allow_db else list(configured_places(loaded.app))
    for place in places:
        servers.start(place)
    if not places:
        note_first_connections(loaded.app, visit, modules)
    _refuse_unwritable(settings)
    keys = put_key(loaded.app, settings.rootdir, "client", notify)
    loaded, preparation = _with_tables(loaded, visit, settings.rootdir)
    minted = MintedUsers(find_users(loaded.app), ())
    if not minted.users:
        minted = mint_users(loaded.app)
    support = support_of(loaded, settings, preparation, databases=bool(guard.connections.files))
    origin = "--evosearch-app" if spec is not None else "found without fixtures, sandboxed"
    handle = AppHandle(
        app=loaded.app,
        description=loaded.description,
        make_client=lambda: make_client(loaded.app),
        users=minted.users,
        support=replace(support, sources=(*keys, *minted.sources)),
        sandboxed=True,
        stand_ins=lambda: StandIns(asks_mail_servers(), sends_mail(), plays_mongo(), absent),
        blocked=lambda: guard.blocked,
        harms=lambda: guard.harms,
        note_attempts=guard.adopt,
        original_of=lambda path: guard.originals.get(path, path),
        findings={
            "app": finding_with_origin(loaded.description, origin),
            "client": "app.test_client()",
            **({"auth": minted.description} if minted.description else {}),
        },
    )
    return with_variables_of_files(handle, settings, tuple(of_files), notify)


def _led_away(
    servers: ThrowAwayServers, resources: ExitStack, settings: Settings
) -> Callable[[], bool]:
    """Lead connections away from real servers; return what says whether MongoDB is played."""
    if settings.application.allow_db:
        return bool
    resources.enter_context(watched_server_connections(servers.lead))
    return resources.enter_context(mongo_in_memory())


def _with_tables(
    loaded: LoadedApplication, visit: Visit, root: Path
) -> tuple[LoadedApplication, str | None]:
    """Return the application, and the statements that created its tables, None without any.

    Where a table is still missing, the application is returned as a program prepares it.
    """
    modules = project_modules(root)
    is_new = any(map(names_a_server, loaded.variables.values()))
    preparation = create_missing_tables(loaded.app, visit, modules, root, is_new)
    is_complete = preparation is not None or loaded.program is not None
    # Pages are asked for only where that may help: a hostile one harms.
    if is_complete or not is_prepared_by_a_program(loaded, root):
        return loaded, preparation
    if not is_missing_tables(loaded.app, visit, modules):
        return loaded, None
    served = prepared_by_a_program(loaded, root)
    if served is None:
        return loaded, None
    return served, create_missing_tables(served.app, visit, project_modules(root), root)


def _report_loading(loaded: LoadedApplication, notify: Callable[[str], None]) -> None:
    """Tell what failed that may add endpoints, and which unset variables got a value."""
    if not has_routes(loaded) and (failed := [one for one in loaded.tried if RUNNING in one]):
        notify(f"what may add its endpoints failed: {'; '.join(failed)}")
    if late := [one.removeprefix(LATE) for one in loaded.tried if one.startswith(LATE)]:
        notify(
            f"handlers read settings that nothing has set: {'; '.join(late)}: give the tests a "
            "`client` fixture that sets them"
        )
    if loaded.passed_over:
        others = "; ".join(loaded.passed_over[:MOST_PASSED_OVER])
        notify(f"{loaded.description} is searched, because what comes first crashed: {others}")
    if loaded.variables:
        given = ", ".join(f"{name}={value}" for name, value in loaded.variables.items())
        notify(f"the application needs unset variables: the search and its tests set {given}")


def _loaded(
    spec: str | None,
    root: Path,
    tests: ParsedTests,
    services: AbsentClients,
    notify: Callable[[str], None],
) -> LoadedApplication:
    """Load the application, and report the missing services that it needs while loading.

    Where it cannot be loaded without a service, a mock replaces the client.
    """
    try:
        with services.installed():
            loaded = load_application(spec, root, tests)
    except ApplicationNotFound as error:
        missed = _missed(services)
        if services.replace_last():
            notify(f"loading the application needs {missed}: mocks replace it")
            return _loaded(spec, root, tests, services, notify)
        if not missed:
            raise
        raise ApplicationNotFound(
            f"{error}; loading it needs a service that is not running: {missed}; start it, or "
            "give the application in a fixture that replaces the service"
        ) from error
    if missed := _missed(services):
        notify(f"loading the application needs a service that is not running: {missed}")
    return loaded


def _missed(services: AbsentClients) -> str:
    """Return the missing services, with what would stand for one of them; empty for none."""
    missed = ", ".join(f"{one.name} ({one.reason})" for one in services.take())
    return f"{missed} ({advised})" if missed and (advised := advice()) else missed


def _refuse_unwritable(settings: Settings) -> None:
    """Raise where the search started a server that written tests could not start."""
    connections = active_server_connections()
    driver = connections.led_driver() if connections is not None else ""
    if driver and not settings.application.allow_db and not can_be_written(driver):
        raise EvosearchUsageError(
            f"the application connects to a server by {driver}, for which written tests cannot "
            "start one yet: give the application in a fixture, or allow the server with "
            "--evosearch-allow-db"
        )


def support_of(
    loaded: LoadedApplication, settings: Settings, preparation: str | None, *, databases: bool
) -> Support:
    """Return what written tests need for an application that was loaded just now."""
    connections = active_server_connections()
    led = connections is not None and connections.led_driver()
    named = server_variables(os.environ) if led else {}
    recipe = SupportText(
        import_statement=loaded.import_statement,
        expression=loaded.expression,
        path_entries=loaded.path_entries,
        databases=databases,
        isolated=is_context_pushed(),
        preparation=preparation,
        is_connexion=loaded.is_connexion,
        dispatcher=loaded.dispatcher,
        variables={**named, **loaded.variables},
        program=loaded.program,
    )
    text = conftest_text(recipe, _output_folder(settings))
    return Support(CLIENT_FIXTURE, "", text, recipe=recipe)


def _output_folder(settings: Settings) -> Path:
    """Return the folder where the engine writes when no conftest of the project decides it."""
    if settings.suite.output is not None:
        return settings.suite.output
    tests = settings.rootdir / "tests"
    return (tests if tests.is_dir() else settings.rootdir) / "evosearch"


def _report_blocked(guard: Guard, notify: Callable[[str], None]) -> None:
    """Report what the application tried and the sandbox blocked, with places in its source."""
    causes = causes_counted(guard.counts)
    for cause in causes[:SHOWN_ATTEMPTS]:
        notify(f"the sandbox blocked: {cause.line} ({cause.times} times)")
    if len(causes) > SHOWN_ATTEMPTS:
        notify(f"the sandbox blocked {len(causes) - SHOWN_ATTEMPTS} more kinds of attempts")


def _report_withheld(notify: Callable[[str], None]) -> None:
    """Report the rows of people that neither the search nor its tests have seen."""
    for name, tables in withheld_tables().items():
        listed = ", ".join(tables)
        notify(f"{name} holds people: rows of {listed} are not in the copies that tests use")


def _writable(settings: Settings) -> list[Path]:
    """Return the folders to which this plugin writes."""
    return [
        folder for folder in (settings.suite.output, settings.reports.report) if folder is not None
    ]
