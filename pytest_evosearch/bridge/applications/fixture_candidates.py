"""Which fixtures of a project may give a client, an application or a user.

A name only suggests which fixture to set up first; `bridge.applications.fixtures` looks at the
values.

    collected tests, loaded conftests -> ProjectFixtures -> candidates, best first
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_evosearch.bridge.internals import SyntheticTest
from pytest_evosearch.bridge.internals import all_definitions
from pytest_evosearch.bridge.internals import closure_of
from pytest_evosearch.bridge.internals import definition_for
from pytest_evosearch.bridge.internals import is_below_module
from pytest_evosearch.bridge.internals import is_parametrized
from pytest_evosearch.bridge.internals import requested_names
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import APPLICATION
from pytest_evosearch.core.vocabulary import CLIENT
from pytest_evosearch.core.vocabulary import DATABASE
from pytest_evosearch.core.vocabulary import Certainty

CLIENT_FIXTURE = "evosearch_client"
"""A fixture with which a project defines the client; where it exists, no other is tried."""

CLIENT_NAMES = CLIENT.words(Certainty.LIKELY)
APP_NAMES = APPLICATION.words(Certainty.POSSIBLE)
DATABASE_NAMES = DATABASE.words()
USER_NAMES = re.compile(
    r"(^|_)(auth|authenticated|authorization|login|logged|user|admin|token|jwt|headers?|"
    r"credentials?|api_?key)(_|$)"
)
PREPARES_TABLES = re.compile(
    r"create_all|upgrade\(|init_?db|CREATE TABLE|executescript|session\.add|\.commit\(",
    re.IGNORECASE,
)
"""What the source of a fixture contains that creates or fills tables."""
USUAL_SHARE = 0.5
"""Share of the client's tests that must request a database fixture, for it to be set up, too."""
ATTEMPTS = 8
"""Largest number of fixtures of one kind to set up: each runs code of the project."""


GENERATED_PREFIX = "test_evosearch_"
"""Beginning of the names of modules that earlier runs wrote."""
GENERATED_CONFTEST = "written once by pytest-evosearch"
"""Words in the first lines of a conftest.py that an earlier run wrote."""


def is_generated(path: Path) -> bool:
    """Say whether an earlier run wrote the file.

    Such files are ignored.  Otherwise a second run would find a different project than the first.
    """
    if path.name != "conftest.py":
        return path.name.startswith(GENERATED_PREFIX)
    try:
        with path.open(encoding="utf-8") as file:
            return GENERATED_CONFTEST in file.readline()
    except (OSError, UnicodeDecodeError):
        return False


def in_source_order(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """Return tests in the order of their files and lines; plugins may have shuffled them."""
    return sorted(items, key=lambda item: (str(item.path), item.location[1] or 0, item.nodeid))


def own_test_files(items: Sequence[pytest.Item], root: Path) -> tuple[Path, ...]:
    """Return the files of the project's own tests, and modules beside them that they may use.

    These are the collected files, the modules in their folders (except in `root`, where
    applications are), modules named after tests in the folders above, and every ``conftest.py``
    above.  The result is sorted, and has no files of an earlier run.
    """
    collected = {item.path for item in items if not is_generated(item.path)}
    above = {folder for path in collected for folder in path.parents}
    near = {path.parent for path in collected} - {root}
    near |= {folder for folder in above if _is_called_after_tests(folder, root)}
    beside = {path for folder in near for path in folder.glob("*.py")}
    conftests = {folder / "conftest.py" for folder in above if folder.is_relative_to(root)}
    found = collected | beside | {path for path in conftests if path.is_file()}
    return tuple(sorted(path for path in found if not is_generated(path)))


def _is_called_after_tests(folder: Path, root: Path) -> bool:
    inside = folder.relative_to(root).parts if folder.is_relative_to(root) else ()
    return any(part.startswith("test") for part in inside)


@dataclass(frozen=True)
class FixtureSite:
    """One fixture: where it is defined, and how."""

    name: str
    path: Path
    line: int
    scope: str
    requests: tuple[str, ...]
    """Fixtures that its signature requests."""
    definition: Any
    """pytest's own definition object."""

    @property
    def function(self) -> Any:
        """Return the function without its decorators."""
        return inspect.unwrap(self.definition.func)

    @property
    def in_conftest(self) -> bool:
        """Say whether a conftest.py defines the fixture."""
        return self.path.name == "conftest.py"

    @property
    def is_importable(self) -> bool:
        """Say whether another module can import the fixture; it cannot import a method."""
        return "." not in getattr(self.function, "__qualname__", ".")

    @property
    def is_installed(self) -> bool:
        """Say whether an installed plugin defines the fixture."""
        return bool({"site-packages", "dist-packages", "_pytest"} & set(self.path.parts))

    def location(self, rootdir: Path) -> str:
        """Return the place as text: ``tests/conftest.py:17``."""
        path = self.path
        shown = path.relative_to(rootdir) if path.is_relative_to(rootdir) else path
        return f"{shown.as_posix()}:{self.line}"

    @cached_property
    def source(self) -> str:
        """Return the text of its function; empty when it cannot be read."""
        try:
            return inspect.getsource(self.function)
        except (OSError, TypeError):
            return ""


def site_of(definition: Any) -> FixtureSite:
    """Describe a fixture definition of pytest."""
    function = inspect.unwrap(definition.func)
    code = getattr(function, "__code__", None)
    return FixtureSite(
        name=definition.argname,
        path=Path(code.co_filename if code is not None else ""),
        line=code.co_firstlineno if code is not None else 0,
        scope=str(definition.scope),
        requests=tuple(definition.argnames),
        definition=definition,
    )


class ProjectFixtures:
    """The fixtures of a project, and which tests use them."""

    def __init__(self, session: pytest.Session, items: Sequence[pytest.Item]) -> None:
        self.session = session
        own = [item for item in items if not is_generated(item.path)]
        self.items = sorted(own, key=lambda item: item.nodeid)
        self._uses: dict[str, list[pytest.Item]] = {}
        for item in self.items:
            for name in dict.fromkeys(closure_of(item)):
                self._uses.setdefault(name, []).append(item)

    @cached_property
    def sites(self) -> dict[str, FixtureSite]:
        """Return the definition of each fixture of the project, as its typical test sees it.

        Fixtures of installed plugins are included only under the usual names of clients, such as
        pytest-flask's.
        """
        found = {}
        for name, definitions in all_definitions(self.session).items():
            item = self.typical_test(name)
            definition = definition_for(item, name) if item is not None else None
            sites = [site_of(each) for each in ([definition] if definition else definitions)]
            sites = [each for each in sites if not is_generated(each.path)]
            if not sites:
                continue
            site = sites[-1]
            if not site.is_installed or name in CLIENT_NAMES:
                found[name] = site
        return found

    def names(self) -> frozenset[str]:
        """Return the names of all fixtures, including those of plugins, without generated ones."""
        return frozenset(
            name
            for name, definitions in all_definitions(self.session).items()
            if not all(is_generated(site_of(each).path) for each in definitions)
        )

    def as_seen_by(self, test: SyntheticTest) -> ProjectFixtures:
        """Return these fixtures as `test` sees them, with the definitions of its own module.

        A module may override a fixture of the conftest.py.
        """
        seen = ProjectFixtures(self.session, self.items)
        own = {name: site_of(definition) for name, definition in test.definitions.items()}
        overridden = {name: site for name, site in own.items() if name in self.sites}
        seen.sites = {**self.sites, **overridden}
        return seen

    def tests_using(self, name: str) -> list[pytest.Item]:
        """Return the tests that need the fixture, directly or through other fixtures."""
        return self._uses.get(name, [])

    def is_local(self, site: FixtureSite) -> bool:
        """Say whether only some test modules or classes can request the fixture."""
        return is_below_module(site.definition)

    def typical_test(self, name: str) -> pytest.Item | None:
        """Return a test that uses the fixture in the most usual way; None when no test uses it.

        A plain test is preferred to a parametrized one, then the most frequent set of fixtures,
        then the smallest set.
        """
        tests = self.tests_using(name)
        if not tests:
            return None
        frequency = Counter(frozenset(closure_of(item)) for item in tests)
        return min(
            tests,
            key=lambda item: (
                is_parametrized(item),
                -frequency[frozenset(closure_of(item))],
                len(closure_of(item)),
                item.nodeid,
            ),
        )

    def client_candidates(self) -> list[str]:
        """Return the names of fixtures that may give a client, the most promising first."""
        if CLIENT_FIXTURE in self.sites:
            return [CLIENT_FIXTURE]
        ranked = [
            name
            for name, site in self.sites.items()
            if "client" in name or ".test_client(" in site.source
        ]
        return self._best_first(ranked, CLIENT_NAMES)

    def app_candidates(self) -> list[str]:
        """Return the names of fixtures that may give an application, the most promising first."""
        ranked = [
            name
            for name, site in self.sites.items()
            if re.search(r"(^|_)app(_|$|lication)", name)
            or re.search(r"\b(Flask|create_app|make_app)\(", site.source)
        ]
        return self._best_first(ranked, APP_NAMES)

    def database_companions(self, client: str) -> list[str]:
        """Return the names of database fixtures that most tests request with the client."""
        tests = self.tests_using(client)
        asked = Counter(name for item in tests for name in dict.fromkeys(requested_names(item)))
        return [
            name
            for name in DATABASE_NAMES
            if name in self.sites
            and asked[name] >= max(1.0, USUAL_SHARE * len(tests))
            and name not in self.closure([client])
        ]

    def asked_by_local(self, automatic: Iterable[str], client: str) -> list[str]:
        """Return what the automatic fixtures of one test module request, and other modules can.

        The tests of that module get these fixtures automatically.  The written tests must request
        them.
        """
        sites = self.sites
        local = [sites[name] for name in automatic if name in sites and self.is_local(sites[name])]
        asked = dict.fromkeys(name for site in local for name in site.requests if name in sites)
        known = self.closure([client])
        return [name for name in asked if name not in known and not self.is_local(sites[name])]

    def automatic_in_module(self, names: Iterable[str]) -> list[str]:
        """Return those of `names` that are local to a module, and that others could import.

        A fixture that requests ``request`` looks at its test, so it stays with the tests of its
        module.
        """
        found = [self.sites[name] for name in names if name in self.sites]
        return [
            site.name
            for site in found
            if self.is_local(site) and site.is_importable and "request" not in site.requests
        ]

    def table_candidates(self, client: str) -> list[str]:
        """Return the names of fixtures that may create the tables, the most requested first.

        A fixture whose name says so comes before a fixture whose source does.
        """
        tests = self.tests_using(client)
        asked = {name for item in tests for name in requested_names(item) if name in self.sites}
        names = [name for name in DATABASE_NAMES if name in self.sites][:1]
        names += [name for name in asked if PREPARES_TABLES.search(self.sites[name].source)]
        known = self.closure([client])
        usable = [
            name for name in names if name not in known and not self.is_local(self.sites[name])
        ]
        return self._best_first(dict.fromkeys(usable), DATABASE_NAMES)

    def user_candidates(self, taken: Iterable[str]) -> list[str]:
        """Return the names of fixtures that may log a user in, the most used first."""
        known = frozenset(taken)
        names = [
            name
            for name, site in self.sites.items()
            if name not in known
            and USER_NAMES.search(name)
            and not site.is_installed
            and not self.is_local(site)
        ]
        return self._best_first(names, ())

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """Return `names` and every fixture of the project that they need."""
        found: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                site = self.sites.get(name)
                pending += site.requests if site is not None else ()
        return frozenset(found)

    def _best_first(self, names: Iterable[str], usual: Sequence[str]) -> list[str]:
        def rank(name: str) -> tuple[int, int, str]:
            position = usual.index(name) if name in usual else len(usual)
            return (position, -len(self.tests_using(name)), name)

        return sorted(names, key=rank)[:ATTEMPTS]
