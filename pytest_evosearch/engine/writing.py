"""Passes the harvest to the writer: which folder, which fixtures, which verification."""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.core.targets import BRANCH
from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import LINE
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.core.targets import line_target
from pytest_evosearch.engine.preparing.folders import output_folder
from pytest_evosearch.engine.preparing.folders import report_folder
from pytest_evosearch.engine.preparing.ready_search import Prepared
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.harvest.harvesting import Harvest
from pytest_evosearch.oracles.oracle import UNKNOWN_POSITION
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.phase_shares import SLOW_SET_UP_SECONDS
from pytest_evosearch.strength.score import mutation_score
from pytest_evosearch.sut.asgi import front_of
from pytest_evosearch.sut.clients.session_cookies import session_reader
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.documents.templates import template_text
from pytest_evosearch.sut.fixture_texts.borrowed_text import isolated_client
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.fixture_texts.state_text import files_fixture
from pytest_evosearch.sut.fixture_texts.state_text import threads_fixture
from pytest_evosearch.sut.fixture_texts.support_text import DatabaseCopies
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.fixture_texts.support_text import asks_server
from pytest_evosearch.sut.fixture_texts.support_text import conftest_text
from pytest_evosearch.sut.fixture_texts.support_text import fixtures_conftest_text
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.shared_storage import shares_set_up
from pytest_evosearch.sut.state.lasting_databases import lasting_databases
from pytest_evosearch.sut.state.played_stores import played_stores
from pytest_evosearch.sut.state.sqlalchemy_extension import extension_with_dialect
from pytest_evosearch.sut.surroundings import project_modules
from pytest_evosearch.sut.watching.outbox import outbox_fixture
from pytest_evosearch.sut.watching.outbox import sends_mail
from pytest_evosearch.sut.watching.sqlite_connections import active_connections
from pytest_evosearch.sut.watching.sqlite_connections import withheld_tables
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.brief import Executed
from pytest_evosearch.write.content.mailed import sends_mails_by_threads
from pytest_evosearch.write.content.mailed import takes_from_mails
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.telling_texts import Wording
from pytest_evosearch.write.modules.ledger import LEDGER
from pytest_evosearch.write.modules.regeneration import COVERED
from pytest_evosearch.write.modules.regeneration import Exists
from pytest_evosearch.write.plugins import set_up_once
from pytest_evosearch.write.suite import write_suite
from pytest_evosearch.write.verification.fixture_trial import Try
from pytest_evosearch.write.verification.locking import with_lock
from pytest_evosearch.write.verification.measure import Measurement
from pytest_evosearch.write.verification.measure import SuiteCoverage
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.written_suite import WrittenSuite


def check_conftest(folder: Path, handle: AppHandle) -> None:
    """Raise `InvalidSetting` where the tests of `folder` use another kind of application.

    Their ``conftest.py`` is never overwritten, so new tests would use the wrong application.
    """
    conftest = folder / "conftest.py"
    if not conftest.exists():
        return
    text = conftest.read_text(encoding="utf-8", errors="replace")
    if asks_server(text) != handle.outside:
        theirs = "a running server" if asks_server(text) else "an application in their own process"
        raise InvalidSetting(
            f"{conftest} is for tests of {theirs}: name another folder with --evosearch-output"
        )


def run_name(settings: Settings) -> str:
    """Return a name of what decides the results of a search: options without folders, and seed."""
    islands = f" -n {settings.search.islands}" if settings.search.islands > 1 else ""
    return f"{settings.command_line.command} --evosearch-seed={settings.seed}{islands}"


FIXTURES_OF_STATE = "fixtures that restore state"
"""Part of a run without which tests that need them are dropped."""


def write_tests(
    settings: Settings,
    ready: Prepared,
    specimens: Sequence[Specimen],
    corpus: Corpus,
    verifier: Verifier,
    executed: Executed,
    safe: Safekeeping | None = None,
    cut_short: bool = False,
    keeps: bool = True,
    tries: Try | None = None,
) -> WrittenSuite:
    """Write the tests of `specimens`, and keep those that `verifier` confirms.

    `executed` returns which lines the tests of a folder execute.  `cut_short` says that the search
    ended early.  `keeps` says whether the tests stay in their folder.  `tries` runs a module that
    requests the written fixtures.  Without disk space for
    writing or verifying, the folder stays unchanged.
    """
    folder = output_folder(settings, ready.handle.support)
    brief = Brief(
        session_in=session_reader(ready.handle.app),
        unsigned=_unsigned(ready, specimens),
        support=final_support(settings, ready, folder, specimens),
        users=ready.handle.users,
        folder=folder,
        root=settings.rootdir,
        corpus=corpus,
        secrets=ready.admitted.secrets(),
        groups={one.key: one.blueprint for one in ready.endpoints if one.blueprint is not None},
        faults=settings.suite.faults,
        command=settings.command_line.command,
        run=run_name(settings),
        ledger=folder / LEDGER,
        memory=report_folder(settings) / COVERED,
        exists=_existing_targets(ready),
        change=ready.extensions.change_module,
        executed=executed,
        safe=safe,
        cut_short=cut_short,
    )
    try:
        return write_suite(specimens, brief, verifier, keeps, tries)
    except OSError as error:
        return _nothing_written(error, len(specimens))


def _unsigned(
    ready: Prepared, specimens: Sequence[Specimen]
) -> Callable[[Request], Request | None]:
    """Return what takes the signatures out of requests that the written tests sign themselves."""
    signed = ready.admitted.signed
    signed.look_at(exchange.request for specimen in specimens for exchange in specimen.steps)
    return signed.unsigned


def _nothing_written(error: OSError, tests: int) -> WrittenSuite:
    where = f" ({error.filename})" if error.filename else ""
    notice = f"no test was written, the folder is unchanged: {error.strerror or error}{where}"
    return WrittenSuite([], 0, [], [], {}, dict.fromkeys(range(tests), notice), notice=notice)


def executed_lines(ready: Prepared, measurement: Measurement | None, folder: Path) -> set[TargetId]:
    """Return the lines that the tests of `folder` execute; all lines where nothing was measured."""
    modules = ready.recording.catalog.modules() if ready.recording is not None else ()
    coverage = measurement.result(folder) if measurement is not None else None
    if coverage is None:
        return {target for module in modules for target in module.targets()}
    return {
        line_target(module.path, line)
        for module in modules
        for line in coverage.lines.get(str(module.file), ())
    }


def _existing_targets(ready: Prepared) -> Exists:
    """Return a function that says whether a target of an earlier run still exists."""
    catalog = ready.recording.catalog if ready.recording is not None else None
    endpoints = {endpoint.key for endpoint in ready.endpoints}

    def exists(target: TargetId) -> bool:
        if kind_of(target) in (LINE, BRANCH):
            return catalog is None or target in catalog
        if kind_of(target) == FAULT and not target.endswith(f" {UNKNOWN_POSITION}"):
            return True  # a crash at a line that may have moved: its test shows whether it is there
        # Statuses and other faults have the name of their endpoint: ``status GET /users/{id} 404``.
        return " ".join(target.split(" ")[1:3]) in endpoints

    return exists


def final_support(
    settings: Settings, ready: Prepared, folder: Path, specimens: Sequence[Specimen]
) -> Support:
    """Return the support, completed with what only the search could find out.

    This is which state tests leave behind, also in context variables, and whether they read sent
    mails.
    """
    support, keeper = ready.handle.support, ready.state.keeper
    # Clients of an ASGI application do not know the Flask application behind it.
    behind = front_of(ready.handle.app) is not None
    root = settings.rootdir.resolve()
    sources = _final_sources(ready, specimens, behind, root, folder)
    kept = not behind and any(specimen.consequences.keeps_context for specimen in specimens)
    if not behind and (support.recipe is None or support.recipe.borrowed):
        support = replace(support, databases=_lasting_databases(ready, support, folder, root))
    if support.sets_up_once and not behind:
        played = played_stores(ready.handle.app, project_modules(root))
        support = replace(support, databases=(*support.databases, *played))
    if support.recipe is not None:
        text = conftest_text(_final_recipe(ready, support.recipe, kept, sources), folder)
        shared = any(path.resolve().is_relative_to(root) for path in keeper.sqlite.files)
        if support.recipe.borrowed and shared:  # all processes would use that file at once
            text = with_lock(text)
        return replace(support, conftest=text)
    if support.lasting and not behind and keeper.uses_servers:
        expression, dialect = extension_with_dialect(ready.handle.app, "app")
        support = replace(support, database=expression, database_dialect=dialect)
    if support.conftest is None:
        isolation = support.isolation
        if isolation is None and kept:
            isolation = isolated_client(support.client_fixture, scope=support.client_scope)
        state = _state_source(ready, support.client_fixture)  # as their fixtures have set it up
        fixtures = [text for text in (isolation, *sources, state) if text]
        if fixtures:
            return replace(support, conftest=fixtures_conftest_text(fixtures))
    return support


def _final_sources(
    ready: Prepared, specimens: Sequence[Specimen], behind: bool, root: Path, folder: Path
) -> list[str]:
    """Return the fixtures that only the search could find to be needed."""
    support, keeper = ready.handle.support, ready.state.keeper
    client, run = support.client_fixture, ready.fence.run
    part = FIXTURES_OF_STATE
    settled = None if behind else run(part, keeper.settings_source, client, otherwise=None)
    outlives = not behind and (support.sets_up_once or _is_global(ready.handle.app, root))
    held = run(part, keeper.application_source, client, otherwise=None) if outlives else None
    caches = [] if behind else run(part, keeper.caches_sources, client, otherwise=[])
    reads_mails = any(takes_from_mails(specimen.steps) for specimen in specimens)
    by_threads = any(sends_mails_by_threads(specimen.steps) for specimen in specimens)
    mails = outbox_fixture(client, by_threads) if reads_mails else None
    created = [pattern for specimen in specimens for pattern in specimen.consequences.created]
    files = files_fixture(created, root, folder.resolve())
    tasks = ready.tasks.fixture(client)
    has_threads = any(specimen.consequences.leaves_threads for specimen in specimens)
    threads = threads_fixture(client) if has_threads else None
    users = (*ready.admitted.sources, ready.admitted.signed.source)
    found = (*support.sources, *users, tasks, settled, held, *caches, mails, files, threads)
    return [text for text in found if text]


def _state_source(ready: Prepared, depends_on: str) -> str | None:
    """Return the fixture that restores what modules hold, None without one."""
    make = ready.state.keeper.state_source
    return ready.fence.run(FIXTURES_OF_STATE, make, depends_on, otherwise=None)


def _final_recipe(
    ready: Prepared, recipe: SupportText, keeps_context: bool, sources: Sequence[str]
) -> SupportText:
    """Return the recipe of the ``conftest.py``, with the servers and databases that were used."""
    keeper = ready.state.keeper
    connections, servers = active_connections(), active_server_connections()
    return replace(
        recipe,
        databases=recipe.databases or keeper.sqlite.count > 0,
        server=servers.led_driver() if servers is not None else "",
        redis=servers is not None and servers.leads_redis(),
        copies=DatabaseCopies(connections is not None and connections.by_class, withheld_tables()),
        isolated=recipe.isolated or (keeps_context and recipe.borrowed is None),
        state=_state_source(ready, recipe.app_fixture),
        further=sources,
        suppresses_mail=ready.handle.sandboxed and sends_mail(ready.handle.app),
        stand_ins=ready.handle.stand_ins(),
    )


def _is_global(app: object, root: Path) -> bool:
    """Say whether a module of the project holds the application as long as the process lives."""
    return any(one is app for module in project_modules(root) for one in vars(module).values())


def _lasting_databases(
    ready: Prepared, support: Support, folder: Path, root: Path
) -> tuple[LastingDatabase, ...]:
    """Return the databases that several tests share; none where each test has its own."""
    keeper = ready.state.keeper
    if not keeper.sqlite.count:
        return ()
    found = lasting_databases(
        ready.handle.app, project_modules(root), keeper.sqlite.files, root, folder.resolve()
    )
    changed = keeper.sqlite.was_changed
    return tuple(
        replace(one, was_changed=changed)
        for one in found
        if support.lasting or one.outlives_fixtures
    )


def strength_of_suite(
    settings: Settings, ready: Prepared, process: PytestProcess, stop: Callable[[], bool]
) -> MutationScore | str:
    """Try the written tests on mutants of the application's own files, or return why not."""
    if ready.recording is None:
        return "without instrumentation it is not known what the application's files are"
    return mutation_score(
        output_folder(settings, ready.handle.support),
        process,
        [entry.file for entry in ready.recording.catalog.modules()],
        settings.suite.mutants,
        derive(settings.seed, "mutants"),
        stop,
    )


def runs_of_tests(settings: Settings, ready: Prepared) -> PytestProcess:
    """Return what runs the written tests, as the user will: with the variables of the shell."""
    slow = {set_up_once.VARIABLE: f"{SLOW_SET_UP_SECONDS}"}
    return PytestProcess(
        settings.rootdir,
        settings.command_line.arguments,
        inherited=settings.command_line.variables,
        plugins=settings.command_line.plugins,
        sharing=slow if shares_set_up(ready.handle) else {},
    )


def corpus_of(harvest: Harvest, ready: Prepared) -> Corpus:
    """Return what a harvest has seen in responses, and the texts of the project's templates."""
    return replace(harvest.corpus(), wording=Wording.of(template_text(ready.handle.app)))


def suite_measurement(
    ready: Prepared, process: PytestProcess, time_left: Callable[[], float] = lambda: math.inf
) -> Measurement | None:
    """Return what measures the written tests on the application's own files, if these are known.

    `time_left` returns the seconds in which this must be done.
    """
    if ready.recording is None:
        return None
    files = [entry.file for entry in ready.recording.catalog.modules()]
    return Measurement(process, files, time_left)


def measured(
    settings: Settings, ready: Prepared, measurement: Measurement | None
) -> SuiteCoverage | None:
    """Return what the written tests cover; measure now where this has not been done."""
    if measurement is None:
        return None
    return measurement.result(output_folder(settings, ready.handle.support))
