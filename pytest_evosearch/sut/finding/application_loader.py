"""Imports a module, builds the application in it, and unwraps it to the Flask object."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from types import ModuleType
from typing import Any

from flask import Flask
from werkzeug.local import LocalProxy

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import APPLICATION
from pytest_evosearch.core.vocabulary import FACTORY
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.asgi import connexion_application
from pytest_evosearch.sut.asgi import put_front
from pytest_evosearch.sut.decorations import is_made_by
from pytest_evosearch.sut.finding.program_text import ProgramText
from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import first_name
from pytest_evosearch.sut.import_statements import importable
from pytest_evosearch.sut.surroundings import add_to_path
from pytest_evosearch.sut.surroundings import prepared_process

APPLICATION_NAMES = ("app", "application")
FACTORY_NAMES = FACTORY.words()
_INNER_ATTRIBUTES = APPLICATION.words(Certainty.LIKELY)
"""Attributes in which middlewares, and frameworks on Flask such as Dash, keep the application."""
_UNWRAP_DEPTH = 5
"""Most middlewares around an application; a longer chain is a cycle."""


IGNORED_RUN = MappingProxyType({"FLASK_RUN_FROM_CLI": "true"})
"""Variables with which ``app.run()`` returns at once."""


@dataclass(frozen=True)
class LoadedApplication:
    """A Flask application, and how other code gets the same object."""

    app: Any
    description: str
    """``shop:create_app()``."""
    import_statement: str
    """``from shop import create_app``; several lines when the arguments need imports."""
    expression: str
    """``create_app()``."""
    module: str
    """``shop``."""
    path_entries: tuple[Path, ...] = ()
    """Folders that `sys.path` needs for the import."""
    tried: tuple[str, ...] = field(default=())
    """Earlier attempts, one phrase each, for the discovery block."""
    passed_over: tuple[str, ...] = ()
    """Those of `tried` that crashed, and that would have been taken otherwise."""
    is_connexion: bool = False
    """Whether the expression returns a Connexion 3 application with `app` as its last layer."""

    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that had to be set to create the application."""
    dispatcher: str | None = None
    """Beginning of the expression for a dispatcher around `app`; see `_serve_mounts`."""
    program: ProgramText | None = None
    """The program that adds the routes and starts the server; the expression uses its result."""


def load_reference(reference: AppReference, root: Path) -> LoadedApplication:
    """Import and build the application that `reference` names.

    Raise `ApplicationNotFound` (with a phrase, not a sentence) when the module contains no
    application. Exceptions of the application are not caught.
    """
    variables: dict[str, str] = {}
    with prepared_process(root), _no_server(variables):
        if reference.directory is not None:
            add_to_path(reference.directory)
        add_to_path(root)
        module = _with_routes(importlib.import_module(reference.module))
        value, expression = _value_of(reference, module)
        if "(" in expression:
            module, value = _by_the_projects_name(reference, module, value)
        name = f"{module.__name__}:{expression}"
        found = inner_application(value, expression, f"{name} is")
    first = first_name(found.expression)
    return replace(
        found,
        description=f"{module.__name__}:{found.expression}",
        import_statement=_import_statement(reference.imports, module.__name__, first),
        module=module.__name__,
        path_entries=import_folders(module, reference.directory),
        variables=variables,
    )


def inner_application(value: Any, expression: str, what: str) -> LoadedApplication:
    """Return the Flask application inside the value of `expression`, without its origin.

    Raise `ApplicationNotFound` without one; `what` begins the phrase.
    """
    connexion = connexion_application(value)
    app, suffix = (put_front(connexion), "") if connexion is not None else unwrap(value)
    if app is None:
        raise ApplicationNotFound(f"{what} a {type(value).__name__}, not a Flask application")
    dispatcher = None if connexion is not None else _serve_mounts(app, value, expression)
    return LoadedApplication(
        app=app,
        description="",
        import_statement="",
        expression=expression + suffix,
        module="",
        is_connexion=connexion is not None,
        dispatcher=dispatcher,
    )


def _import_statement(further: Iterable[str], module: str, name: str) -> str:
    """Return the lines that import `name` from `module`, beside `further` ones."""
    own = f"from {module} import {name}"
    return "\n".join(sorted({*further, own}, key=_import_order))


def _import_order(statement: str) -> tuple[bool, str]:
    """Sort the standard library first, as import sorters do."""
    top = statement.split()[1].partition(".")[0]
    return top not in sys.stdlib_module_names, statement


@contextmanager
def _no_server(variables: dict[str, str]) -> Iterator[None]:
    """Ignore `Flask.run`: importing a module that calls it would never return.

    When it is called, note the variable with which the ``flask`` command makes Flask ignore it.
    """
    run = Flask.run

    def ignore(*_arguments: Any, **_keywords: Any) -> None:
        variables.update(IGNORED_RUN)

    Flask.run = ignore  # type: ignore[method-assign]
    try:
        yield
    finally:
        Flask.run = run  # type: ignore[method-assign]


def unwrap(value: Any) -> tuple[Any, str]:
    """Return the Flask application inside `value`, and the suffix of the expression to reach it.

    Looks into ``(app, api)`` pairs, WSGI middlewares and Connexion's applications; returns ``(None,
    "")`` without one.
    """
    suffix = ""
    for _ in range(_UNWRAP_DEPTH):
        if _is_flask(value):
            return value, suffix
        value, step = _look_inside(value)
        if value is None:
            break
        suffix += step
    return None, ""


def _serve_mounts(app: Any, value: Any, expression: str) -> str | None:
    """Let `app` serve the applications that a dispatcher around it mounts.

    Return the expression for the dispatcher, if there is one. The written conftest.py needs it,
    because Flask's test client calls the application, not the dispatcher around it.
    """
    for _ in range(_UNWRAP_DEPTH):
        if is_made_by(value, "werkzeug.middleware.dispatcher", "DispatcherMiddleware"):
            inside = vars(app).get("wsgi_app")
            if getattr(inside, "mounts", None) is not value.mounts:  # first load
                app.wsgi_app = type(value)(app.wsgi_app, value.mounts)
            return expression
        if value is app:
            break
        value, step = _look_inside(value)
        expression += step
    return None


def _look_inside(value: Any) -> tuple[Any, str]:
    if type(value) is LocalProxy:  # ``current_app``, which is nothing outside a pushed context
        with suppress(RuntimeError):
            return value._get_current_object(), "._get_current_object()"
        return None, ""
    if isinstance(value, (tuple, list)):
        for index, part in enumerate(value):
            if isinstance(part, Flask):
                return part, f"[{index}]"
        return None, ""
    for name in _INNER_ATTRIBUTES:
        inner = getattr(value, name, None)
        if isinstance(inner, Flask):
            return inner, f".{name}"
        owner = getattr(inner, "__self__", None)  # a bound ``app.wsgi_app``
        if isinstance(owner, Flask):
            return owner, f".{name}.__self__"
    for name in _INNER_ATTRIBUTES:
        inner = getattr(value, name, None)
        if inner is not None and inner is not value and not isinstance(inner, type):
            return inner, f".{name}"
    return None, ""


def _with_routes(module: ModuleType) -> ModuleType:
    """Return the twin of `module` with the application to which the project added its routes.

    A project whose folder is a package can be imported by two names: ``shop.web``, as Flask names
    it, and ``web``, as its scripts do. Each module creates an application, and ``import web.views``
    adds routes to only one of them.
    """
    return max([module, *_twins_of(module)], key=_count_rules)


def _by_the_projects_name(
    reference: AppReference, module: ModuleType, value: Any
) -> tuple[ModuleType, Any]:
    """Return the twin of `module` whose factory adds more routes, and its application.

    The project's files may import the twin only when the factory is called.
    """
    made = [(module, value)]
    for twin in _twins_of(module):
        if twin is not module:
            with suppress(Exception):  # the other one works
                made.append((twin, _value_of(reference, twin)[0]))
    return max(made, key=lambda one: _count_rules_of(unwrap(one[1])[0]))


def _twins_of(module: ModuleType) -> list[ModuleType]:
    """Return all modules made from this module's file."""
    place = getattr(module, "__file__", None)
    return [one for one in list(sys.modules.values()) if place and _place_of(one) == place]


def _place_of(module: object) -> object:
    imported = isinstance(module, ModuleType) and module.__name__ != "__main__"
    return vars(module).get("__file__") if imported else None


def _count_rules(module: ModuleType) -> int:
    """Count the rules of the applications in `module`.

    Proxies are not resolved: that would run code behind them.
    """
    return sum(map(_count_rules_of, list(vars(module).values())))


def _count_rules_of(value: Any) -> int:
    return len(list(value.url_map.iter_rules())) if issubclass(type(value), Flask) else 0


def _value_of(reference: AppReference, module: ModuleType) -> tuple[Any, str]:
    """Return the value of `reference` in `module`, and its expression."""
    if reference.expression is None:
        return _best_application(module)
    namespace = _namespace(module, reference.imports)
    return _evaluate(reference.expression, namespace, module)


def _namespace(module: ModuleType, imports: Iterable[str]) -> dict[str, Any]:
    namespace = dict(vars(module))
    for statement in imports:
        exec(importable(statement), namespace)
    return namespace


def _evaluate(expression: str, namespace: dict[str, Any], module: ModuleType) -> tuple[Any, str]:
    name = first_name(expression)
    if name not in namespace:
        known = ", ".join(sorted(candidates_of(module))) or "none"
        raise ApplicationNotFound(
            f"{module.__name__} has no {name!r} (applications and factories in it: {known})"
        )
    value = eval(expression, namespace)
    if inspect.isfunction(value) and "(" not in expression:
        return _call_factory(value, expression)
    return value, expression


def candidates_of(module: ModuleType) -> list[str]:
    """Return the names of applications and factories in `module`."""
    names = applications_in(module)
    return names + [name for name in FACTORY_NAMES if inspect.isfunction(vars(module).get(name))]


def applications_in(module: ModuleType) -> list[str]:
    """Return the names of the applications in `module`."""
    return [name for name, value in vars(module).items() if _is_application(value)]


def _is_application(value: object) -> bool:
    return _is_flask(value) or connexion_application(value) is not None


def _is_flask(value: object) -> bool:
    """Say whether a value is an application itself: ``current_app`` only stands for one."""
    return type(value) is not LocalProxy and isinstance(value, Flask)


def _best_application(module: ModuleType) -> tuple[Any, str]:
    """Choose as ``flask run`` does: ``app``, ``application``, the only one, then a factory."""
    for name in APPLICATION_NAMES:
        value = getattr(module, name, None)
        if value is not None and not isinstance(value, ModuleType) and unwrap(value)[0] is not None:
            return value, name
    found = [(value, name) for name, value in vars(module).items() if _is_application(value)]
    if len({id(value) for value, _ in found}) == 1:
        return found[0]
    if found:
        names = ", ".join(name for _, name in found)
        raise ApplicationNotFound(f"{module.__name__} has several applications: {names}")
    for name in FACTORY_NAMES:
        factory = getattr(module, name, None)
        if inspect.isfunction(factory):
            return _call_factory(factory, name)
    raise ApplicationNotFound(f"{module.__name__} has neither an application nor a factory")


def _call_factory(factory: Callable[..., Any], name: str) -> tuple[Any, str]:
    """Call `factory` without arguments, or with guesses for its required ones."""
    guesses = guess_arguments(factory)
    if guesses is None:
        signature = f"{name}{inspect.signature(factory)}"
        raise ApplicationNotFound(f"{signature} needs arguments that cannot be guessed")
    arguments = ", ".join(guesses)
    return eval(f"factory({arguments})", {"factory": factory}), f"{name}({arguments})"


def guess_arguments(factory: Callable[..., Any]) -> Sequence[str] | None:
    """Return literals for the required parameters of `factory`, None when one is unknown.

    The conventions come from 29 projects: a flag called ``testing``, a configuration by name, or a
    mapping of overrides.
    """
    literals: list[str] = []
    for parameter in inspect.signature(factory).parameters.values():
        if parameter.default is not parameter.empty:
            continue
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        literal = _guess(parameter)
        if literal is None:
            return None
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        literals.append(f"{parameter.name}={literal}" if keyword else literal)
    return literals


def _guess(parameter: inspect.Parameter) -> str | None:
    name = parameter.name.lower()
    annotation = str(parameter.annotation).lower()
    if name in ("testing", "test", "is_test", "test_mode") or annotation in ("bool", str(bool)):
        return "True"
    if "dict" in annotation or "mapping" in annotation:
        return '{"TESTING": True}'
    if name.endswith(("config_name", "environment", "env", "config_mode")):
        return '"testing"'
    if name in ("test_config", "config_override", "overrides", "config_dict"):
        return '{"TESTING": True}'
    if name in ("config", "settings", "configuration"):
        return '"testing"'
    return None


def import_folders(module: ModuleType, beside: Path | None = None) -> tuple[Path, ...]:
    """Return the folders that the import needs, unless it is that of an installed package.

    The second one is the module's own folder, if `beside` names it: what it imports stands there.
    """
    filename = getattr(module, "__file__", None)
    if filename is None:
        return ()
    entry = Path(filename).resolve()
    levels = module.__name__.count(".") + (entry.name == "__init__.py") + 1
    directory = entry.parents[levels - 1]
    if {"site-packages", "dist-packages"} & set(directory.parts):
        return ()
    if str(directory) not in sys.path:
        return ()
    needs_both = beside == entry.parent != directory
    return (directory, entry.parent) if needs_both else (directory,)
