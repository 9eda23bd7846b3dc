"""The fixtures that replace identity providers, one for each library that would contact them.

The search runs the text of a fixture itself, with its own object instead of ``monkeypatch``. So the
written test does what the search has done.
"""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.passwords.password_libraries import LIBRARIES

FIXTURE = "identity_provider"

ANY_PASSWORD = "any_password"
"""The fixture that accepts any password; it uses no claims of a provider."""


@dataclass(frozen=True)
class StandIn:
    """A replacement for the providers that one library contacts."""

    library: str
    """Name of the library for the user."""
    module: str
    """Module that is loaded where the application uses the library."""
    source: str
    """The text of the fixture, which returns a function that takes the claims."""
    fixture: str = FIXTURE
    binding: str = ""
    """Name that modules of the application import, where this shows that they use the library."""

    @property
    def is_for_passwords(self) -> bool:
        """Whether it accepts any password, and no provider identifies the caller."""
        return self.fixture == ANY_PASSWORD


_SAYS = """\
    def says(claims):
        def answer(*_arguments, **_keywords):
            response = Response()
            response.status_code, response.json = 200, lambda: claims
            return response
"""

_AUTHLIB = f'''\
@pytest.fixture
def identity_provider(monkeypatch):
    """Stand in for the provider that Authlib would ask: it says who comes in."""
    from authlib.integrations.flask_client.apps import FlaskOAuth2App
    from requests import Response

{_SAYS}
        known = {{"authorization_endpoint": "https://id.invalid/authorize"}}
        token = {{"access_token": "a", "token_type": "Bearer", "userinfo": claims}}
        for name, given in (
            ("load_server_metadata", lambda *_, **__: known),
            ("authorize_access_token", lambda *_, **__: dict(token)),
            ("parse_id_token", lambda *_, **__: claims),
            ("userinfo", lambda *_, **__: claims),
            ("request", answer),
        ):
            monkeypatch.setattr(FlaskOAuth2App, name, given)

    return says
'''

_OAUTHLIB = f'''\
@pytest.fixture
def identity_provider(monkeypatch):
    """Stand in for the provider that Requests-OAuthlib would ask: it says who comes in."""
    from requests import Response
    from requests_oauthlib import OAuth2Session

{_SAYS}
        token = {{"access_token": "a", "token_type": "Bearer"}}
        monkeypatch.setattr(OAuth2Session, "fetch_token", lambda *_, **__: dict(token))
        monkeypatch.setattr(OAuth2Session, "request", answer)

    return says
'''

_DANCE = f'''\
@pytest.fixture
def identity_provider(monkeypatch):
    """Stand in for the provider that Flask-Dance would ask: it says who comes in."""
    from flask_dance.consumer.requests import OAuth2Session
    from requests import Response

{_SAYS}
        monkeypatch.setattr(OAuth2Session, "authorized", True)
        monkeypatch.setattr(OAuth2Session, "token", {{"access_token": "a"}})
        monkeypatch.setattr(OAuth2Session, "request", answer)

    return says
'''

STAND_INS = (
    StandIn("Authlib", "authlib.integrations.flask_client", _AUTHLIB),
    StandIn("Flask-Dance", "flask_dance.consumer", _DANCE),
    StandIn("Requests-OAuthlib", "requests_oauthlib", _OAUTHLIB),
    *(
        StandIn(one.name, one.module, one.any_password, ANY_PASSWORD, one.binding)
        for one in LIBRARIES
    ),
)
"""Replacements that others build on come first."""
