"""Writes a suite: prepares the folder, lets a `Writer` work, and remembers the coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch import __version__
from pytest_evosearch.core.atomic import write_atomically
from pytest_evosearch.core.safekeeping import Safekeeping
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.sut.clients.cookie_call import names_server_first
from pytest_evosearch.sut.fixture_texts.database_text import database_fixture
from pytest_evosearch.sut.fixture_texts.played_store_text import PlayedStore
from pytest_evosearch.sut.fixture_texts.played_store_text import played_store_fixtures
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.write.answers.stub_styles import StubStyle
from pytest_evosearch.write.answers.stub_styles import chosen_style
from pytest_evosearch.write.brief import Brief
from pytest_evosearch.write.code.formatting import project_layout
from pytest_evosearch.write.content.builder import Surroundings
from pytest_evosearch.write.content.environment import importable_exceptions
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.spelling import with_spelled_headers
from pytest_evosearch.write.content.written_calls import Cookies
from pytest_evosearch.write.modules.conftest_text import with_missing_fixtures
from pytest_evosearch.write.modules.conftest_text import with_missing_services
from pytest_evosearch.write.modules.conftest_text import with_stubs
from pytest_evosearch.write.modules.module_files import check_writable
from pytest_evosearch.write.modules.module_files import discard_files
from pytest_evosearch.write.modules.module_files import existing_modules
from pytest_evosearch.write.modules.module_files import namesakes
from pytest_evosearch.write.modules.module_files import prepare_folder
from pytest_evosearch.write.modules.module_files import read_ledger
from pytest_evosearch.write.modules.regeneration import Earlier
from pytest_evosearch.write.modules.regeneration import remember
from pytest_evosearch.write.modules.regeneration import untouched
from pytest_evosearch.write.modules.suite_assembly import Draft
from pytest_evosearch.write.naming.suite_plan import Plan
from pytest_evosearch.write.naming.suite_plan import in_usual_order
from pytest_evosearch.write.stage import Stage
from pytest_evosearch.write.stage import staged
from pytest_evosearch.write.verification.additions import Additions
from pytest_evosearch.write.verification.fixture_trial import FixtureTrial
from pytest_evosearch.write.verification.fixture_trial import Try
from pytest_evosearch.write.verification.restored_servers import FIXTURES
from pytest_evosearch.write.verification.restored_servers import IMPORTS
from pytest_evosearch.write.verification.restoring import Restoration
from pytest_evosearch.write.verification.verify import Verifier
from pytest_evosearch.write.writer import Writer
from pytest_evosearch.write.written_suite import WrittenSuite


def write_suite(
    specimens: Sequence[Specimen],
    brief: Brief,
    verifier: Verifier | None = None,
    keeps: bool = True,
    tries: Try | None = None,
) -> WrittenSuite:
    """Write `specimens` as pytest modules, and keep only reliable tests.

    Without a `verifier`, nothing is run. Without `keeps`, the folder does not change: then only the
    verifier's results matter. `tries` runs a module that requests the written fixtures. Raises
    `OutputError` when the folder is not writable.
    """
    check_writable(brief.folder)
    asked, style = _stubs(specimens, brief)
    brief = replace(brief, support=with_stubs(brief.support, asked, style))
    safe = brief.safe or Safekeeping(brief.root)
    with staged(brief.folder, brief.root, safe) as stage:
        if not keeps and stage.folder == stage.place:
            return WrittenSuite([], 0, [], [], {})
        suite, covered = _written_on(stage, specimens, brief, verifier, tries)
        if not keeps:
            return suite
        edited = stage.settle()
    remember(brief.memory, __version__, covered)
    if edited:
        notice = f"edited during verification, left unchanged: {', '.join(edited)}"
        suite = replace(suite, notice="; ".join(filter(None, (suite.notice, notice))))
    return suite


def _written_on(
    stage: Stage,
    specimens: Sequence[Specimen],
    brief: Brief,
    verifier: Verifier | None,
    tries: Try | None,
) -> tuple[WrittenSuite, Earlier]:
    """Write the suite beside its place; return the result, and the coverage."""
    conftest = stage.folder / "conftest.py"
    is_somebodys = conftest.exists()
    written = completed = ""
    if is_somebodys:
        written = conftest.read_text(encoding="utf-8", errors="replace")
        completed = with_missing_services(brief.support, written)
        brief = replace(brief, support=with_missing_fixtures(brief.support, written))
    draft = _draft(with_spelled_headers(in_usual_order(specimens)), brief, verifier)
    writer = Writer(
        draft,
        brief,
        stage.folder,
        additions=Additions()
        if is_somebodys
        else Additions(conftest, _trial(conftest, brief.support, tries)),
        restoration=None if is_somebodys else _restoring(conftest, brief.support),
        earlier=untouched(
            brief.memory, __version__, draft.existing, draft.ledger, brief.exists, brief.cut_short
        ),
    )
    writer.plan()
    made = []
    if writer.draft.plan.tests or writer.draft.stays:
        made = prepare_folder(stage.folder, brief.support)
        if completed != written:
            write_atomically(conftest, completed)
    assembly = writer.write_until_it_holds(verifier)
    if not assembly.functions and not assembly.texts:
        discard_files(stage.folder, made)
        if completed != written:
            write_atomically(conftest, written)
    return writer.summary(assembly), writer.covered(assembly)


def _trial(conftest: Path, support: Support, tries: Try | None) -> FixtureTrial | None:
    return None if tries is None else FixtureTrial(conftest, support.client_fixture, tries)


def _draft(specimens: Sequence[Specimen], brief: Brief, verifier: Verifier | None) -> Draft:
    """Return the input for planning: the tests, and the present folder."""
    known = read_ledger(brief.ledger)
    modules = existing_modules(brief.folder) if brief.folder.is_dir() else {}
    return Draft(
        plan=Plan(),
        specimens=specimens,
        around=_surroundings(specimens, brief, verifier),
        layout=project_layout(brief.root),
        tool=f"pytest-evosearch {__version__}",
        command=brief.command,
        existing={file: one.without(known.added.get(file, ())) for file, one in modules.items()},
        ledger=known,
        namesakes=namesakes(brief.folder, brief.root),
    )


def _surroundings(
    specimens: Sequence[Specimen], brief: Brief, verifier: Verifier | None
) -> Surroundings:
    support = brief.support
    return Surroundings(
        users=brief.users,
        corpus=Corpus.of_specimens(specimens).joined(brief.corpus),
        client_fixture=support.client_fixture,
        fixtures=support.fixtures,
        spared=frozenset(support.people if verifier is not None else ()),
        taken_fixtures=support.taken_fixtures,
        faults=brief.faults,
        libraries=importable_exceptions(specimens, brief.root),
        cookies=Cookies(names_server_first(), brief.session_in),
        secrets=brief.secrets,
        unsigned=brief.unsigned,
        stubs=_stubs(specimens, brief)[1],
    )


def _stubs(specimens: Sequence[Specimen], brief: Brief) -> tuple[list[Exchange], StubStyle]:
    """Return the calls that ask services, and how the answers are written."""
    asked = [step for specimen in specimens for step in specimen.steps if step.outgoing]
    return asked, chosen_style(asked, brief.root, brief.support.taken_fixtures)


def _restoring(conftest: Path, support: Support) -> Restoration:
    """Return the trial of a fixture that restores the databases of the project's own fixtures.

    It needs no fixture that only creates accounts: one of those may log every client in.
    """
    needed = [one for one in support.fixtures if one not in support.people]
    fixtures = tuple(dict.fromkeys((support.client_fixture, *needed)))
    on_server = FIXTURES.get(support.database_dialect)
    if on_server:
        source = on_server.format(
            fixtures=", ".join(fixtures), client=support.client_fixture, database=support.database
        )
        return Restoration(conftest, source, IMPORTS)
    client = support.client_fixture
    stores = [one for one in support.databases if isinstance(one, PlayedStore)]
    played = played_store_fixtures(stores, client, fixtures)
    databases = [one for one in support.databases if not isinstance(one, PlayedStore)]
    if not databases:
        return Restoration(conftest, played or None)
    imports, fixture = database_fixture(databases, client, fixtures)
    source = "\n".join(filter(None, (fixture, played)))
    changed = any(one.was_changed for one in databases)
    return Restoration(conftest, source, imports, begins=changed)
