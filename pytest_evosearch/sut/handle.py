"""The application in hand: the object, how it was found, how to talk to it, who may."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

from pytest_evosearch.sut.fixture_texts.database_text import LastingDatabase
from pytest_evosearch.sut.fixture_texts.played_store_text import PlayedStore
from pytest_evosearch.sut.fixture_texts.support_text import SupportText
from pytest_evosearch.sut.shortcuts.replaced_services import StandIns
from pytest_evosearch.sut.watching.heard_requests import HeardTest


@dataclass(frozen=True)
class User:
    """A user who may send requests, and how a written test becomes that user."""

    name: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Sent in the query of every request."""
    cookies: Mapping[str, str] = field(default_factory=dict)
    """Given to each client of theirs."""
    held: frozenset[tuple[str, str]] = frozenset()
    """Locations and names of what no request of theirs sends otherwise: ``("query", "key")``."""
    login: Callable[[Any], object] | None = None
    """Logs a fresh client in; None when headers suffice."""
    fixtures: tuple[str, ...] = ()
    """Fixtures that a written test requests, ``("auth",)``."""
    statement: str | None = None
    """What a written test does before its calls, ``auth.login()``."""
    headers_expression: str | None = None
    """What a written test passes as headers, ``admin_headers``."""
    client: str | None = None
    """What a written test calls in the client's place, ``admin_client``."""
    shares_client: bool = False
    """That is the object which the client's fixture gives: no call with it is anonymous."""
    replaces_client: bool = False
    """A test that calls it need not request the client's fixture, too."""
    withheld: str = ""
    """Why no test is written of what they do; empty where tests are."""


@dataclass(frozen=True)
class Support:
    """What the written tests can lean on."""

    client_fixture: str = "client"
    directory: str = ""
    """Folder of the conftest that defines the client fixture (absolute); empty when none does."""
    conftest: str | None = None
    """Text of the conftest.py to write beside the tests when the project has no client fixture."""
    fixtures: tuple[str, ...] = ()
    """Further fixtures that every written test requests, because they bring state: ``("db",)``."""
    people: tuple[str, ...] = ()
    """Those of `fixtures` that only make accounts: a test does without where it holds without."""
    taken_fixtures: frozenset[str] = frozenset()
    """Names of all fixtures of the session: a written one would hide another of its name."""
    recipe: SupportText | None = None
    """What `conftest` was written from; after the search more is known (databases, state)."""
    variables: tuple[str, ...] = ()
    """Variables of the environment that the written tests set themselves."""
    sources: tuple[str, ...] = ()
    """Sources of further fixtures for the folder's conftest.py; need ``import pytest`` above."""
    lasting: bool = False
    """Some of the project's fixtures are set up once for several tests."""
    databases: tuple[LastingDatabase | PlayedStore, ...] = ()
    """SQLite databases that the project's own fixtures set up, and that may be there for many
    tests; what plays servers of documents or keys in memory."""
    database: str = ""
    """Expression for a SQLAlchemy extension (``app`` is the application) on a server's database
    that the project's own fixtures set up; empty where there is none."""
    database_dialect: str = ""
    """What SQLAlchemy calls the kind of that database: ``postgresql``."""
    isolation: str | None = None
    """Source of a fixture for the folder's conftest.py that gives each request an empty context:
    set where the project's fixtures leave one pushed, which Flask before 3.2 would share.  Needs
    ``import contextvars`` and ``import pytest`` above it."""
    client_scope: str = "function"
    """How long the project's client fixture lasts, as pytest calls it."""

    @property
    def sets_up_once(self) -> bool:
        """Whether several tests share what fixtures set up, the project's own or written ones."""
        return self.lasting or (self.recipe is not None and not self.recipe.borrowed)


@dataclass(frozen=True)
class OwnTests:
    """The project's own tests: what they send starts the search."""

    files: tuple[Path, ...] = ()
    """Files of the tests and their fixtures, which are read."""
    heard: tuple[HeardTest, ...] = ()
    """What some of the tests were heard to send, in whatever way they do that."""
    hearing_seconds: float = 0.0
    """What that took, in a fork: nothing that it has loaded is there afterwards."""


@dataclass(frozen=True)
class AppHandle:
    """A loaded application."""

    app: Any
    """The Flask application (a WSGI callable with ``url_map``)."""
    description: str
    """How the user would name it: ``flaskr.create_app()`` or ``fixture "app"``."""
    make_client: Callable[[], Any]
    """Return a fresh test client, of the project's own class where it has one."""
    users: Mapping[str, User] = field(default_factory=dict)
    support: Support = field(default_factory=Support)
    seeds: Mapping[str, Sequence[object]] = field(default_factory=dict)
    """Values to try, by parameter name, from the project's ``evosearch_seeds`` fixture."""
    tests: OwnTests = field(default_factory=OwnTests)
    sandboxed: bool = False
    outside: bool = False
    """A server that runs elsewhere: nothing of it can be watched from here."""
    unrestored: str = ""
    """What the user should know of state that nothing brings back: a search changes it for good,
    and one test finds what another one left.  Empty where something brings it back."""
    absence: Callable[[], str] = str
    """Asks whether a server is still there, and returns why not; empty when it is."""
    stand_ins: Callable[[], StandIns] = StandIns
    """What has stood in for services so far."""
    blocked: Callable[[], Sequence[str]] = tuple
    """What the sandbox blocked so far: ``connect to api.example.com:443 at shop/mail.py:12``."""
    harms: Callable[[], Mapping[str, int]] = dict
    """Those of them that would have done harm, with how often each was tried so far."""
    note_attempts: Callable[[Sequence[str], Mapping[str, int]], object] = lambda *_: None
    """Count what the sandbox blocked, and which of it was harmful, in another process."""
    original_of: Callable[[str], str] = str
    """Where a file that was written would lie without the sandbox."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Rows of the discovery block that only the finder knows (``client``, ``auth``)."""
    set_up_seconds: float = 0.0
    """What setting up the fixtures of one test takes, imports aside; 0 where it is not known."""
