"""From a host and settings to everything that a search needs, and to the discovery block."""

from __future__ import annotations

import sys
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.graphql import graphql_operations
from pytest_evosearch.engine.graphql import listening_to_resolvers
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.judgement import choose_oracles
from pytest_evosearch.engine.judgement import choose_witness
from pytest_evosearch.engine.outside import endpoints_of_pages
from pytest_evosearch.engine.permanence import InProcess
from pytest_evosearch.engine.permanence import permanence_of
from pytest_evosearch.engine.rehearsal import changing_part
from pytest_evosearch.engine.state import StateRestorer
from pytest_evosearch.errors import NothingToGenerate
from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.forks import ForkedPerformer
from pytest_evosearch.execution.garbage import GarbageCollector
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.http import HttpExecutor
from pytest_evosearch.execution.performance import LocalPerformer
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.silence import SilentRecording
from pytest_evosearch.execution.sleep import ShortenedSleep
from pytest_evosearch.execution.surroundings import Probes
from pytest_evosearch.execution.surroundings import Surroundings
from pytest_evosearch.execution.threads import ThreadWatch
from pytest_evosearch.execution.threads import names_of
from pytest_evosearch.execution.threads import still_running
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.endpoint import Endpoint
from pytest_evosearch.problem.http.endpoint import Location
from pytest_evosearch.problem.http.pool import Offers
from pytest_evosearch.problem.http.problem import HttpProblem
from pytest_evosearch.problem.http.routes import endpoints_from_url_map
from pytest_evosearch.problem.http.routes import select_endpoints
from pytest_evosearch.problem.http.schema import Description
from pytest_evosearch.problem.http.schema import described_endpoints
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.lean import LeanSender
from pytest_evosearch.sut.leftovers import LeftoversWatch
from pytest_evosearch.sut.mounted import mounted_applications
from pytest_evosearch.sut.name_lookups import remembered_look_up_failures
from pytest_evosearch.sut.observe import ReadRecorder
from pytest_evosearch.sut.openapi_source import FoundDocument
from pytest_evosearch.sut.openapi_source import brought_document
from pytest_evosearch.sut.openapi_source import find_documents
from pytest_evosearch.sut.outbox import Outbox
from pytest_evosearch.sut.outbox import sends_mail
from pytest_evosearch.sut.outbox import suppress
from pytest_evosearch.sut.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.process_ends import ProcessEnds
from pytest_evosearch.sut.process_ends import installed_ends
from pytest_evosearch.sut.reset import choose_keeper
from pytest_evosearch.sut.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.sqlite_connections import active_connections
from pytest_evosearch.sut.sqlite_connections import watched_connections
from pytest_evosearch.sut.surroundings import project_modules
from pytest_evosearch.sut.trusted_certificates import certificates_on_demand
from pytest_evosearch.sut.validators.catching import ValidatorWatch
from pytest_evosearch.sut.witness import Witness
from pytest_evosearch.sut.written_files import WrittenFiles


@dataclass(frozen=True)
class Prepared:
    """A search that is ready to start."""

    handle: AppHandle
    endpoints: tuple[Endpoint, ...]
    problem: HttpProblem
    executor: HttpExecutor
    state: StateRestorer
    recording: Recording | None
    loaded: frozenset[TargetId]
    """Targets that loading the application covers: no test has to."""
    findings: Mapping[str, str]
    """Rows of the discovery block, in order."""
    notices: tuple[str, ...]
    validators: ValidatorWatch
    forks: ForkedPerformer
    """Executes in processes of their own, once it is started."""
    current: CurrentCall
    permanence: InProcess
    """What tests can count on."""
    extensions: Extensions = NO_EXTENSIONS
    waiting: tuple[Thread, ...] = ()
    """Threads that loading the application has started, and that would be waited for at the end."""

    def endless_threads(self) -> str:
        """Return a notice of threads that go on when the project's fixtures are torn down."""
        endless = names_of(still_running(self.waiting))
        if not endless:
            return ""
        return (
            "the application leaves threads running that keep pytest from ending: "
            f"{', '.join(endless)} (make them daemons)"
        )

    def known_targets(self) -> int:
        """Count the targets of the loaded source that tests have to cover."""
        if self.recording is None:
            return 0
        return len(self.recording.catalog) - len(self.loaded)

    def expected_targets(self) -> Collection[TargetId]:
        """Return the targets of the loaded source that tests have to cover."""
        if self.recording is None:
            return ()
        return [t for t in self.recording.catalog.targets() if t not in self.loaded]

    def constants(self) -> frozenset[object]:
        """Return the literals of the application's code."""
        if self.recording is None:
            return frozenset()
        return frozenset(value for value, _line in self.recording.catalog.constants())

    def retire(self, targets: Iterable[TargetId]) -> None:
        """Silence the probes of what is covered."""
        self.executor.retire(targets)

    def respecialize(self) -> None:
        """Free the application's code of the probes that are silent for good."""
        self.executor.respecialize()


@contextmanager
def prepared(
    settings: Settings,
    host: Host,
    recording: Recording | None,
    extensions: Extensions = NO_EXTENSIONS,
) -> Iterator[Prepared]:
    """Load the application and wire problem and executor; undo every patch at the end."""
    with ExitStack() as stack:
        garbage = GarbageCollector()
        stack.enter_context(garbage.installed())
        current = CurrentCall()
        threads = ThreadWatch(current)
        stack.enter_context(threads.installed())
        # Before the application exists: fixtures open databases and register users.
        connections = stack.enter_context(watched_connections())
        ends = stack.enter_context(installed_ends())
        stack.enter_context(cheap_password_hashing())
        stack.enter_context(certificates_on_demand())
        files = stack.enter_context(WrittenFiles(settings.rootdir).installed())
        stack.enter_context(remembered_look_up_failures())
        # Patches are undone in reverse order: those of the host lie on top of ours.
        stack.callback(host.close)
        handle = host.load_app()
        # What loading started may only have something to finish.
        waiting = tuple(threads.lingering())
        notices = [handle.unrestored] if handle.unrestored else []
        schema, described = _described(settings, handle, recording, extensions, notices)
        endpoints = described.endpoints
        oracles = choose_oracles(settings, handle.app, endpoints, described.document, notices)
        oracles += extensions.oracles
        modules = _application_modules(settings, handle, recording)
        keeper = choose_keeper(handle.app, modules)
        stack.callback(keeper.close)
        known = active_connections() or connections
        source_name = _source_names(recording, settings.rootdir)
        watches = _watch(stack, settings, handle, modules, known, ends)
        resolvers = listening_to_resolvers(stack, handle, endpoints, source_name)
        problem = _problem(settings, handle, described, recording, extensions)
        notices += _unrepeatable(extensions, endpoints)
        state = StateRestorer(keeper, host, problem)
        surroundings = Surroundings(
            handle=handle,
            endpoint=problem.endpoint,
            probes=_probes_of(recording),
            reads=watches.reads,
            validators=watches.validators,
            restore=state,
            files=files,
            witness=watches.witness,
            garbage=garbage,
            limit=watches.limit,
            sleep=watches.sleep,
            process=watches.process,
            threads=threads,
            current=current,
            mails=watches.mails,
            change_request=extensions.change_request,
            send=LeanSender(handle.app).send,
            source_name=source_name,
            resolvers=resolvers,
        )
        keeper.snapshot()
        loaded = recording.retire_background() if recording is not None else frozenset()
        findings = _findings(handle, recording, endpoints, schema, keeper.description)
        performer = LocalPerformer(surroundings)
        permanence = permanence_of(handle)
        leftovers = LeftoversWatch(handle, active_connections())
        yield Prepared(
            handle,
            endpoints,
            problem,
            HttpExecutor(performer, oracles, permanence.answers, extensions.tell),
            state,
            recording,
            loaded,
            findings,
            tuple(notices),
            watches.validators,
            ForkedPerformer(surroundings, leftovers, performer, state.offer_databases),
            current,
            permanence,
            extensions,
            waiting,
        )


def _problem(
    settings: Settings,
    handle: AppHandle,
    described: Description,
    recording: Recording | None,
    extensions: Extensions,
) -> HttpProblem:
    """Return the problem with all values that are known beforehand."""
    problem = HttpProblem(
        described.endpoints,
        users=tuple(handle.users),
        seeds=handle.seeds,
        max_calls=int(settings.tunable("test.max_calls")),
        offers=_offers(extensions, described.endpoints),
    )
    problem.add_stored_values(described.values)
    _offer_constants(problem, recording)
    return problem


def _offers(extensions: Extensions, endpoints: Iterable[Endpoint]) -> Offers | None:
    """Return the values that the project would try, None when it says nothing of any."""
    ask = extensions.values
    if ask is None:
        return None
    known = {endpoint.key: endpoint for endpoint in endpoints}

    def offers(key: str, identity: tuple[Location, str]) -> Sequence[object]:
        location, name = identity
        path = tuple(name.split("/")) if location is Location.JSON else (name,)
        return ask(known[key], location, path)

    return offers


def _unrepeatable(extensions: Extensions, endpoints: Iterable[Endpoint]) -> list[str]:
    """Return a notice when the project changes requests in another way each time."""
    change = extensions.change_request
    part = changing_part(change, endpoints) if change is not None else None
    if part is None:
        return []
    notice = (
        f"the hook pytest_evosearch_request sends {part} with another value each time, and written "
        "tests can only repeat one of them: let the project's own test client add it instead"
    )
    return [notice]


@dataclass(frozen=True)
class _Watches:
    """What looks at the application, or holds it back, while it is searched."""

    reads: ReadRecorder | None
    validators: ValidatorWatch
    sleep: ShortenedSleep
    witness: Witness | None
    mails: Outbox | None
    limit: TimeLimit
    process: ProtectedProcess


def _watch(
    stack: ExitStack,
    settings: Settings,
    handle: AppHandle,
    modules: Sequence[Any],
    connections: SqliteConnections,
    ends: ProcessEnds,
) -> _Watches:
    """Install all watches; `stack` takes them away, the last one first."""
    reads = None if handle.outside else stack.enter_context(ReadRecorder(handle.app))
    validators = ValidatorWatch()
    stack.enter_context(validators.installed())
    seconds = float(settings.tunable("request.timeout"))
    sleep = ShortenedSleep(seconds)
    stack.enter_context(sleep.installed(modules))
    witness = None if handle.outside else choose_witness(settings.oracles, connections)
    if witness is not None:
        stack.enter_context(witness.installed())
    mails = Outbox() if sends_mail(handle.app) else None
    if mails is not None:
        stack.enter_context(mails.installed())
        if handle.sandboxed:
            suppress(handle.app)
    limit = TimeLimit(seconds)
    limit.install()
    stack.callback(limit.uninstall)
    process = ProtectedProcess()  # with the handlers and replacements that are our own
    stack.callback(process.release)
    stack.enter_context(process.kept_alive(ends))
    return _Watches(reads, validators, sleep, witness, mails, limit, process)


def routed_endpoints(app: Any) -> list[Endpoint]:
    """Return the endpoints of `app` and of the applications that are mounted below it."""
    mounts = [("", app), *mounted_applications(app)]
    return [endpoint for path, one in mounts for endpoint in endpoints_from_url_map(one, path)]


def _described(
    settings: Settings,
    handle: AppHandle,
    recording: Recording | None,
    extensions: Extensions,
    notices: list[str],
) -> tuple[str, Description]:
    """Return where a schema was found, and the endpoints to search with what it says."""
    routed = routed_endpoints(handle.app)
    found = _documents(settings, handle, extensions)
    modules = _application_modules(settings, handle, recording)
    operations, addresses = graphql_operations(handle, recording, routed, modules)
    if handle.outside and not found:
        routed = endpoints_of_pages(handle, others=bool(operations))
    described = described_endpoints(
        routed,
        [one.document for one in found if one.published],
        [one.document for one in found if not one.published],
    )
    notices.extend(described.notices)
    known = (*described.endpoints, *operations)
    selected = tuple(select_endpoints(known, settings.only, settings.skip))
    if selected and extensions.keeps is not None:
        selected = tuple(endpoint for endpoint in selected if extensions.keeps(endpoint))
        if not selected:
            raise NothingToGenerate(_without_kept_endpoints(handle.description, len(routed)))
    if not selected:
        raise NothingToGenerate(_without_endpoints(handle.description, routed))
    places = dict.fromkeys([*(one.description for one in found), *addresses])
    unknown = "links and forms of pages" if handle.outside else "learning parameters from reads"
    summary = ", ".join(places) or f"none found; {unknown}"
    return summary, described._replace(endpoints=selected)


def _documents(
    settings: Settings, handle: AppHandle, extensions: Extensions
) -> list[FoundDocument]:
    """Return the OpenAPI documents: the user's choice, the project's, or what is found."""
    client = handle.make_client()
    if settings.schema is None and extensions.schema is not None:
        given = extensions.schema(None if handle.outside else handle.app)
        if given is not None:
            return [brought_document(given.document, given.origin, settings.rootdir, client)]
    return find_documents(handle.app, settings.rootdir, client, settings.schema)


def _without_endpoints(application: str, routed: Sequence[Endpoint]) -> str:
    if any(endpoint.name != "static" for endpoint in routed):
        return (
            f"no endpoint of {application} is left to search: the application has {len(routed)}, "
            "see --evosearch-only and --evosearch-skip"
        )
    return (
        f"no endpoint to search: {application} serves nothing but static files; if its routes are "
        "added after it was made (by a main function), name a function that adds them and returns "
        "it with --evosearch-app=module:function, or give the tests a `client` fixture"
    )


def _without_kept_endpoints(application: str, routed: int) -> str:
    return (
        f"no endpoint of {application} is left to search: the application has {routed}, and the "
        "hook pytest_evosearch_select_endpoint keeps none of those that --evosearch-only and "
        "--evosearch-skip leave"
    )


def _application_modules(
    settings: Settings, handle: AppHandle, recording: Recording | None
) -> list[Any]:
    """Return the modules whose globals are state; without probes, what the project has loaded."""
    if handle.outside:
        return []
    if recording is None:
        return project_modules(settings.rootdir)
    names = [entry.name for entry in recording.catalog.modules()]
    return [sys.modules[name] for name in names if name in sys.modules]


def _offer_constants(problem: HttpProblem, recording: Recording | None) -> None:
    if recording is None:
        return
    for entry in recording.catalog.modules():
        problem.add_constants(entry.path, [value for value, _line in entry.plan.constants])


def _probes_of(recording: Recording | None) -> Probes:
    return recording if recording is not None else SilentRecording()


def _source_names(recording: Recording | None, root: Path) -> SourceName:
    """Return the function that names the application's files in crash reports."""
    prefix = f"{root}{os.sep}"

    def name_below_root(filename: str) -> str | None:
        if filename.startswith(prefix) and "site-packages" not in filename:
            return Path(filename).relative_to(root).as_posix()
        return None

    def name_of(filename: str) -> str | None:
        """Name instrumented modules, and templates: nothing else than code is compiled."""
        if recording is None or not filename.endswith(".py"):
            return name_below_root(filename)
        return recording.catalog.path_of(filename)

    return name_of


def _findings(
    handle: AppHandle,
    recording: Recording | None,
    endpoints: Sequence[Endpoint],
    schema: str,
    state: str,
) -> dict[str, str]:
    with_parameters = sum(1 for endpoint in endpoints if endpoint.parameters)
    return {
        "app": handle.description,
        "source": _source_summary(recording),
        "endpoints": f"{len(endpoints)} ({with_parameters} with parameters)",
        "schema": schema,
        "state": state,
        **handle.findings,
    }


def _source_summary(recording: Recording | None) -> str:
    """Return ``flaskr (4 modules, 142 branches)``."""
    if recording is None:
        return "none (black box)"
    modules = recording.catalog.modules()
    packages = dict.fromkeys(entry.name.partition(".")[0] for entry in modules)
    branches = sum(1 for target in recording.catalog.targets() if kind_of(target) == BRANCH)
    names = ", ".join(packages) or "nothing"
    return f"{names} ({len(modules)} modules, {branches} branches)"
