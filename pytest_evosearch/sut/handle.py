"""The application under test: the object, its origin, its clients, and its users."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace
from typing import Any

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.fixture_texts.played_store_text import PlayedStore
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.shortcuts.replaced_services import StandIns
from pytest_evosearch.sut.watching.recorded_requests import RecordedTest


@dataclass(frozen=True)
class User:
    """A user who may send requests, and how a written test acts as this user."""

    name: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers of every request."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Query parameters of every request."""
    cookies: Mapping[str, str] = field(default_factory=dict)
    """Cookies of each client of this user."""
    held: frozenset[tuple[str, str]] = frozenset()
    """Inputs that none of this user's requests may set otherwise: ``("query", "key")``."""
    login: Callable[[Any], object] | None = None
    """Logs a fresh client in; None when headers are enough."""
    fixtures: tuple[str, ...] = ()
    """Fixtures that a written test requests, ``("auth",)``."""
    statement: str | None = None
    """Statement of a written test before its calls, ``auth.login()``."""
    headers_expression: str | None = None
    """Headers that a written test passes, ``admin_headers``."""
    client: str | None = None
    """Object that a written test calls instead of the client, ``admin_client``."""
    shares_client: bool = False
    """Whether this object is the value of the client fixture: no call with it is anonymous."""
    replaces_client: bool = False
    """Whether a test that calls it need not request the client fixture."""
    withheld: str = ""
    """Why this user's calls get no tests; empty where they do."""

    @property
    def fixed(self) -> frozenset[tuple[str, str]]:
        """The inputs that each request gets from this user alone, and not from a call.

        Two headers of one name would be joined by Werkzeug, but not by a test with
        ``{**admin_headers, "Authorization": "a"}``.
        """
        headers = [("header", name) for name in self.headers]
        return self.held.union(headers, [("query", name) for name in self.query])


@dataclass(frozen=True)
class Support:
    """What the project provides for the written tests."""

    client_fixture: str = "client"
    directory: str = ""
    """Folder of the conftest that defines the client fixture (absolute); empty without one."""
    conftest: str | None = None
    """Text of the conftest.py to write for a project without a client fixture."""
    fixtures: tuple[str, ...] = ()
    """Further fixtures that every written test requests, because they create state: ``("db",)``."""
    people: tuple[str, ...] = ()
    """Those of `fixtures` that only create accounts: a test that passes without them omits them."""
    taken_fixtures: frozenset[str] = frozenset()
    """Names of all fixtures of the session: a written fixture must not hide one of them."""
    recipe: SupportText | None = None
    """What `conftest` was written from; after the search, more is known (databases, state)."""
    variables: tuple[str, ...] = ()
    """Environment variables that the written tests set themselves."""
    sources: tuple[str, ...] = ()
    """Sources of further fixtures for the folder's conftest.py; they need ``import pytest``."""
    lasting: bool = False
    """Whether some of the project's fixtures are set up once for several tests."""
    databases: tuple[LastingDatabase | PlayedStore, ...] = ()
    """Databases that the project's fixtures set up and that may last for many tests.

    These are SQLite databases, and replacements for servers of documents or keys in memory.
    """
    database: str = ""
    """Expression for a SQLAlchemy extension on a server's database; empty without one.

    ``app`` is the application. The project's own fixtures set this database up.
    """
    database_dialect: str = ""
    """SQLAlchemy's name for the kind of that database: ``postgresql``."""
    isolation: str | None = None
    """Source of a fixture for the folder's conftest.py that gives each request an empty context.

    Set where the project's fixtures leave a context pushed, which Flask before 3.2 would share. It
    needs ``import contextvars`` and ``import pytest`` above it.
    """
    client_scope: str = "function"
    """Pytest's scope of the project's client fixture."""

    @property
    def variables_of_files(self) -> tuple[str, ...]:
        """Those of `variables` whose values no source contains: a file of the project has them."""
        written = "\n".join(self.sources)
        return tuple(name for name in self.variables if f'"{name}"' not in written)

    @property
    def sets_up_once(self) -> bool:
        """Whether several tests share the effects of fixtures, the project's or written ones."""
        return self.lasting or (self.recipe is not None and not self.recipe.borrowed)


@dataclass(frozen=True)
class OwnTests:
    """The project's tests; their requests start the search."""

    exist: bool = False
    """Whether there are any but those of earlier runs."""
    recorded: tuple[RecordedTest, ...] = ()
    """Requests that tests sent while they were observed, those of earlier runs included."""
    recording_seconds: float = 0.0
    """Seconds of the observation, in a fork: nothing that it has loaded remains."""


@dataclass(frozen=True)
class AppHandle:
    """A loaded application."""

    app: Any
    """The Flask application (a WSGI callable with ``url_map``)."""
    description: str
    """How the user would name it: ``flaskr.create_app()`` or ``fixture "app"``."""
    make_client: Callable[[], Any]
    """Returns a fresh test client, of the project's own class where there is one."""
    users: Mapping[str, User] = field(default_factory=dict)
    support: Support = field(default_factory=Support)
    seeds: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """Values to try, by parameter name, from the project's ``evosearch_seeds`` fixture."""
    tests: OwnTests = field(default_factory=OwnTests)
    sandboxed: bool = False
    outside: bool = False
    """Whether it is a server that runs elsewhere and cannot be watched from here."""
    unrestored: str = ""
    """Message about state that nothing restores; empty where it is restored.

    A search changes this state for good, and one test finds what another one left.
    """
    absence: Callable[[], str] = str
    """Returns why a server no longer responds; empty when it does."""
    stand_ins: Callable[[], StandIns] = StandIns
    """Returns the services replaced so far."""
    blocked: Callable[[], Sequence[str]] = tuple
    """Returns what the sandbox blocked so far.

    Example: ``connect to api.example.com:443 at shop/mail.py:12``.
    """
    harms: Callable[[], Mapping[str, int]] = dict
    """Returns the harmful ones of these attempts, with how many times each was tried."""
    note_attempts: Callable[[Sequence[str], Mapping[str, int]], object] = lambda *_: None
    """Counts attempts in another process that the sandbox blocked, and the harmful ones."""
    original_of: Callable[[str], str] = str
    """Returns the path that a written file would have without the sandbox."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Rows of the discovery block that only the finder knows (``client``, ``auth``)."""
    set_up_seconds: float = 0.0
    """Seconds to set up the fixtures of one test, without imports; 0 when unknown."""

    def with_source(self, fixture: str) -> AppHandle:
        """Return this application; the written tests get one more fixture, before the others."""
        sources = (fixture, *self.support.sources)
        return replace(self, support=replace(self.support, sources=sources))

    @property
    def writing_users(self) -> tuple[str, ...]:
        """Return the names of the users as whom written tests may send requests."""
        return tuple(name for name, user in self.users.items() if not user.withheld)
