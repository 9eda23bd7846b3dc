"""Finds how a project opens its database, so that a test can use the project's own way.

Sessions, engines and connections are in variables of modules, in attributes of the application, or
results of functions such as ``get_db()``. Each is looked up again for each row, because fixtures
may replace it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from types import ModuleType
from typing import Any

from werkzeug.local import LocalProxy

from pytest_evosearch.core.row_store import IN_APPLICATION
from pytest_evosearch.core.row_store import RowStore
from pytest_evosearch.sut.rows.kinds import Held
from pytest_evosearch.sut.rows.kinds import Opening

_SESSIONS = re.compile(r"session", re.IGNORECASE)
_CONNECTIONS = re.compile(r"conn|db|database", re.IGNORECASE)
"""Names of functions that return a connection."""

_NO_GETTER = frozenset({"Flask", "executescript", "create_all", "drop_all", "commit", "init_app"})
"""Names in a function that does more than return a session or connection."""


def held_objects(app: Any, modules: Iterable[ModuleType]) -> list[Held]:
    """Return the named objects of modules and of the application, modules first."""
    found = []
    for module in modules:
        for name, value in sorted(vars(module).items()):
            if not name.startswith("__") and type(value) not in (ModuleType, LocalProxy):
                found.append(Held(name, f"{module.__name__}.{name}", value))
    for holder in ("config", "extensions"):
        for key, value in sorted(getattr(app, holder).items(), key=lambda pair: str(pair[0])):
            code = f"{{client}}.application.{holder}[{_quoted(key)}]"
            found.append(Held(code, "", value))
    own = vars(type(app)("none")) if type(app).__name__ == "Flask" else {}
    for name, value in sorted(vars(app).items()):
        if name not in own and not name.startswith("_"):
            code = f"{{client}}.application.{name}"
            found.append(Held(code, "", value))
    return found


def _quoted(key: object) -> str:
    return '"' + str(key) + '"' if isinstance(key, str) else repr(key)


def session_openings(app: Any, held: list[Held]) -> Iterator[Opening]:
    """Yield ways to open a SQLAlchemy session, the most usual first."""
    if "sqlalchemy.orm" not in sys.modules:
        return
    orm, engine = sys.modules["sqlalchemy.orm"], sys.modules["sqlalchemy.engine"]
    for one in _of_type(held, orm.scoped_session):
        endings = (f"{one.name}.commit()", f"{one.name}.remove()")
        store = RowStore(name=one.name, imports=_imported(one), ending=endings)
        yield Opening(store, app)
    makers = _of_type(held, orm.sessionmaker)
    for one in (one for one in makers if "asyncio" not in one.value.class_.__module__):
        context = f"{one.name}() as session"
        store = _session_store(_imported(one), (context,))
        yield Opening(store, app)
    for one in held:
        if one.path and _is_getter(one.value, _SESSIONS):
            yield from _by_function(app, one, "session")
    for one in _of_type(held, engine.Engine):
        imports = (*_imported(one), "sqlalchemy.orm.Session")
        store = _session_store(imports, (f"Session({one.name}) as session",))
        yield Opening(store, app)
    for one in held:  # a database address, for which a test creates the engine
        if isinstance(one.value, str) and re.match(r"[a-z+0-9]+://.", one.value):
            imports = (*_imported(one), "sqlalchemy.create_engine", "sqlalchemy.orm.Session")
            made = f"create_engine({one.name})"
            store = _session_store(imports, (f"Session({made}) as session",))
            yield Opening(store, app)


def _session_store(imports: tuple[str, ...], contexts: tuple[str, ...]) -> RowStore:
    return RowStore(
        name="session", imports=imports, contexts=contexts, ending=("session.commit()",)
    )


def connection_openings(app: Any, held: list[Held], files: Iterable[Any]) -> Iterator[Opening]:
    """Yield ways to a connection: functions of the project, connections, paths and addresses."""
    views = set(map(id, app.view_functions.values()))
    getters = [
        one
        for one in held
        if one.path and id(one.value) not in views and _is_getter(one.value, _CONNECTIONS)
    ]
    for one in sorted(getters, key=lambda one: "execute" in one.value.__code__.co_names):
        yield from _by_function(app, one, "connection")
    for one in held:
        if _is_connection(one.value):
            store = RowStore(
                name=one.name,
                imports=_imported(one),
                contexts=(),
                ending=(f"{one.name}.commit()",),
            )
            yield Opening(store, app)
    paths = {str(file) for file in files}
    for one in held:
        if paths and _path_of(one.value) in paths:
            store = RowStore(
                name="connection",
                imports=(*_imported(one), "contextlib.closing", "sqlite3"),
                contexts=(f"closing(sqlite3.connect({one.name})) as connection",),
                ending=("connection.commit()",),
            )
            yield Opening(store, app)


def _by_function(app: Any, one: Held, word: str) -> Iterator[Opening]:
    """Yield the result of a function, which the application or else the test closes."""
    call = f"{one.name}()"
    manages = inspect.isgeneratorfunction(inspect.unwrap(one.value))
    if manages:
        if one.value is not inspect.unwrap(one.value):
            store = _store_of(word, one, (IN_APPLICATION, f"{call} as {word}"), ())
            yield Opening(store, app)
        return
    store = _store_of(word, one, (IN_APPLICATION,), (f"{word} = {call}",))
    yield Opening(store, app, one.name)
    closed = _store_of(word, one, (IN_APPLICATION, f"closing({call}) as {word}"), ())
    yield Opening(closed, app)


def _store_of(word: str, one: Held, contexts: tuple[str, ...], inside: tuple[str, ...]) -> RowStore:
    imports = _imported(one)
    if any("closing(" in context for context in contexts):
        imports = (*imports, "contextlib.closing")
    return RowStore(
        name=word,
        imports=imports,
        contexts=contexts,
        inside=inside,
        ending=(f"{word}.commit()",),
    )


def _of_type(held: list[Held], kind: type[Any]) -> Iterator[Held]:
    """Yield the objects of a type; one in several modules only once."""
    seen = set()
    for one in held:
        if isinstance(one.value, kind) and id(one.value) not in seen:
            seen.add(id(one.value))
            yield one


def _imported(one: Held) -> tuple[str, ...]:
    return (one.path,) if one.path else ()


def _path_of(value: Any) -> str:
    if not isinstance(value, str) and not hasattr(value, "__fspath__"):
        return ""
    with suppress(Exception):
        return str(Path(value).resolve())
    return ""


def _is_connection(value: object) -> bool:
    return not isinstance(value, type) and all(
        callable(getattr(value, name, None)) for name in ("cursor", "commit", "rollback", "close")
    )


def _is_getter(value: object, words: re.Pattern[str]) -> bool:
    """Say whether a function of the project may return such an object and does little else."""
    if not isinstance(value, FunctionType):
        return False
    plain = inspect.unwrap(value)
    code = plain.__code__
    needed = code.co_argcount - len(plain.__defaults__ or ())
    if needed or code.co_kwonlyargcount or not words.search(value.__name__):
        return False
    return not _NO_GETTER.intersection(code.co_names) and _gives_something(plain)


def _gives_something(function: FunctionType) -> bool:
    """Say whether a function returns or yields a value."""
    with suppress(Exception):
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        return any(
            isinstance(node, (ast.Return, ast.Yield)) and node.value is not None
            for node in ast.walk(tree)
        )
    return False


def flask_sqlalchemy_opening(app: Any, path: str) -> Opening:
    """Return the opening through the Flask-SQLAlchemy extension, which a module may contain."""
    name = path.rpartition(".")[2] or "db"
    store = RowStore(
        name=f"{name}.session",
        imports=(path,) if path else (),
        before=() if path else ('db = {client}.application.extensions["sqlalchemy"]',),
        ending=(f"{name}.session.commit()",),
    )
    return Opening(store, app)
