"""Finds the application of a project without fixtures, and reports all attempts.

First comes the factory call of the project's own tests, which configures the application for
testing, or a call of their function that creates it. Then come Flask's own rules (``FLASK_APP``,
``.flaskenv``, ``wsgi.py``, ``app.py``), then a static scan. Where no route is found, the project's
programs run up to the start of their server.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.finding.application_loader import LoadedApplication
from pytest_evosearch.sut.finding.application_loader import load_reference
from pytest_evosearch.sut.finding.dotenv_files import variables_of_the_command
from pytest_evosearch.sut.finding.factory_calls import find_factory_calls
from pytest_evosearch.sut.finding.late_settings import late_settings
from pytest_evosearch.sut.finding.own_endpoints import serves_something
from pytest_evosearch.sut.finding.programs import find_programs
from pytest_evosearch.sut.finding.project_scan import ParsedTests
from pytest_evosearch.sut.finding.project_scan import find_applications
from pytest_evosearch.sut.finding.reference import AppReference
from pytest_evosearch.sut.finding.reference import parse_reference
from pytest_evosearch.sut.finding.reference import reference_to_file
from pytest_evosearch.sut.finding.server_starts import load_program
from pytest_evosearch.sut.finding.unset_variables import NOT_SET
from pytest_evosearch.sut.finding.unset_variables import describe_unset_variables
from pytest_evosearch.sut.finding.unset_variables import noted_unset_variables
from pytest_evosearch.sut.finding.unset_variables import stand_ins
from pytest_evosearch.sut.finding.unset_variables import stand_ins_named
from pytest_evosearch.sut.finding.unset_variables import unset_again
from pytest_evosearch.sut.finding.unset_variables import with_demanded_scheme
from pytest_evosearch.sut.finding.wanted_servers import file_address
from pytest_evosearch.sut.finding.wanted_servers import wanted_address
from pytest_evosearch.sut.surroundings import describe_exception
from pytest_evosearch.sut.surroundings import project_modules

RUNNING = "running "
"""Beginning of a phrase about a program that was run."""

LATE = "settings that only a program sets: "
"""Beginning of a phrase about settings that no program that could be run has set."""

ATTEMPTS = 6
"""Most modules that discovery imports: every import runs code of the project."""

RECOGNISABLE = 8
"""Shortest value of a variable that a message does not contain by chance."""

ADVICE = "name it with --evosearch-app=module:name, or give the tests a `client` fixture"


def load_application(
    spec: str | None,
    root: Path,
    tests: ParsedTests | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> LoadedApplication:
    """Load the application called `spec`, or discover one below `root`.

    `tests` are the parsed tests below `root`, which callers may reuse. `spec` has the syntax of
    ``flask --app``. Raise `ApplicationNotFound` with one line that lists the attempts, and each
    failure with ``file:line``.

    When the application fails because environment variables with known substitutes are missing, or
    those that the failure names, it is tried again with the substitutes. These stay set:
    `LoadedApplication.variables`.
    """
    os.environ.update(variables)
    is_loaded = not variables and bool(project_modules(root))
    with noted_unset_variables(root) as unset:
        try:
            loaded = _load(spec, root, tests, unset)
            if is_loaded and not has_routes(loaded):
                _forget_modules(root)  # an import that failed may have left those with the routes
                loaded = _load(spec, root, tests, unset)
            return replace(loaded, variables={**variables, **loaded.variables})
        except ApplicationNotFound as error:
            unset_again(variables)
            named = stand_ins_named(unset, str(error).partition(NOT_SET)[0])
            addresses = wanted_address(root), file_address(root)
            choices = [{**named, **stand_ins(unset, one)} for one in addresses]
            refusal = error
    if is_loaded and not any(choices):  # tests may have imported a module that reads a variable
        _forget_modules(root)
        with suppress(ApplicationNotFound):
            return load_application(spec, root, tests)
    for number, further in enumerate(choices):
        if not further or further in choices[:number]:
            continue
        _forget_modules(root)  # what these modules have read is not requested again
        try:
            return load_application(spec, root, tests, {**variables, **further})
        except ApplicationNotFound as error:
            choices.append(with_demanded_scheme(further, str(error)))
            if _LACKS_LIBRARY.search(str(error)) and not _LACKS_LIBRARY.search(str(refusal)):
                refusal = error  # no value of a variable causes that
            elif named and _comes_after(str(error).partition(NOT_SET)[0], further):
                refusal = ApplicationNotFound(f"{error} (with stand-ins for {', '.join(further)})")
    raise refusal


def _comes_after(failure: str, given: Mapping[str, str]) -> bool:
    """Say whether another failure came after variables were given: it names none of them.

    What fails because of a value that we have made up is not the reason.
    """
    values = [value for value in given.values() if len(value) >= RECOGNISABLE]
    return not any(one in failure for one in (*given, *values))


_LACKS_LIBRARY = re.compile(r"\b(ImportError|ModuleNotFoundError): ")


def imports_something(root: Path) -> bool:
    """Say whether there is anything that discovery would import or run."""
    candidates = _candidates(root, ParsedTests(root), [])
    return next(candidates, None) is not None or bool(find_programs(root))


def _load(
    spec: str | None, root: Path, tests: ParsedTests | None, unset: Iterable[str]
) -> LoadedApplication:
    if spec is not None:
        return _load_named(spec, root, unset)
    return _discover(root, tests or ParsedTests(root), unset)


def _forget_modules(root: Path) -> None:
    """Have the project's modules imported again, including packages without ``__init__``."""
    packages = {module.__name__.partition(".")[0] for module in project_modules(root)}
    for name in list(sys.modules):
        if name.partition(".")[0] in packages:
            del sys.modules[name]


def _discover(root: Path, tests: ParsedTests, unset: Iterable[str]) -> LoadedApplication:
    tried: list[str] = []
    passed_over: list[str] = []
    broken: set[str] = set()
    for origin, reference in _candidates(root, tests, tried):
        if reference.module in broken:
            continue
        loaded, crashed = _attempted(partial(load_reference, reference, root), origin, root, tried)
        if loaded is not None:
            found = _with_its_routes(loaded, root, tried)
            return replace(found, tried=tuple(tried), passed_over=tuple(passed_over))
        if crashed:
            passed_over.append(tried[-1])
        if crashed and reference.expression is None:
            broken.add(reference.module)
    served = _served_by_a_program(root, tried)
    if served is not None:
        return replace(served, tried=tuple(tried), passed_over=tuple(passed_over))
    phrases = [*_grouped(tried), *describe_unset_variables(unset, root), ADVICE]
    raise ApplicationNotFound(f"no Flask application found; tried {'; '.join(phrases)}")


def _grouped(tried: Sequence[str]) -> list[str]:
    """Return the attempts with one reason as one phrase, in the order of the first ones."""
    origins: dict[str, list[str]] = {}
    for attempt in tried:
        origin = attempt.partition(" (")[0]
        origins.setdefault(attempt[len(origin) :], []).append(origin)
    return [
        " and ".join(filter(None, (", ".join(names[:-1]), names[-1]))) + reason
        for reason, names in origins.items()
    ]


def _attempted(
    load: Callable[[], LoadedApplication], origin: str, root: Path, tried: list[str]
) -> tuple[LoadedApplication | None, bool]:
    """Return the loaded application, and whether loading crashed; note a failure in `tried`."""
    try:
        return load(), False
    except KeyboardInterrupt:
        raise
    except ApplicationNotFound as missing:
        tried.append(f"{origin} ({missing})")
        return None, False
    except BaseException as error:
        tried.append(f"{origin} ({describe_exception(error, root)})")
        return None, True


def _with_its_routes(loaded: LoadedApplication, root: Path, tried: list[str]) -> LoadedApplication:
    """Return what a program serves, for an application without routes or some settings (yet)."""
    if not has_routes(loaded):
        return _served_by_a_program(root, tried, loaded.module) or loaded
    late = late_settings(loaded.app.config, root)
    if not late:
        return loaded
    served = _served_by_a_program(root, tried, loaded.module)
    if served is not None and late.keys() & served.app.config.keys():
        return served
    places = ", ".join(f"{name} ({place})" for name, place in late.items())
    tried.append(f"{LATE}{places}")
    return loaded


def has_routes(loaded: LoadedApplication) -> bool:
    """Say whether an application, or one mounted below it, serves more than static files."""
    is_front = loaded.is_connexion or loaded.dispatcher is not None
    return is_front or serves_something(loaded.app)


def _served_by_a_program(
    root: Path, tried: list[str], first: str | None = None
) -> LoadedApplication | None:
    """Return the application that one of the project's programs serves, or None."""
    for program in find_programs(root, first)[:ATTEMPTS]:
        name = program.path.relative_to(root).as_posix()
        origin = f"{RUNNING}{name}"
        loaded, _crashed = _attempted(partial(load_program, program, root), origin, root, tried)
        if loaded is not None and has_routes(loaded):
            return loaded
        if loaded is not None:
            tried.append(f"{origin} (it serves an application without routes)")
    return None


def is_prepared_by_a_program(loaded: LoadedApplication, root: Path) -> bool:
    """Say whether a program may set up what importing the application does not."""
    return any(program.prepares for program in find_programs(root, loaded.module)[:ATTEMPTS])


def prepared_by_a_program(loaded: LoadedApplication, root: Path) -> LoadedApplication | None:
    """Return an application as the first program leaves it that serves this very one, else None.

    Its main block may set up what importing the application does not: tables, extensions.
    """
    served = _served_by_a_program(root, [], loaded.module)
    if served is None or served.app is not loaded.app:
        return None
    return replace(served, variables={**loaded.variables, **served.variables}, tried=loaded.tried)


def _load_named(spec: str, root: Path, unset: Iterable[str]) -> LoadedApplication:
    tried: list[str] = []
    try:
        loaded = load_reference(parse_reference(spec, root), root)
        return replace(_with_its_routes(loaded, root, tried), tried=tuple(tried))
    except KeyboardInterrupt:
        raise
    except ApplicationNotFound as missing:
        raise ApplicationNotFound(f"--evosearch-app={spec}: {missing}") from None
    except BaseException as error:
        advice = "write module:name or module:factory(arguments), as in flask --app"
        phrases = describe_exception(error, root), *describe_unset_variables(unset, root), advice
        raise ApplicationNotFound(
            f"--evosearch-app={spec} could not be loaded: {'; '.join(phrases)}"
        ) from error


def _candidates(
    root: Path, tests: ParsedTests, tried: list[str]
) -> Iterator[tuple[str, AppReference]]:
    """Yield candidates, each with a phrase that names it; note missing ones in `tried`."""
    calls = find_factory_calls(tests)
    if not calls:
        tried.append("factory calls in tests (none)")
    for reference in calls[:ATTEMPTS]:
        yield f"{reference} from the tests", reference
    yield from _flask_candidates(root, tried)
    scanned = find_applications(root)
    if not scanned:
        tried.append("a scan for `= Flask(` and `def create_app` (nothing)")
    for reference in scanned[:ATTEMPTS]:
        yield str(reference), reference


def _flask_candidates(root: Path, tried: list[str]) -> Iterator[tuple[str, AppReference]]:
    named = _flask_app(root)
    if named:
        with suppress(ValueError):
            yield f"FLASK_APP={named}", parse_reference(named, root)
    else:
        tried.append("FLASK_APP (not set)")
    for name in ("wsgi.py", "app.py"):
        if (root / name).exists():
            yield name, reference_to_file(root / name)
        else:
            tried.append(f"{name} (absent)")
    package = root / "app" / "__init__.py"
    if package.exists():
        yield "app/", reference_to_file(package)


def _flask_app(root: Path) -> str | None:
    """Return ``FLASK_APP`` of the environment, ``.env`` or ``.flaskenv``, as ``flask`` reads it.

    Without python-dotenv, only the line with ``FLASK_APP`` is read.
    """
    given = os.environ.get("FLASK_APP") or variables_of_the_command(root).get("FLASK_APP")
    return given or _flask_app_line(root / ".flaskenv")


def _flask_app_line(path: Path) -> str | None:
    with suppress(OSError):
        text = path.read_text(encoding="utf-8", errors="replace")
        match = re.search(
            r"^\s*(?:export\s+)?FLASK_APP\s*=\s*['\"]?([^'\"\n]+)", text, re.MULTILINE
        )
        return match[1].strip() if match else None
    return None
