"""The fixtures that replace identity providers, one for each library that would contact them.

The search runs the text of a fixture itself, with its own object instead of ``monkeypatch``. So the
written test does what the search has done.
"""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass

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

_LDAP3 = '''\
@pytest.fixture
def identity_provider(monkeypatch):
    """Stand in for the LDAP server that ldap3 would ask: it says who comes in."""
    from ldap3 import Connection
    from ldap3.strategy.sync import SyncStrategy

    def says(attributes):
        def bind(connection, *_arguments, **_keywords):
            connection.closed, connection.bound = False, bool(connection.password)
            connection.result = {"result": 0, "description": "success"}
            return connection.bound

        def rebind(connection, user=None, password=None, **_keywords):
            connection.user, connection.password = user, password
            return bind(connection)

        def search(connection, search_base, search_filter, *_arguments, **keywords):
            asked = keywords.get("attributes") or list(attributes)
            names = [asked] if isinstance(asked, str) else asked
            held = {name: attributes[name] for name in names if name in attributes}
            entry = {"dn": f"uid=inga,{search_base}", "type": "searchResEntry"}
            entry.update(attributes=held, raw_attributes=held)
            connection.request = {"filter": search_filter, "base": search_base}
            connection.response, connection._entries = [entry], []
            connection.result = {"result": 0, "description": "success"}
            return True

        for name, given in (("bind", bind), ("rebind", rebind), ("search", search)):
            monkeypatch.setattr(Connection, name, given)
        monkeypatch.setattr(SyncStrategy, "open", lambda *_, **__: None)
        for name in ("start_tls", "unbind"):
            monkeypatch.setattr(Connection, name, lambda *_, **__: True)

    return says
'''

_PYTHON_LDAP = '''\
@pytest.fixture
def identity_provider(monkeypatch):
    """Stand in for the LDAP server that python-ldap would ask: it says who comes in."""
    import ldap

    class Directory:
        def __init__(self, attributes):
            self.attributes = attributes

        def simple_bind_s(self, who="", cred="", *_arguments, **_keywords):
            if who and not cred:
                raise ldap.INVALID_CREDENTIALS
            return 97, [], 1, []

        bind_s = simple_bind_s

        def search_s(self, base, scope, filterstr="", attrlist=None, attrsonly=0):
            held = {}
            for name in attrlist or list(self.attributes):
                if name in self.attributes:
                    given = self.attributes[name]
                    values = given if isinstance(given, list) else [str(given)]
                    held[name] = [value.encode() for value in values]
            return [(f"uid=inga,{base}", held)]

        search_ext_s = search_st = search_s

        def __getattr__(self, name):
            return lambda *_arguments, **_keywords: None

    def says(attributes):
        directory = Directory(attributes)
        monkeypatch.setattr(ldap, "initialize", lambda *_, **__: directory)

    return says
'''

_PASSWORDS = '''\
@pytest.fixture
def any_password(monkeypatch):
    """Let any password pass: of those that the application knows there are hashes only."""
    import sys

    import {module}

    check = {module}.{function}

    def any_password():
        for module in list(sys.modules.values()):
            if vars(module).get("{function}") is check:
                monkeypatch.setattr(module, "{function}", lambda *_, **__: True)

    return any_password
'''


_HTPASSWD = '''\
@pytest.fixture
def any_password(monkeypatch):
    """Accept any password for users of an htpasswd file, which holds only hashes."""
    from passlib.apache import HtpasswdFile

    check = HtpasswdFile.check_password

    def passes(people, user, password):
        return user in people.users() or check(people, user, password)

    def any_password():
        monkeypatch.setattr(HtpasswdFile, "check_password", passes)

    return any_password
'''


_METHOD = '''\
@pytest.fixture
def any_password(monkeypatch):
    """Let any password pass: of those that the application knows there are hashes only."""
    from {module} import {owner}

    def any_password():
        monkeypatch.setattr({owner}, "verify", staticmethod(lambda *_, **__: True))

    return any_password
'''


def _verifying(library: str, module: str, owner: str) -> StandIn:
    return StandIn(library, module, _METHOD.format(module=module, owner=owner), ANY_PASSWORD)


def _passing(library: str, module: str, function: str) -> StandIn:
    source = _PASSWORDS.format(module=module, function=function)
    return StandIn(library, module, source, ANY_PASSWORD, function)


_HANDLERS = _verifying("passlib's handlers", "passlib.utils.handlers", "GenericHandler")
_ARGON2 = _verifying("argon2-cffi", "argon2", "PasswordHasher")

STAND_INS = (
    StandIn("Authlib", "authlib.integrations.flask_client", _AUTHLIB),
    StandIn("Flask-Dance", "flask_dance.consumer", _DANCE),
    StandIn("Requests-OAuthlib", "requests_oauthlib", _OAUTHLIB),
    StandIn("ldap3", "ldap3", _LDAP3),
    StandIn("python-ldap", "ldap", _PYTHON_LDAP),
    _passing("Werkzeug", "werkzeug.security", "check_password_hash"),
    _passing("bcrypt", "bcrypt", "checkpw"),
    StandIn("passlib", "passlib.apache", _HTPASSWD, ANY_PASSWORD, "HtpasswdFile"),
    _HANDLERS,
    _ARGON2,
)
"""Replacements that others build on come first."""
