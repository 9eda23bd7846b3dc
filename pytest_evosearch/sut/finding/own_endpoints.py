"""Says whether an application serves anything of the project, or only what its tests need.

A test may make a bare ``Flask(__name__)`` for a request context, or with a view of its own, to try
one function of the project. Such an application is not the one that the project serves.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from pytest_evosearch.sut.decorations import layers
from pytest_evosearch.sut.finding.mounted import mounted_applications
from pytest_evosearch.sut.surroundings import is_project_file

STATIC = "static"
"""Last part of the endpoint that Flask adds for static files."""


def serves_something(app: Any) -> bool:
    """Say whether `app`, or what is mounted below it, serves more than static files."""
    served = [app, *(mounted for _path, mounted in mounted_applications(app))]
    return any(True for one in served for _view in _views(one))


def serves_the_project(
    app: Any, root: Path, tests: Collection[Path], packages: Collection[str] = ()
) -> bool:
    """Say whether `app` has an endpoint that code of the project below `root` answers.

    `tests` are the files of its tests, and `packages` are searched wherever they lie. Where
    libraries answer all endpoints, the module counts that made the application.
    """
    module = sys.modules.get(getattr(app, "import_name", ""))
    maker = getattr(module, "__file__", None) or ""
    by_project = _is_own(maker, root, tests)
    for served in (app, *(mounted for _path, mounted in mounted_applications(app))):
        for view in _views(served):
            files = _files_of(view)
            if packages and not _packages_of(view).isdisjoint(packages):
                return True
            of_tests = any(Path(file) in tests for file in files)
            if not of_tests and (by_project or any(_is_own(one, root, tests) for one in files)):
                return True
    return False


def _views(app: Any) -> Iterator[Any]:
    """Yield what answers the endpoints of `app`, without static files."""
    for rule in app.url_map.iter_rules():
        if rule.endpoint.rpartition(".")[2] != STATIC:
            yield app.view_functions.get(rule.endpoint)


def _files_of(view: Any) -> list[str]:
    """Return the files of a view, its decorators and its class."""
    files = [function.__code__.co_filename for function in layers(view)]
    kind = getattr(view, "view_class", None)
    module = sys.modules.get(getattr(kind, "__module__", ""))
    return [*files, str(getattr(module, "__file__", None) or "")]


def _packages_of(view: Any) -> set[str]:
    """Return the packages of a view, its decorators and its class, with those that hold them."""
    modules = [str(function.__module__) for function in layers(view)]
    modules.append(str(getattr(getattr(view, "view_class", None), "__module__", "")))
    return {name for module in modules for name in accumulate(module.split("."), "{}.{}".format)}


def _is_own(file: str, root: Path, tests: Collection[Path]) -> bool:
    path = Path(file)
    return bool(file) and path not in tests and is_project_file(path, root)
