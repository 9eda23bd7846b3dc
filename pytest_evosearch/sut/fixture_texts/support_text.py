"""Writes the conftest.py of a project that has no client fixture of its own.

The result is plain pytest code. Each process has one application, created on throw-away copies of
its databases, and its state is restored after each test. No fixture is called ``app``: pytest-flask
pushes a request context for a fixture of that name.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.program_text import ProgramText
from pytest_evosearch.sut.fixture_texts import redis_text
from pytest_evosearch.sut.fixture_texts import server_text
from pytest_evosearch.sut.fixture_texts.expression_text import double_quoted
from pytest_evosearch.sut.fixture_texts.expression_text import laid_out
from pytest_evosearch.sut.fixture_texts.mocks_text import MOCKS_FIXTURE
from pytest_evosearch.sut.fixture_texts.mocks_text import absent_services_fixture
from pytest_evosearch.sut.fixture_texts.server_text import restored_rows_fixture
from pytest_evosearch.sut.fixture_texts.server_text import server_fixtures
from pytest_evosearch.sut.fixture_texts.support_templates import ASGI_IMPORT
from pytest_evosearch.sut.fixture_texts.support_templates import CLIENT
from pytest_evosearch.sut.fixture_texts.support_templates import CONNEXION_FRONT
from pytest_evosearch.sut.fixture_texts.support_templates import DATABASES
from pytest_evosearch.sut.fixture_texts.support_templates import DISPATCHER_FRONT
from pytest_evosearch.sut.fixture_texts.support_templates import EMPTYING
from pytest_evosearch.sut.fixture_texts.support_templates import EMPTYING_AGAIN
from pytest_evosearch.sut.fixture_texts.support_templates import HEADER
from pytest_evosearch.sut.fixture_texts.support_templates import ISOLATED_CLIENT
from pytest_evosearch.sut.fixture_texts.support_templates import NO_MAIL_SERVERS
from pytest_evosearch.sut.fixture_texts.support_templates import OWN_CONNECTIONS
from pytest_evosearch.sut.fixture_texts.support_templates import OWN_PATCHES
from pytest_evosearch.sut.fixture_texts.support_templates import RESTORED_DATABASES
from pytest_evosearch.sut.fixture_texts.support_templates import WITHHELD
from pytest_evosearch.sut.import_statements import importable
from pytest_evosearch.sut.import_statements import place_beside
from pytest_evosearch.sut.servers import mongo_in_memory
from pytest_evosearch.sut.shortcuts import absent_mail_server
from pytest_evosearch.sut.shortcuts import mail_servers
from pytest_evosearch.sut.shortcuts.replaced_services import StandIns
from pytest_evosearch.sut.watching.outbox import suppressing_lines

APP_FIXTURE = "flask_app"
CLIENT_FIXTURE = "client"
URL_VARIABLE = "EVOSEARCH_URL"
"""Environment variable with another address of the server that the tests call."""


_FIXTURES_MODULES = ("contextvars", "os", "pathlib", "re", "time")
"""Modules that sources of further fixtures may use, by name."""


@dataclass(frozen=True)
class DatabaseCopies:
    """How tests copy the SQLite files that the application opens."""

    by_class: bool = False
    """Whether it opens some of them with a class derived from `sqlite3.Connection`."""
    withheld: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Name of a file -> the tables whose rows the copies lack."""


@dataclass(frozen=True)
class SupportText:
    """What the written conftest.py must contain."""

    import_statement: str
    """Import of the application: ``from shop import create_app``."""
    expression: str
    """Expression for the application: ``create_app()``."""
    path_entries: Sequence[Path] = ()
    """Folders that the import needs on `sys.path`."""
    databases: bool = False
    """Whether the application opens SQLite databases, in files or in memory."""
    copies: DatabaseCopies = field(default_factory=DatabaseCopies)
    """How tests copy the files of these databases."""
    server: str = ""
    """Driver of the database server that a throw-away server replaces; empty without one."""
    redis: bool = False
    """Whether it connects to a Redis server that a throw-away server replaces."""
    rebuilt: bool = False
    """Whether each test needs a new application: a factory whose databases are in memory."""
    state: str | None = None
    """Source of the fixture that restores module globals (`CombinedKeeper.state_source`)."""
    isolated: bool = False
    """Whether a context stays pushed around the tests, so each request needs an empty one."""
    borrowed: str | None = None
    """Source of the client's fixtures, where the project's test code prepares the application.

    See `sut.fixture_texts.borrowed_text`; that code also prepares the databases.
    """
    preparation: str | None = None
    """Statements that create missing tables; they use ``application``."""
    suppresses_mail: bool = False
    """Whether the application would send mails through Flask-Mail."""
    stand_ins: StandIns = field(default_factory=StandIns)
    """Replacements for services that the application needs."""
    further: Sequence[str] = ()
    """Sources of further fixtures."""
    app_fixture: str = APP_FIXTURE
    """Fixture to request by those that must be set up after the application."""
    is_connexion: bool = False
    """Whether the expression returns a Connexion 3 application, an ASGI one with Flask inside."""
    dispatcher: str | None = None
    """Beginning of the expression for a dispatcher around the application."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that are set when the application is created."""
    program: ProgramText | None = None
    """Program that is run to get the application, which the expression takes from ``served``."""

    @property
    def copies_databases(self) -> bool:
        """Say whether SQLite files are opened as copies."""
        return self.databases and self.borrowed is None

    @property
    def needs_mail_server(self) -> bool:
        """Say whether the tests replace a mail server."""
        return self.stand_ins.mail_server and self.borrowed is None

    @property
    def plays_mongo(self) -> bool:
        """Say whether the tests play MongoDB in memory."""
        return self.stand_ins.mongo and self.borrowed is None

    @property
    def mocks_clients(self) -> bool:
        """Say whether the tests replace clients of missing services by mocks."""
        return bool(self.stand_ins.clients) and self.borrowed is None

    @property
    def starts_redis(self) -> bool:
        """Say whether the tests have a throw-away Redis server."""
        return self.redis and self.borrowed is None

    @property
    def starts_server(self) -> bool:
        """Say whether the tests have a throw-away server."""
        return bool(self.server) and self.borrowed is None


def conftest_text(support: SupportText, folder: Path) -> str:
    """Return the text of a conftest.py to be written into `folder`.

    It passes ruff (E, F, I, PT, B, SIM) and black, causes no warnings, and works in any order of
    tests and in several processes at once.
    """
    parts = [_imports(support, folder)]
    if support.stand_ins.address_checks:
        parts[0] += f"\n{NO_MAIL_SERVERS}"
    if support.program is not None and support.program.helper is not None:
        parts.append(support.program.helper)
    if support.copies_databases:
        parts.append(_databases(support))
    parts += _servers(support)
    parts.append(support.borrowed or _app_fixture(support))
    if support.starts_redis:
        parts.append(redis_text.RESTORED)
    if support.starts_server:
        parts.append(restored_rows_fixture(support.server))
    if support.copies_databases:
        restored = _restored_databases(support)
        if support.copies.by_class:  # the class that was not replaced
            restored = restored.replace("sqlite3.Connection(", "Connection(")
        parts.append(restored)
    if support.state:
        parts.append(support.state.rstrip("\n") + "\n")
    if support.borrowed is None:
        parts.append(ISOLATED_CLIENT if support.isolated else CLIENT)
    parts += [source.rstrip("\n") + "\n" for source in support.further]
    return importable(HEADER + "\n" + "\n\n".join(parts))


def _servers(support: SupportText) -> list[str]:
    """Return the fixtures that replace servers."""
    parts = list(server_fixtures(support.server)) if support.starts_server else []
    if support.starts_redis:
        parts.append(redis_text.SERVER)
    if support.needs_mail_server:
        parts.append(absent_mail_server.mail_server_fixture())
    if support.plays_mongo:
        parts.append(mongo_in_memory.mongo_fixture())
    if support.mocks_clients:
        parts.append(absent_services_fixture(support.stand_ins.clients))
    return parts


def _databases(support: SupportText) -> str:
    databases = DATABASES
    if support.copies.withheld:
        copying = "                shutil.copy(original, copies[original])\n"
        databases = f"{_without_rows(support)}{databases.replace(copying, copying + EMPTYING)}"
    if not support.copies.by_class:
        return databases
    opening, patching = "    with pytest.MonkeyPatch", "        yield opened"
    text = databases.replace(opening, f"{OWN_CONNECTIONS}{opening}")
    return text.replace(patching, f"{OWN_PATCHES}{patching}")


def _without_rows(support: SupportText) -> str:
    """Return the code that leaves rows of people out of copies."""
    files = sorted(support.copies.withheld.items())
    lines = [f"    {json.dumps(name)}: {json.dumps(list(tables))}," for name, tables in files]
    return WITHHELD.format(tables="\n".join(lines))


def _restored_databases(support: SupportText) -> str:
    if not support.copies.withheld:
        return RESTORED_DATABASES
    again = "                first.backup(live)\n"
    return RESTORED_DATABASES.replace(again, again + EMPTYING_AGAIN)


def _imports(support: SupportText, folder: Path) -> str:
    plain = _modules((*support.further, ISOLATED_CLIENT * support.isolated))
    paths = _path_lines(support, folder)
    if support.starts_server:
        plain += server_text.standard_modules(server_fixtures(support.server))
    if support.starts_redis:
        plain += server_text.standard_modules([redis_text.SERVER])
    if support.needs_mail_server:
        plain += absent_mail_server.MODULES
    if support.copies_databases:
        plain += ["shutil", "sqlite3", "sqlite3.dbapi2"]
    plain += support.program.standard_modules if support.program is not None else ()
    if paths:
        plain.append("sys")
    if support.variables and support.borrowed is None:
        plain.append("os")
    standard = [*(f"import {name}" for name in sorted(set(plain))), *_members(support, bool(paths))]
    foreign = ["import pytest"]
    if support.starts_server:
        foreign += server_text.driver_imports(support.server)
    if support.starts_redis:
        foreign += redis_text.IMPORTS
    foreign.sort(key=lambda line: (line.startswith("from"), line.lower()))
    if support.stand_ins.address_checks:
        foreign.insert(0, f"import {mail_servers.MODULE}")
    if support.isolated and support.borrowed is None:
        foreign.append("from flask.testing import FlaskClient")
    blocks = ["\n".join(standard)] if standard else []
    blocks.append("\n".join(foreign))
    if paths:
        blocks.append("\n".join(paths))
    return "\n\n".join(blocks) + "\n"


def _members(support: SupportText, finds_folders: bool) -> list[str]:
    """Return statements that import names of the standard library."""
    wanted: set[tuple[str, str]] = set()
    if support.starts_server:
        wanted.update(server_text.standard_members(support.server))
    if support.copies_databases:
        wanted.update(("contextlib", name) for name in ("ExitStack", "closing", "suppress"))
        if support.copies.by_class:
            wanted.add(("sqlite3", "Connection"))
    if support.program is not None:
        wanted.add(("contextlib", "suppress"))
    if support.mocks_clients:
        wanted.add(("unittest.mock", "MagicMock"))
    if finds_folders or _opens_files(support):
        wanted.add(("pathlib", "Path"))
    return [
        f"from {module} import {', '.join(sorted(name for of, name in wanted if of == module))}"
        for module in sorted({module for module, _name in wanted})
    ]


def _opens_files(support: SupportText) -> bool:
    """Say whether the written code opens files by path."""
    reads_block = support.program is not None and support.program.helper is not None
    servers = support.starts_server or support.starts_redis
    return support.copies_databases or servers or reads_block


def _path_lines(support: SupportText, folder: Path) -> list[str]:
    """Return lines that add the application's folders to `sys.path`, relative to this file."""
    places = [place_beside(folder, entry) for entry in support.path_entries]
    return [f"sys.path.insert(0, str({place}))" for place in places]


def _app_fixture(support: SupportText) -> str:
    scope = "" if support.rebuilt else '(scope="session")'
    copies = ["databases"] if support.databases else []
    servers = [server_text.FIXTURE] if support.starts_server else []
    servers += [redis_text.FIXTURE] if support.starts_redis else []
    servers += [absent_mail_server.FIXTURE] if support.needs_mail_server else []
    servers += [mongo_in_memory.FIXTURE] if support.plays_mongo else []
    servers += [MOCKS_FIXTURE] if support.mocks_clients else []
    needed = ", ".join([*copies, *servers])
    summary = "The application" + (", on copies of its databases." if copies else ".")
    if support.program is not None:
        summary = f"What the program serves{', on copies of its databases' if copies else ''}."
    imports = support.import_statement
    if support.is_connexion:
        imports = f"{ASGI_IMPORT}\n{imports}"
    statement = textwrap.indent(imports, "    ")
    return (
        f"@pytest.fixture{scope}\n"
        f"def {APP_FIXTURE}({needed}):\n"
        f'    """{summary}"""\n'
        f"{_variable_lines(support)}"
        f"{statement}\n"
        "\n"
        f"{support.program.lines if support.program else ''}"
        f"{_app_statements(support)}"
    )


def _variable_lines(support: SupportText) -> str:
    """Return lines that set variables which were unset when the tests were written."""
    lines = [f'    os.environ["{name}"] = "{value}"\n' for name, value in support.variables.items()]
    return "".join([*lines, "\n"]) if lines else ""


def _app_statements(support: SupportText) -> str:
    expression = support.expression
    front = support.is_connexion or support.dispatcher is not None
    plain = support.preparation is None and not support.suppresses_mail
    if plain and not front:
        return f"{laid_out('    return ', expression)}\n"
    made = f"{laid_out('    application = ', expression)}\n"
    if support.is_connexion:
        made = f"{laid_out('    served = ', expression)}\n{CONNEXION_FRONT}"
    elif support.dispatcher is not None:
        dispatcher = double_quoted(support.dispatcher)
        inner = double_quoted(expression).removeprefix(dispatcher)
        made = f"    served = {dispatcher}\n    application = served{inner}\n{DISPATCHER_FRONT}"
    prepared = ""
    if support.preparation is not None:
        statements = textwrap.indent(support.preparation, " " * 8)
        prepared = f"    with application.app_context():\n{statements}\n"
    if support.suppresses_mail:
        prepared += f"    {suppressing_lines('application')}\n"
    return f"{made}{prepared}    return application\n"


def fixtures_conftest_text(fixtures: Sequence[str]) -> str:
    """Return the text of a conftest.py that adds `fixtures` to the project's own.

    It is for projects with a client fixture that leave state or a pushed context behind.
    """
    body = "\n\n\n".join(fixture.strip() for fixture in fixtures)
    standard = "".join(f"import {name}\n" for name in _modules(fixtures))
    imports = f"{standard}\nimport pytest" if standard else "import pytest"
    return importable(f"{HEADER}\n{imports}\n\n\n{body}\n")


def _modules(fixtures: Sequence[str]) -> list[str]:
    """Return the modules of the standard library that `fixtures` use."""
    text = "\n".join(fixtures)
    return [name for name in _FIXTURES_MODULES if re.search(rf"\b{name}\.[A-Za-z]", text)]


def asks_server(conftest: str) -> bool:
    """Say whether this conftest.py is one of ours for a running server."""
    return URL_VARIABLE in conftest
