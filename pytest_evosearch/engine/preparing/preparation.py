"""From a host and settings to everything that a search needs, and to the discovery block."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.engine.extensions import NO_EXTENSIONS
from pytest_evosearch.engine.extensions import Extensions
from pytest_evosearch.engine.host import Host
from pytest_evosearch.engine.preparing.added_rows import placing_rows
from pytest_evosearch.engine.preparing.admitted_users import AdmittedUsers
from pytest_evosearch.engine.preparing.description import application_modules
from pytest_evosearch.engine.preparing.description import describe
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.preparing.graphql import listening_to_resolvers
from pytest_evosearch.engine.preparing.known_problem import problem_with_known_values
from pytest_evosearch.engine.preparing.known_problem import unrepeatable_changes
from pytest_evosearch.engine.preparing.oracle_choice import choose_oracles
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.engine.preparing.source_names import source_names
from pytest_evosearch.engine.preparing.state_restorer import StateRestorer
from pytest_evosearch.engine.preparing.watches import LoadingWatches
from pytest_evosearch.engine.preparing.watches import SearchWatches
from pytest_evosearch.engine.preparing.watches import watch_loading
from pytest_evosearch.engine.preparing.watches import watch_search
from pytest_evosearch.execution.confirming.recorded_calls import RecordedCalls
from pytest_evosearch.execution.equipment import OtherServices
from pytest_evosearch.execution.equipment import Surroundings
from pytest_evosearch.execution.forked.forks import ForkedPerformer
from pytest_evosearch.execution.judging import HttpExecutor
from pytest_evosearch.execution.local_executor import LocalPerformer
from pytest_evosearch.execution.silence import SilentRecording
from pytest_evosearch.harvest.permanence import permanence_of
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.http_problem import HttpProblem
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.sut.clients.fast_client import LeanSender
from pytest_evosearch.sut.finding.unsearchable import unsearchable
from pytest_evosearch.sut.finding.unsearchable import unsearchable_summary
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.rows.families import row_families
from pytest_evosearch.sut.rows.kinds import RowFamily
from pytest_evosearch.sut.shortcuts.eager_tasks import EagerTasks
from pytest_evosearch.sut.shortcuts.eager_tasks import eager_tasks
from pytest_evosearch.sut.state.leftovers import LeftoversWatch
from pytest_evosearch.sut.state.reset import CombinedKeeper
from pytest_evosearch.sut.state.reset import choose_keeper
from pytest_evosearch.sut.users.forged_tokens import ForgedTokens
from pytest_evosearch.sut.watching.sqlite_connections import active_connections

Change: TypeAlias = "Callable[[Request, Endpoint, str | None], Request]"
"""Changes a request before a user sends it."""


@contextmanager
def prepared(
    settings: Settings,
    host: Host,
    recording: Recording | None,
    extensions: Extensions = NO_EXTENSIONS,
    safe: Safekeeping | None = None,
    fence: Fence | None = None,
) -> Iterator[Prepared]:
    """Load the application, and connect problem and executor; undo every patch at the end.

    `safe` keeps copies of what is changed, in case the process dies.  `fence` collects the failures
    of optional parts.
    """
    with ExitStack() as stack:
        queries = settings.tunable("search.queries") == "on"
        own = report_folder(settings)
        loading = watch_loading(stack, settings.rootdir, safe, recording, queries, own)
        stack.callback(loading.ends.children.end_all)
        # Patches are undone in reverse order: those of the host were made after these.
        stack.callback(host.close)
        handle = host.load_app()
        handle = replace(handle, users=dict(handle.users))  # the search may find more of them
        # Work that loading started may only need a moment to finish.
        waiting = tuple(loading.threads.lingering())
        given = settings, host, recording, extensions, loading, handle, fence or Fence()
        ready = _Wiring(stack, *given).prepared()
        if safe is not None:
            for path in ready.state.keeper.sqlite.files:  # a module may have opened one itself
                safe.keep_database(path)
        yield replace(ready, waiting=waiting)


@dataclass(frozen=True)
class _Wiring:
    """Builds a search around a loaded application."""

    stack: ExitStack
    settings: Settings
    host: Host
    recording: Recording | None
    extensions: Extensions
    loading: LoadingWatches
    handle: AppHandle
    fence: Fence

    def prepared(self) -> Prepared:
        """Return the search, with the state that every test will find."""
        settings, handle, recording = self.settings, self.handle, self.recording
        extensions = self.extensions
        notices = [handle.unrestored] if handle.unrestored else []
        schema, described = describe(settings, handle, recording, extensions, notices)
        endpoints = described.endpoints
        forged = self._forged()
        oracles = choose_oracles(
            settings, handle.app, endpoints, described.document, notices, forged.known
        )
        modules = application_modules(settings, handle, recording)
        keeper = choose_keeper(handle.app, modules, self.fence)
        self.stack.callback(keeper.close)
        watches = watch_search(self.stack, settings, handle, modules, self.loading)
        tasks = self._tasks()
        notices += tasks.notices()
        families = _families(settings, handle, modules)
        problem = problem_with_known_values(
            settings, handle, described, recording, extensions, families
        )
        admitted = self._admitted(modules, keeper)
        self._open_ways_in(problem, admitted)
        notices += unrepeatable_changes(extensions, endpoints)
        state = StateRestorer(
            keeper, self.host, problem, admitted.forget_identities, self.loading.files
        )
        surroundings = self._surroundings(endpoints, problem, state, watches, families)
        change = _changing(extensions.change_request, admitted.signed.renewed)
        surroundings = replace(surroundings, change_request=change)
        keeper.snapshot()
        loaded = recording.retire_background() if recording is not None else frozenset()
        performer = LocalPerformer(surroundings, self.fence)
        permanence = permanence_of(handle)
        refusals = problem.known.experience.outcomes.refusals
        recorded = RecordedCalls(watches.reads is not None)
        judges = (*oracles, *extensions.oracles)
        executor = HttpExecutor(
            performer, judges, permanence.answers, extensions.notify, refusals, recorded, self.fence
        )
        executor.retire(sorted(loaded))
        leftovers = LeftoversWatch(handle, active_connections())
        return Prepared(
            handle=handle,
            endpoints=endpoints,
            problem=problem,
            executor=executor,
            state=state,
            recording=recording,
            loaded=loaded,
            findings=_findings(handle, recording, endpoints, schema, keeper.description),
            notices=tuple(notices),
            validators=watches.validators,
            forks=ForkedPerformer(surroundings, leftovers, performer, state.offer_databases),
            current=self.loading.current,
            offspring=watches.offspring,
            limit=watches.limit,
            permanence=permanence,
            extensions=extensions,
            tasks=tasks,
            queries=self.loading.connections.queries,
            admitted=admitted,
            forged=forged,
        )

    def _forged(self) -> ForgedTokens:
        """Return what makes tokens that the application must not accept."""
        tokens = self.loading.tokens
        return ForgedTokens(tokens.accepted if tokens is not None else {})

    def _tasks(self) -> EagerTasks:
        """Let tasks of Celery run at once, where the application is in this process."""
        return EagerTasks() if self.handle.outside else self.stack.enter_context(eager_tasks())

    def _open_ways_in(self, problem: HttpProblem, admitted: AdmittedUsers) -> None:
        """Connect what climbs with what makes users, and with what the application keeps."""
        tokens, ways_in = self.loading.tokens, problem.ways_in
        ways_in.introduce, ways_in.attempt = admitted.introduce, admitted.attempt
        ways_in.accounts, ways_in.person_of = admitted.accounts, admitted.person_of
        ways_in.kept = lambda: admitted.known_values.kept
        ways_in.values_under = admitted.known_values.under
        self.stack.callback(admitted.known_values.close)
        if tokens is not None:
            ways_in.resign = tokens.resigned
        ways_in.signs = admitted.signed.holds_signature
        ways_in.way_of = admitted.signed.way_of
        admitted.endpoint = problem.known.model.endpoint

    def _admitted(self, modules: Sequence[ModuleType], keeper: CombinedKeeper) -> AdmittedUsers:
        """Return what makes users of callers whom the application lets in."""
        users = self.handle.users
        assert isinstance(users, dict)
        root = self.settings.rootdir
        tokens = self.loading.tokens.known if self.loading.tokens is not None else {}

        def files() -> Sequence[Path]:
            return keeper.sqlite.files

        admitted = AdmittedUsers(self.handle, users, root, modules, files, tokens)
        admitted.undo = keeper.restore
        if self.loading.digests is not None:
            admitted.signed.known = self.loading.digests.known
        return admitted

    def _surroundings(
        self,
        endpoints: Sequence[Endpoint],
        problem: HttpProblem,
        state: StateRestorer,
        watches: SearchWatches,
        families: Sequence[RowFamily],
    ) -> Surroundings:
        """Return the surroundings of a performed test."""
        source_name = source_names(self.recording, self.settings.rootdir)
        queries = self.loading.connections.queries
        tables = None if queries is None else queries.absent
        return Surroundings(
            handle=self.handle,
            endpoint=problem.known.model.endpoint,
            probes=self.recording if self.recording is not None else SilentRecording(),
            reads=watches.reads,
            validators=watches.validators,
            restore=state,
            files=self.loading.files,
            witness=watches.witness,
            garbage=self.loading.garbage,
            limit=watches.limit,
            sleep=watches.sleep,
            process=watches.process,
            threads=self.loading.threads,
            current=self.loading.current,
            offspring=watches.offspring,
            services=OtherServices(watches.services, watches.answers, tables),
            mails=watches.mails,
            place_rows=placing_rows(families) if families else None,
            send=LeanSender(self.handle.app).send,
            source_name=source_name,
            resolvers=listening_to_resolvers(self.stack, self.handle, endpoints, source_name),
        )


def _changing(own: Change | None, sign: Callable[[Request], Request]) -> Change:
    """Return what changes each request before it is sent: the project, then its signature."""

    def change(request: Request, endpoint: Endpoint, user: str | None) -> Request:
        return sign(request if own is None else own(request, endpoint, user))

    return change


def _families(
    settings: Settings, handle: AppHandle, modules: Sequence[ModuleType]
) -> list[RowFamily]:
    """Return the models and tables to which tests may add rows; none where they may not."""
    if handle.outside or settings.tunable("search.rows") == "off":
        return []
    return row_families(handle.app, modules)


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
        **_unsearchable_finding(handle),
    }


def _unsearchable_finding(handle: AppHandle) -> dict[str, str]:
    summary = "" if handle.outside else unsearchable_summary(unsearchable(handle.app))
    return {"missed": summary} if summary else {}


def _source_summary(recording: Recording | None) -> str:
    """Return the summary of the source: ``flaskr (4 modules, 142 branches)``."""
    if recording is None:
        return "none (black box)"
    modules = recording.catalog.modules()
    packages = dict.fromkeys(entry.name.partition(".")[0] for entry in modules)
    branches = sum(1 for target in recording.catalog.targets() if kind_of(target) == BRANCH)
    names = ", ".join(packages) or "nothing"
    return f"{names} ({len(modules)} modules, {branches} branches)"
