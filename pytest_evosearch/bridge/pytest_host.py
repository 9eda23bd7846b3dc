"""Brings the application to the engine, from the source that knows it best.

    --evosearch-url | --evosearch-app
    | pytest_evosearch_app hook | the project's fixtures | sut.finding.discovery

When a source fails, one line reports it and the next source is tried.  The first two have no
successor, because the user named them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.fixture_candidates import ProjectFixtures
from pytest_evosearch.bridge.applications.fixture_candidates import is_generated
from pytest_evosearch.bridge.applications.fixtures import RESET_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import USERS_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import Scene
from pytest_evosearch.bridge.applications.fixtures import SceneBuilder
from pytest_evosearch.bridge.applications.given_fixtures import GivenFixtures
from pytest_evosearch.bridge.applications.scene_handles import SceneHandles
from pytest_evosearch.bridge.applications.scene_values import seeds_of
from pytest_evosearch.bridge.applications.set_up_stopwatch import timed_set_up
from pytest_evosearch.bridge.applications.stand_in_variables import StandInVariables
from pytest_evosearch.bridge.applications.stand_in_variables import with_variables_of_files
from pytest_evosearch.bridge.applications.unittest_case import PreparedCase
from pytest_evosearch.bridge.applications.unittest_case import case_classes
from pytest_evosearch.bridge.applications.unittest_case import prepare_case
from pytest_evosearch.bridge.capture import Voice
from pytest_evosearch.bridge.hook_wiring.hook_calls import HookCalls
from pytest_evosearch.bridge.imports.starting_waits import StartingWaits
from pytest_evosearch.bridge.interrupts import InterruptFlag
from pytest_evosearch.bridge.island_processes import Identity
from pytest_evosearch.bridge.left_servers import servers_journal
from pytest_evosearch.bridge.recorded_tests import recorded_tests
from pytest_evosearch.bridge.starting import starting_of
from pytest_evosearch.core.clock import monotonic
from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.execution.visiting import CarefulVisit
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import LISTENING_SHARE
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import OwnTests
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User
from pytest_evosearch.sut.watching.recorded_requests import RecordedTest


class PytestHost:
    """The engine's `Host` inside a pytest session."""

    def __init__(
        self,
        session: pytest.Session,
        settings: Settings,
        items: Sequence[pytest.Item],
        voice: Voice,
        interrupt: InterruptFlag,
        notify: Callable[[str], None],
        hooks: HookCalls,
        recording: Any = None,
        safe: Safekeeping | None = None,
    ) -> None:
        self._session = session
        self._safe = safe
        self._hooks = hooks
        self._config = session.config
        self._settings = settings
        self._items = items
        self._voice = voice
        self._interrupt = interrupt
        self._notify = notify
        self._visit = CarefulVisit(recording)
        self._resets: list[Callable[[], object]] = []
        self._set_up_seconds = 0.0
        """How long the fixtures took that were tried last."""
        self._silence: Callable[[], str | None] = lambda: None
        """Returns why a running server does not respond any more; None while it does."""
        self._resources = ExitStack()
        self._project = ExitStack()
        """Fixtures that are set up, and the databases that they open; not the sandbox."""
        self._variables = StandInVariables(settings.rootdir)
        """Environment variables that fixtures asked for and did not find."""
        self._databases = ExitStack()
        """Databases that fixtures open; kept to the end, as the written tests open them, too."""
        self._put_backs: list[Callable[[], None]] = []
        """Restore these databases at once."""

    def load_app(self) -> AppHandle:
        """Return the application; raise `ApplicationNotFound` with a line that says what to do."""
        from pytest_evosearch.sut.database_servers.preserved_servers import preserved_servers
        from pytest_evosearch.sut.state.preserved_databases import preserved_databases

        starting = starting_of(self._config)
        began = monotonic()
        recorded = self._recorded()  # before anything is set up, opened or watched
        recording_seconds = monotonic() - began
        journal = servers_journal(self._config)
        kept = (preserved_databases(self._safe), preserved_servers(journal))
        self._put_backs += map(self._databases.enter_context, kept)
        for put_back in self._put_backs:
            self._project.callback(put_back)
        self._databases.callback(self._variables.take_back)
        with starting.limited(self._settings.budget.seconds):
            handle = self._load_told(starting.waits)
        starting.end()
        handle = self._with_variables(handle)
        taken = ProjectFixtures(self._session, self._items).names()
        own = not all(is_generated(item.path) for item in self._items)
        handle = replace(
            handle,
            tests=OwnTests(own, recorded, recording_seconds),
            support=replace(handle.support, taken_fixtures=taken),
        )
        self._use_reset_hooks(None if handle.outside else handle.app)
        self._interrupt.armed = True
        return handle

    def reset(self) -> None:
        """Call the project's own resets: the fixture first, then the hooks."""
        for reset in self._resets:
            reset()

    def stop_requested(self) -> str | None:
        """Return why to stop: Ctrl-C, or a request of another plugin; None to go on."""
        if self._interrupt.raised:
            return "interrupted by Ctrl-C"
        for wish in (self._session.shouldstop, self._session.shouldfail):
            if wish:
                return wish if isinstance(wish, str) else "the session was told to stop"
        return self._silence()

    def quiet(self) -> AbstractContextManager[None]:
        """Keep the application's output from the terminal while inside."""
        return self._voice.quiet()

    def speak(self) -> AbstractContextManager[None]:
        """Let this plugin's lines reach the terminal while inside."""
        return self._voice.speak()

    def release(self) -> None:
        """Tear the fixtures down, and put the databases back."""
        self._project.close()

    def put_databases_back(self) -> None:
        """Restore databases that a run of the written tests has changed; call `release` before."""
        for put_back in self._put_backs:
            put_back()

    def close(self) -> None:
        """Leave the sandbox, tear the fixtures down, and restore what verification changed."""
        self._resources.close()
        self.release()
        self._databases.close()

    def _with_variables(self, handle: AppHandle) -> AppHandle:
        """Return the application; its written tests set the variables that its fixtures needed."""
        given, of_files = tuple(self._variables.given), tuple(self._variables.of_files)
        if given:
            self._notify(self._variables.notice)
            handle = handle.with_source(self._variables.source)
            handle = replace(handle, support=replace(handle.support, variables=given))
        return with_variables_of_files(handle, self._settings, of_files, self._notify)

    def _load_told(self, waits: StartingWaits) -> AppHandle:
        """Load the application; tell which waits were passed over, also where it was not found."""
        try:
            handle = self._load()
        except ApplicationNotFound as error:
            if not waits.description:
                raise
            raise ApplicationNotFound(f"{error}; {waits.description}") from error
        if not waits.description or handle.outside:
            return handle
        self._notify(f"setting up the application: {waits.description}, also in the tests")
        return handle.with_source(waits.source)

    def _load(self) -> AppHandle:
        from pytest_evosearch.sut.finding.discovery import imports_something  # needs Flask

        if self._settings.application.url is not None:
            return self._load_server(self._settings.application.url)
        if self._settings.application.app is not None:
            return self._load_by_name(self._settings.application.app)
        given = self._hooks.call("pytest_evosearch_app")
        if given is not None:
            return self._load_given(given)
        fixtures = ProjectFixtures(self._session, self._items)
        builder = SceneBuilder(
            fixtures,
            self._notify,
            self._variables,
            self._settings.rootdir,
            packages=self._settings.application.source,
        )
        self._project.callback(builder.let_go)
        prepared = self._load_prepared(builder)
        if prepared is not None:
            return prepared
        if imports_something(self._settings.rootdir):
            builder.let_go()
        try:
            return self._load_by_name(None)
        except ApplicationNotFound as error:
            reason = builder.tried.explain(error)
            self._resources.close()  # the sandbox, in which no fixture is set up
            prepared = self._load_passed_over(builder)
            if prepared is None:
                raise ApplicationNotFound(reason) from error
            self._notify(f"the application that only tests make is searched: {reason}")
            return prepared

    def _load_passed_over(self, builder: SceneBuilder) -> AppHandle | None:
        """Return the application that only tests make: set up still, or once more."""
        builder.demands_project = False
        scene, builder.kept = builder.kept, None
        if scene is None:
            return self._load_prepared(builder) if builder.passed_over else None
        self._project.callback(self._close, scene)
        return replace(self._load_scene(scene), set_up_seconds=self._set_up_seconds)

    def _load_prepared(self, builder: SceneBuilder) -> AppHandle | None:
        """Return the application that the project's tests prepare; None without one."""
        with timed_set_up(self._config) as stopwatch:
            scene = builder.build()
            self._set_up_seconds = stopwatch.seconds
        if scene is None:
            return self._borrow(builder)
        self._project.callback(self._close, scene)
        return replace(self._load_scene(scene), set_up_seconds=self._set_up_seconds)

    def _recorded(self) -> tuple[RecordedTest, ...]:
        """Return what the project's tests send; nothing where no search follows."""
        from pytest_evosearch.engine.writing import run_name  # a plan writes nothing

        identity = Identity.own()
        finishes = identity is not None and identity.finishes
        if finishes or self._settings.plan or self._settings.application.url is not None:
            return ()
        seconds = self._settings.budget.seconds
        return recorded_tests(
            self._items,
            self._settings.rootdir,
            run_name(self._settings),
            math.inf if seconds is None else LISTENING_SHARE * seconds,
            servers_journal(self._config),
        )

    def _borrow(self, builder: SceneBuilder) -> AppHandle | None:
        """Use what only the test modules prepare: test cases, else fixtures of one module."""
        from pytest_evosearch.bridge.applications.borrowing import handle_of_case

        if case_classes(self._items):
            builder.let_go()
        case = prepare_case(self._items, builder.tried, builder.lack_of)
        if case is not None:
            self._project.callback(self._close, case)
            return handle_of_case(case, self._hook_users, self._settings.rootdir, self._notify)
        scene = builder.build_local()
        if scene is None:
            return None
        self._project.callback(self._close, scene)
        return self._load_scene(scene)

    def _load_by_name(self, spec: str | None) -> AppHandle:
        from pytest_evosearch.bridge.applications.standalone import load_standalone

        return load_standalone(
            spec, self._settings, self._resources, self._hook_users, self._notify, self._visit
        )

    def _load_server(self, url: str) -> AppHandle:
        """Return a running server, with a client for each user of the project."""
        from pytest_evosearch.bridge.applications.outside import handle_of_server
        from pytest_evosearch.bridge.applications.outside import reached_server
        from pytest_evosearch.sut.users.offered_users import users_from

        server = reached_server(url, self._settings.application.allow_net, self._resources)
        self._silence = lambda: server.silence
        given = GivenFixtures(ProjectFixtures(self._session, self._items))
        self._project.callback(self._close, given)
        given.start()
        self._use_reset_fixture(given)
        resets = bool(self._resets) or self._hooks.is_used("pytest_evosearch_reset")
        users = self._hook_users(None)
        if given.has(USERS_FIXTURE):
            users.update(users_from(given.get(USERS_FIXTURE)))
        handle = handle_of_server(server, given, users, resets=resets)
        return replace(handle, seeds=seeds_of(given))

    def _load_given(self, app: Any) -> AppHandle:
        """Wrap what the hook returned; written tests need the project's own client fixture."""
        implementation = self._config.hook.pytest_evosearch_app.get_hookimpls()[-1]
        site = ProjectFixtures(self._session, self._items).sites.get("client")
        if site is None:
            self._notify(
                'no fixture "client" gives the application of the hook pytest_evosearch_app '
                "to the written tests: define one"
            )
        return AppHandle(
            app=app,
            description=f"hook pytest_evosearch_app ({implementation.plugin_name})",
            make_client=app.test_client,
            users=self._hook_users(app),
            support=Support(directory=str(site.path.parent) if site else ""),
            findings={"app": f"hook pytest_evosearch_app ({implementation.plugin_name})"},
        )

    def _load_scene(self, scene: Scene) -> AppHandle:
        """Return the application of a scene, after its tables and its reset were set up."""
        handles = SceneHandles(
            self._settings.rootdir,
            self._config.rootpath,
            self._settings.suite.output,
            self._notify,
            self._variables,
            self._visit,
            self._hook_users,
        )
        handles.add_database(scene)
        self._use_reset_fixture(scene)
        return handles.handle_of(scene)

    def _hook_users(self, app: Any) -> dict[str, User]:
        from pytest_evosearch.sut.users.offered_users import users_from

        users: dict[str, User] = {}
        for mapping in self._hooks.call("pytest_evosearch_users", app=app):
            users.update(users_from(mapping, fixture=None))
        return users

    def _use_reset_fixture(self, scene: Scene | GivenFixtures) -> None:
        if not scene.has(RESET_FIXTURE):
            return
        reset = scene.get(RESET_FIXTURE)
        if callable(reset):
            self._resets.append(reset)
        else:
            self._notify(f'fixture "{RESET_FIXTURE}" must give a function, not {reset!r:.60}')

    def _use_reset_hooks(self, app: Any) -> None:
        if self._hooks.is_used("pytest_evosearch_reset"):
            self._resets.append(lambda: self._hooks.call("pytest_evosearch_reset", app=app))

    def _close(self, prepared: Scene | PreparedCase | GivenFixtures) -> None:
        """Tear down; report a failure, but do not let it hide the results of a long search."""
        try:
            prepared.close()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._notify(
                f"tearing the project's fixtures down failed: {text_of_exception(error):.120}"
            )
