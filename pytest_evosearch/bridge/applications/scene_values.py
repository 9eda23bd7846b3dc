"""What is taken from the fixtures of a scene: the application, its clients, users and seeds."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pytest_evosearch.bridge.applications.fixtures import SEEDS_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import USERS_FIXTURE
from pytest_evosearch.bridge.applications.fixtures import Scene
from pytest_evosearch.bridge.applications.fixtures import leaves_context_pushed
from pytest_evosearch.bridge.applications.given_fixtures import GivenFixtures
from pytest_evosearch.bridge.applications.project_clients import connexion_of
from pytest_evosearch.bridge.applications.project_clients import is_client
from pytest_evosearch.bridge.applications.project_clients import preserves_contexts
from pytest_evosearch.errors import ApplicationNotFound
from pytest_evosearch.sut.handle import Support
from pytest_evosearch.sut.handle import User


def application_of(scene: Scene) -> Any:
    """Return the Flask application of a scene, with Connexion's layers where it has them."""
    from pytest_evosearch.sut.asgi import put_front
    from pytest_evosearch.sut.finding.application_loader import unwrap

    value = scene.value
    connexion = connexion_of(value)
    if connexion is not None:
        return put_front(connexion)
    if not is_client(value):
        return value
    app, _suffix = unwrap(value.application)
    if app is None:
        raise ApplicationNotFound(
            f'fixture "{scene.primary.name}" gives a client of a '
            f"{type(value.application).__name__}, in which no Flask application was found; "
            "name it with --evosearch-app=module:name"
        )
    return app


def isolated_fixture(scene: Scene, name: str) -> str:
    """Return source that gives each request of a fixture's client its own context."""
    from pytest_evosearch.sut.fixture_texts.borrowed_text import isolated_client

    scope = scene.fixtures.sites[name].scope
    return isolated_client(name, preserves_contexts(scene.get(name)), scope)


def with_isolated_users(support: Support, scene: Scene, users: Iterable[User]) -> Support:
    """Return support that isolates the clients of users like the anonymous client."""
    own = [user.client for user in users if user.client is not None and not user.shares_client]
    if not own or not leaves_context_pushed(scene):
        return support
    sources = [isolated_fixture(scene, name) for name in own]
    if support.isolation is None:
        return replace(support, sources=(*support.sources, *sources))
    return replace(support, isolation="\n\n".join((support.isolation, *sources)))


def kept_fresh(scene: Scene, user: User) -> User:
    """Return `user` with headers that the fixture makes again before their token expires."""
    from pytest_evosearch.sut.users.fresh_headers import FreshHeaders
    from pytest_evosearch.sut.users.offered_users import user_from

    values = iter([user.headers])

    def make() -> Mapping[str, str]:
        known = next(values, None)
        return known if known is not None else user_from(user.name, scene.again(user.name)).headers

    return replace(user, headers=FreshHeaders(make)) if user.headers else user


def seeds_of(scene: Scene | GivenFixtures) -> dict[str, Sequence[object]]:
    """Return the values that the project would try, by parameter."""
    if not scene.has(SEEDS_FIXTURE):
        return {}
    with suppress(AttributeError, TypeError):
        return {str(name): list(values) for name, values in scene.get(SEEDS_FIXTURE).items()}
    raise ApplicationNotFound(
        f'fixture "{SEEDS_FIXTURE}" must give a dict from parameter names to lists of values'
    )


def description_of_users(users: Mapping[str, User]) -> str:
    """Describe where users come from: ``via fixture "auth" (auth.login())``."""
    shown: dict[str, list[str]] = {}
    for user in users.values():
        source = f'fixture "{user.fixtures[0]}"' if user.fixtures else "headers"
        of_many = USERS_FIXTURE in user.fixtures or not user.fixtures
        how = user.statement or user.headers_expression or user.client
        how = user.name if of_many or how is None else how
        shown.setdefault(source, []).append(how)
    return "via " + ", ".join(f"{source} ({', '.join(how)})" for source, how in shown.items())
