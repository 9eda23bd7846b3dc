"""Creates the tables of an application without fixtures.

The author of the project once ran ``flask init-db``, ``db.create_all()`` or a function like
``create_tables`` by hand. A fresh checkout has no tables, and every request would crash. Tables are
only created in SQLite and on servers of this run, and only when none of them exist.
"""

from __future__ import annotations

import inspect
import re
import sqlite3
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import closing
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from types import ModuleType
from typing import Any

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.sut.clients.client import Visit
from pytest_evosearch.sut.clients.client import make_client
from pytest_evosearch.sut.clients.client import plain_visit
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.database_servers.connections import active_server_connections
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.living import named_values
from pytest_evosearch.sut.state.sqlalchemy_extension import sqlalchemy_extension
from pytest_evosearch.sut.state.sqlite_places import configured_files
from pytest_evosearch.sut.users.metadata_tables import created_by_metadata
from pytest_evosearch.sut.users.schema_scripts import empty_servers
from pytest_evosearch.sut.users.schema_scripts import loading_statements
from pytest_evosearch.sut.users.schema_scripts import scripts_below
from pytest_evosearch.sut.users.undone_visits import undone_visits

MISSING = re.compile(
    r"no such table|relation .* does not exist|Table .* doesn't exist"
    r"|not registered with this 'SQLAlchemy' instance"
)
"""Messages of SQLite, PostgreSQL and MySQL about a missing table, or of an extension without any.

Flask-SQLAlchemy has none before ``db.init_app(app)``.
"""

PROBES = 15
"""Most pages that are requested to find out whether tables are missing."""

_COMMAND = re.compile(
    r"^(?:db[-_]?)?(?:init|initialize|create|setup|reset)[-_]?(?:db|database|tables|schema|all)?$"
)
_FUNCTION = re.compile(
    r"^(?:init|initiali[sz]e|create|setup|set_up|make|build|reset)_"
    r"(?:the_)?(?:all_)?(?:db|database|tables|schema)$|^db_(?:init|create|setup)$"
)


def create_missing_tables(
    app: Any,
    visit: Visit = plain_visit,
    modules: Iterable[ModuleType] = (),
    root: Path | None = None,
    is_new: bool = False,
) -> str | None:
    """Create tables if there are none, and return the statements for it, or None.

    The statements are for a conftest.py, where the variable ``application`` holds the application
    and its context is pushed. `modules` are the application's own, whose functions are tried.
    Scripts of SQL are searched below `root`. A database that `is_new` has no tables for sure: this
    run has made its address up.
    """
    own = list(modules)
    created = _create_all(app) or _created_by_the_project(app, visit, own, is_new)
    if created is None and root is not None:
        created = _created_by_a_script(app, visit, own, root)
    return created or created_by_metadata(own, _is_thrown_away())


def _created_by_the_project(
    app: Any, visit: Visit, modules: list[ModuleType], is_new: bool
) -> str | None:
    """Run a command or a function of the project when a page or a whole database lacks tables.

    Pages that ask for none before a form is sent say nothing of a new database.
    """

    def is_incomplete() -> bool:
        return _has_empty_database(app) or is_missing_tables(app, visit, modules)

    for statement in (*_commands(app), *_functions(app, modules)):
        if not (is_new or is_incomplete()):
            return None
        if _invoke(app, statement) and not is_incomplete():
            return statement
    return None


def _created_by_a_script(
    app: Any, visit: Visit, modules: list[ModuleType], root: Path
) -> str | None:
    """Load a script where a page, or what a form is sent to, lacks a table.

    A page of a log-in often reads no table before a name is sent. A database of a server that has
    no table at all lacks some, also where the project catches the errors.
    """
    scripts = scripts_below(root)

    def is_incomplete() -> bool:
        return is_missing_tables(app, visit, modules, ("GET", "POST")) or bool(empty_servers())

    if not scripts or not is_incomplete():
        return None
    for statement in loading_statements(app, root, scripts):
        if _invoke(app, statement) and not is_incomplete():
            return statement
    return None


def _has_empty_database(app: Any) -> bool:
    """Say whether a SQLite file in the settings has no table: pages may ask for none."""
    for path in configured_files(app):
        with suppress(sqlite3.Error, OSError), closing(sqlite3.connect(path)) as database:
            if database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
                return True
    return False


def _create_all(app: Any) -> str | None:
    """Call `create_all`, as the documentation of Flask-SQLAlchemy says."""
    extension, expression = sqlalchemy_extension(app, "application")
    if extension is None:
        return None
    with suppress(Exception), app.app_context():
        from sqlalchemy import inspect

        engine = extension.engine
        wanted = set(extension.metadata.tables)
        if not (engine.dialect.name == "sqlite" or _is_thrown_away()) or not wanted:
            return None
        if wanted.isdisjoint(inspect(engine).get_table_names()):
            extension.create_all()
            return f"{expression}.create_all()"
    return None


def _is_thrown_away() -> bool:
    """Say whether connections to servers go to those of this run."""
    connections = active_server_connections()
    return connections is not None and connections.lead is not None


def _commands(app: Any) -> Iterator[str]:
    """Yield statements that run the application's own commands for new databases."""
    for name, command in app.cli.commands.items():
        parameters = getattr(command, "params", ())
        if _COMMAND.match(name) and not any(parameter.required for parameter in parameters):
            yield f'application.test_cli_runner().invoke(args=["{name}"], input="y\\n")'


def _functions(app: Any, modules: Iterable[ModuleType]) -> Iterator[str]:
    """Yield statements that call functions of `modules` which are named after making tables.

    Functions that need more than the application, and views, do not count.
    """
    views = set(app.view_functions.values())
    for module, name, function in named_values(modules):
        if not isinstance(function, FunctionType) or not _FUNCTION.match(name):
            continue
        arguments = _arguments_of(function)
        is_own = function.__module__ == module and function not in views
        if is_own and arguments is not None:
            yield f"from {module} import {name}\n\n{name}({arguments})"


def _arguments_of(function: FunctionType) -> str | None:
    """Return the arguments for `function`, None when it needs an unknown one."""
    required = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if not required:
        return ""
    return "application" if required in (["app"], ["application"]) else None


def _invoke(app: Any, statement: str) -> bool:
    with suppress(Exception, SystemExit), app.app_context():
        result = Deed((statement,)).run(application=app)
        return getattr(result, "exit_code", 0) == 0
    return False


def is_missing_tables(
    app: Any,
    visit: Visit = plain_visit,
    modules: Iterable[ModuleType] = (),
    methods: Sequence[str] = ("GET",),
) -> bool:
    """Request the pages without parameters, and say whether one lacks a table.

    Changes by the pages are undone, in `modules`, too.
    """
    rules = [rule for rule in app.url_map.iter_rules() if not rule.arguments]
    asked = [
        (method, rule.rule)
        for method in methods
        for rule in [rule for rule in rules if method in (rule.methods or ())][:PROBES]
    ]
    with undone_visits(app, visit, modules) as undone:
        return any(_lacks_a_table(app, method, page, undone) for method, page in asked)


def _lacks_a_table(app: Any, method: str, page: str, visit: Visit) -> bool:
    response = visit(send, make_client(app), passing=(), method=method, path=page)
    if response is None or response.error is None:
        return False
    return MISSING.search(text_of_exception(response.error)) is not None
