"""Watches and limits for the application: installed here, and removed by the stack."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import gc
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.engine.preparing.oracle_choice import choose_witness
from pytest_evosearch.execution.current_call import CurrentCall
from pytest_evosearch.execution.descriptors import KeptDescriptors
from pytest_evosearch.execution.garbage import GarbageCollector
from pytest_evosearch.execution.guard import MISSING_SECONDS
from pytest_evosearch.execution.guard import TimeLimit
from pytest_evosearch.execution.offspring import Offspring
from pytest_evosearch.execution.process import ProtectedProcess
from pytest_evosearch.execution.sleep import ShortenedSleep
from pytest_evosearch.execution.sleep import sleeping_modules
from pytest_evosearch.execution.threads import ThreadWatch
from pytest_evosearch.instrument.probing.weighing import Scales
from pytest_evosearch.instrument.recording import Recording
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.options import STUB
from pytest_evosearch.sut.database_servers.connections import watched_server_connections
from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.outgoing.answered_services import AnsweredServices
from pytest_evosearch.sut.outgoing.wanted_addresses import weighed_addresses
from pytest_evosearch.sut.queries.watch import QueryWatch
from pytest_evosearch.sut.sandbox.ceiling import Ceiling
from pytest_evosearch.sut.sandbox.child_processes import ForkedChildren
from pytest_evosearch.sut.sandbox.process_ends import ProcessEnds
from pytest_evosearch.sut.sandbox.process_ends import installed_ends
from pytest_evosearch.sut.sandbox.shared_resources import SharedResources
from pytest_evosearch.sut.sandbox.shared_resources import installed_resources
from pytest_evosearch.sut.sandbox.socket_folder import folder_for_sockets
from pytest_evosearch.sut.shortcuts.name_lookups import remembered_look_up_failures
from pytest_evosearch.sut.shortcuts.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.state.written_files import WrittenFiles
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigests
from pytest_evosearch.sut.watching.library_checks import weighed_library_checks
from pytest_evosearch.sut.watching.observe import ReadRecorder
from pytest_evosearch.sut.watching.outbox import Outbox
from pytest_evosearch.sut.watching.outbox import sends_mail
from pytest_evosearch.sut.watching.outbox import suppress
from pytest_evosearch.sut.watching.services import ServiceWatch
from pytest_evosearch.sut.watching.side_effects import Witness
from pytest_evosearch.sut.watching.signed_tokens import SignedTokens
from pytest_evosearch.sut.watching.sqlite_connections import SqliteConnections
from pytest_evosearch.sut.watching.sqlite_connections import active_connections
from pytest_evosearch.sut.watching.sqlite_connections import watched_connections
from pytest_evosearch.sut.watching.statement_checks import statement_check


@dataclass(frozen=True)
class LoadingWatches:
    """What must exist before the application: fixtures open databases and make users."""

    garbage: GarbageCollector
    current: CurrentCall
    threads: ThreadWatch
    connections: SqliteConnections
    ends: ProcessEnds
    resources: SharedResources
    descriptors: KeptDescriptors
    files: WrittenFiles
    tokens: SignedTokens | None = None
    """Tokens that were signed with keys of the application; None in a black box."""
    digests: KeyedDigests | None = None
    """Digests that were made with keys; None in a black box."""
    scales: Scales | None = None
    """What takes comparisons of libraries; None in a black box."""


def watch_loading(
    stack: ExitStack,
    root: Path,
    safe: Safekeeping | None = None,
    recording: Recording | None = None,
    queries: bool = True,
    own: Path | None = None,
) -> LoadingWatches:
    """Install what watches loading below `root`; `stack` removes it in reverse order.

    With `queries`, the SQL statements that tests run become targets. `own` is the folder that the
    search itself writes.
    """
    garbage = GarbageCollector()
    stack.enter_context(garbage.installed())
    threads = ThreadWatch(current := CurrentCall())
    ends = stack.enter_context(installed_ends())
    resources = stack.enter_context(installed_resources())
    descriptors = _kept_descriptors(stack)
    children = ends.children
    stack.callback(children.forget)
    children.undo(gc.enable)
    _enter(stack, children, threads.installed())
    connections = stack.enter_context(watched_connections())
    servers = stack.enter_context(watched_server_connections())
    _enter(stack, children, cheap_password_hashing())
    scales = recording.scales if recording is not None else None
    tokens = SignedTokens(scales) if scales is not None else None
    digests = KeyedDigests(scales) if scales is not None else None
    if scales is not None and tokens is not None and digests is not None:
        stack.enter_context(weighed_library_checks(scales, digests))
        # Modules have imported these functions by name. A child that looked for them in all modules
        # would copy the memory of each, which takes longer than most children run.
        children.undo(scales.rest)
        _enter(stack, children, tokens.watched())
        connections.weigh = statement_check(scales)
        if queries:
            connections.queries = servers.queries = QueryWatch(scales, connections.own_time)
    files = stack.enter_context(WrittenFiles(root, safe, own).installed())
    children.undo(files.end)
    _enter(stack, children, remembered_look_up_failures())
    return LoadingWatches(
        garbage, current, threads, connections, ends, resources, descriptors, files, tokens,
        digests, scales,
    )  # fmt: skip


def _kept_descriptors(stack: ExitStack) -> KeptDescriptors:
    descriptors = KeptDescriptors()
    descriptors.duplicate()
    stack.callback(descriptors.release)
    return descriptors


def _enter(
    stack: ExitStack, children: ForkedChildren, replaced: AbstractContextManager[object]
) -> None:
    """Enter a context that replaces functions, until it ends or the application forks."""
    stack.enter_context(replaced)
    children.undo(partial(replaced.__exit__, None, None, None))


@dataclass(frozen=True)
class SearchWatches:
    """Watches and limits for the application during the search."""

    reads: ReadRecorder | None
    validators: ValidatorWatch
    sleep: ShortenedSleep
    witness: Witness | None
    mails: Outbox | None
    services: ServiceWatch
    answers: AnsweredServices | None
    limit: TimeLimit
    process: ProtectedProcess
    offspring: Offspring


def _outbox(stack: ExitStack, handle: AppHandle) -> Outbox | None:
    """See the mails that the application sends; return None where it sends none."""
    if handle.outside or not sends_mail(handle.app):
        return None
    sent = Outbox()
    stack.enter_context(sent.installed())
    if handle.sandboxed:
        suppress(handle.app)
    return sent


def _answers(
    settings: Settings, handle: AppHandle, sleep: ShortenedSleep
) -> AnsweredServices | None:
    """Answer for other services, or refuse them; None where that is not our part.

    The sandbox refuses by itself, from the import of the application on.
    """
    refuses = settings.application.services != STUB
    if handle.outside or (refuses and handle.sandboxed):
        return None
    answers = AnsweredServices(settings.application.allow_net, refuses)
    sleep.asks_others = answers.were_asked
    return answers


def _layers(
    settings: Settings,
    services: ServiceWatch,
    answers: AnsweredServices | None,
    scales: Scales | None,
) -> list[AbstractContextManager[object]]:
    """Return what stands between the application and other services, the innermost first."""
    layers: list[AbstractContextManager[object]] = [services.installed()]
    if answers is not None:
        layers.append(answers.installed())
    if settings.application.services != STUB:
        layers.reverse()  # the watch then sees what is refused below it
    if scales is not None:
        layers.append(weighed_addresses(scales))
    return layers


def watch_search(
    stack: ExitStack,
    settings: Settings,
    handle: AppHandle,
    modules: Sequence[Any],
    loading: LoadingWatches,
) -> SearchWatches:
    """Install what watches the search of a loaded application; `stack` removes it."""
    known = active_connections() or loading.connections
    reads = None if handle.outside else stack.enter_context(ReadRecorder(handle.app))
    validators = ValidatorWatch()
    stack.enter_context(validators.installed())
    seconds = float(settings.tunable("request.timeout"))
    sleep = ShortenedSleep(seconds)
    _enter(stack, loading.ends.children, sleep.installed(sleeping_modules(modules)))
    witness = None if handle.outside else choose_witness(settings.search.oracles, known)
    if witness is not None:
        stack.enter_context(witness.installed())
    mails = _outbox(stack, handle)
    _enter(stack, loading.ends.children, loading.threads.failures.installed())
    own_times = (validators.own_time, loading.files.own_time, known.own_time)
    limit = TimeLimit(seconds, own_times, settings.budget.seconds)
    services = ServiceWatch(partial(limit.shorten, MISSING_SECONDS))
    answers = _answers(settings, handle, sleep)
    for layer in _layers(settings, services, answers, loading.scales):
        _enter(stack, loading.ends.children, layer)
    limit.install()
    stack.callback(limit.uninstall)
    stack.enter_context(folder_for_sockets())
    # This includes this plugin's own handlers and replacements.
    process = ProtectedProcess(loading.resources, loading.descriptors)
    stack.callback(process.release)
    stack.enter_context(process.kept_alive(loading.ends))
    loading.ends.children.undo(process.leave_to_system)
    ceiling = Ceiling(int(settings.tunable("run.processes")), float(settings.tunable("run.memory")))
    limit.note_progress = ceiling.note_progress
    offspring = Offspring(loading.ends.children, ceiling)
    return SearchWatches(
        reads, validators, sleep, witness, mails, services, answers, limit, process, offspring
    )
