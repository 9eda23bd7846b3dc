"""Finds the fixtures of a project that log a user in, and what they give."""

from __future__ import annotations

from typing import Any

from pytest_evosearch.bridge.applications.attempts import described
from pytest_evosearch.bridge.applications.fixture_candidates import ATTEMPTS
from pytest_evosearch.bridge.applications.fixture_candidates import CLIENT_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import Complain
from pytest_evosearch.bridge.applications.fixtures import Scene
from pytest_evosearch.bridge.applications.fixtures import can_log_in
from pytest_evosearch.bridge.applications.fixtures import is_credentials
from pytest_evosearch.bridge.applications.fixtures import is_token
from pytest_evosearch.bridge.applications.project_clients import cookies_of
from pytest_evosearch.bridge.applications.project_clients import copy_client
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.bridge.applications.project_clients import makes_only_a_client
from pytest_evosearch.bridge.applications.project_clients import take_cookies
from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class UserFixture:
    """A fixture whose value can log a user in."""

    value: Any
    fixtures: tuple[str, ...] = ()
    """Fixtures that every written test must request, to find the state of the search."""
    client: str = ""
    """The fixture whose value is the client that is logged in; empty where it is none."""
    shares_client: bool = False
    """Whether the user is logged in on the client of all tests."""
    replaces_client: bool = False
    """Whether setting it up sets up what the client's fixture would."""


def user_values(scene: Scene, complain: Complain) -> tuple[dict[str, UserFixture], tuple[str, ...]]:
    """Return the fixtures whose value can log a user in, by name, and fixtures that brought state.

    The latter looked like users, and put something into the database, for example a row.  The
    search finds this row there, so the written tests must find it, too.
    """
    found: dict[str, UserFixture] = {}
    rows: list[str] = []
    taken = {scene.primary.name, *scene.companions, CLIENT_FIXTURE}
    for name in scene.fixtures.user_candidates(taken)[:ATTEMPTS]:
        if name.startswith("evosearch_"):
            continue
        try:
            value, logged_in = _as_anonymous_before(scene, name)
            own = logged_in is None or value is not logged_in
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            complain(f'fixture "{name}" is not used as a user: {described(error)}')
            continue
        if _makes_user(scene, name, value):
            brought = (name,) if _brought_by(scene, name) or is_client(value) else ()
            found[name] = UserFixture(
                value,
                brought if own else _brought_by(scene, name),
                client=name if is_client(value) else "",
                shares_client=not own,
                replaces_client=is_client(value) and _replaces_client(scene, name),
            )
        elif logged_in is not None:
            found[name] = UserFixture(
                logged_in, _brought_by(scene, name), client=scene.primary.name, shares_client=True
            )
        elif _brings_state(scene, name):
            rows.append(name)
    return found, tuple(rows)


def _as_anonymous_before(scene: Scene, name: str) -> tuple[object, Any]:
    """Return the value of a fixture, and the client of all tests if the fixture logs it in.

    If it does, the second result is a copy of that client.  Where the value is the client, both
    results are this copy.  The client gets its old cookies back, so that the next fixture finds it
    as it was.
    """
    client = scene.value
    before = copy_client(client) if is_client(client) else None
    value = scene.get(name)
    if before is None or cookies_of(client) == cookies_of(before):
        return value, None
    logged_in = copy_client(client)
    take_cookies(client, before)
    return (logged_in if value is client else value), logged_in


def _makes_user(scene: Scene, name: str, value: object) -> bool:
    if is_client(value):
        return is_client(scene.value) and value is not scene.value
    return can_log_in(value) or is_credentials(value) or is_token(name, value)


def _brings_state(scene: Scene, name: str) -> bool:
    """Say whether the fixture `name` writes into what it requests.

    A fixture that requests the application, the tables or a database session creates a user there.
    Its value cannot log in, so no test would request it.  But every written test must find the
    state of the search.
    """
    site = scene.fixtures.sites.get(name)
    asked = site.requests if site is not None else ()
    return any(one in scene.fixtures.sites for one in asked)


def _replaces_client(scene: Scene, name: str) -> bool:
    """Say whether a test with the fixture `name` has all that the client's fixture sets up."""
    client, closure = scene.primary, scene.fixtures.closure([name])
    only_needed = makes_only_a_client(client.source) and closure.issuperset(client.requests)
    return client.name in closure or only_needed


def _brought_by(scene: Scene, name: str) -> tuple[str, ...]:
    """Return the project's fixtures that `name` requests in addition to the client's."""
    known = scene.fixtures.closure([scene.primary.name, *scene.companions]) | {name}
    site = scene.fixtures.sites.get(name)
    asked = site.requests if site is not None else ()
    return tuple(one for one in asked if one not in known and one in scene.fixtures.sites)
