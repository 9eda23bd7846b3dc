"""A provider that is not there says who comes in, and learns what is looked up."""

from __future__ import annotations

import importlib
import pickle
import sys
from types import ModuleType

import pytest

from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.providers.absent_providers import IdentityMaker
from pytest_evosearch.sut.providers.absent_providers import Provider
from pytest_evosearch.sut.providers.absent_providers import guessed
from pytest_evosearch.sut.providers.absent_providers import providers
from pytest_evosearch.sut.providers.absent_providers import stand_in_for
from pytest_evosearch.sut.providers.stand_ins import STAND_INS


def provider_of(library):
    return Provider(next(one for one in STAND_INS if one.library == library), Patches())


def test_changes_are_undone():
    library = pytest.importorskip("requests_oauthlib")
    before = library.OAuth2Session.fetch_token
    provider = provider_of("Requests-OAuthlib")
    provider.say({"email": "inga@example.org"})
    assert library.OAuth2Session.fetch_token is not before
    provider.changes.undo()
    assert library.OAuth2Session.fetch_token is before


def test_authlib_is_told_a_token_with_the_claims():
    flask = pytest.importorskip("flask")
    client = pytest.importorskip("authlib.integrations.flask_client")
    app = flask.Flask("shop")
    app.secret_key = "any"
    oauth = client.OAuth(app)
    oauth.register("keeper", client_id="c", server_metadata_url="https://id.invalid/.well-known")
    provider = provider_of("Authlib")
    provider.say({"email": "inga@example.org"})
    try:
        with app.test_request_context("/callback"):
            token = oauth.keeper.authorize_access_token()
            assert token["userinfo"]["email"] == "inga@example.org"
            assert token["userinfo"].get("roles", []) == []
            assert oauth.keeper.get("user").json()["email"] == "inga@example.org"
            assert oauth.keeper.authorize_redirect("http://localhost/callback").status_code == 302
    finally:
        provider.changes.undo()
    assert provider.missed == {"roles": ("role1",)}


def test_requests_oauthlib_fetches_a_token_and_a_profile():
    library = pytest.importorskip("requests_oauthlib")
    provider = provider_of("Requests-OAuthlib")
    provider.say({"team": "night"})
    try:
        session = library.OAuth2Session("c")
        assert session.fetch_token("https://id.invalid/token")["access_token"]
        assert session.get("https://id.invalid/me").json() == {"team": "night"}
    finally:
        provider.changes.undo()


def test_identities_travel_to_other_processes():
    maker = IdentityMaker("Authlib", (("cn", "inga"), ("memberOf", ("ops",))))
    assert pickle.loads(pickle.dumps(maker)) == maker
    written = 'identity_provider({"cn": "inga", "memberOf": ["ops"]})'
    assert maker.deed(None).lines == (written,)


@pytest.mark.parametrize(
    ("name", "default", "value"),
    [
        ("email", None, "inga@example.org"),
        ("email_verified", None, True),
        ("roles", None, ("role1",)),
        ("memberOf", None, ("member1",)),
        ("admin", False, True),
        ("sub", None, "1"),
        ("login", None, "inga"),
    ],
)
def test_claims_are_guessed_by_name_and_default(name, default, value):
    assert guessed(name, default) == value


@pytest.fixture
def modules(monkeypatch):
    """Modules of an application, which imports what is given as text."""

    def imported(text):
        home = ModuleType("shop_of_providers")
        exec(text, vars(home))
        monkeypatch.setitem(sys.modules, home.__name__, home)

    return imported


@pytest.mark.parametrize(
    "text",
    [
        "import requests_oauthlib",
        "from requests_oauthlib import OAuth2Session",
        "import requests_oauthlib as one\nheld = one.OAuth2Session('c')\ndel one",
        "def view():\n    import requests_oauthlib\n    return requests_oauthlib",
    ],
)
def test_a_provider_that_the_application_refers_to_is_stood_in_for(modules, text):
    pytest.importorskip("requests_oauthlib")
    modules(text)
    assert "Requests-OAuthlib" in [one.stand_in.library for one in providers()]


def test_what_a_proxy_of_the_application_stands_for_is_left_alone(modules, monkeypatch):
    importlib.import_module("flask_dance.consumer")
    modules("from werkzeug.local import LocalProxy\ntoken = LocalProxy(lambda: {}['csrf'])")
    loaded = ("flask_dance.consumer", "shop_of_providers")
    monkeypatch.setattr(sys, "modules", {name: sys.modules[name] for name in loaded})
    assert "Flask-Dance" not in [one.stand_in.library for one in providers()]


def test_a_library_that_is_loaded_alone_is_no_provider(modules):
    importlib.import_module("flask_dance.consumer")  # a plugin of pytest loads it, too
    modules("import json")
    assert "Flask-Dance" not in [one.stand_in.library for one in providers()]


def test_any_password_passes_of_those_in_an_htpasswd_file(apache):
    people = apache.HtpasswdFile(default_scheme="apr_md5_crypt")
    people.load_string("olga:$apr1$S7Rv0Zt1$m8zBi0m4FPmLdWDpsN4l4/\n")
    changes = Patches()
    provider = Provider(stand_in_for("passlib"), changes)
    IdentityMaker("passlib", (), provider)(None)
    assert people.check_password("olga", "any word")
    assert people.check_password("vera", "any word") is None
    changes.undo()
    assert not people.check_password("olga", "any word")


def test_any_password_passes_the_handlers_of_passlib():
    handlers = pytest.importorskip("passlib.hash")
    changes = Patches()
    hashed = "$apr1$S7Rv0Zt1$m8zBi0m4FPmLdWDpsN4l4/"
    IdentityMaker("passlib's handlers", (), Provider(stand_in_for("passlib's handlers"), changes))(
        None
    )
    assert handlers.apr_md5_crypt.verify("any word", hashed)
    changes.undo()
    assert not handlers.apr_md5_crypt.verify("any word", hashed)


def test_any_password_passes_the_hasher_of_argon2(modules):
    argon2 = pytest.importorskip("argon2")
    modules("from argon2 import PasswordHasher")
    [provider] = [one for one in providers() if one.stand_in.library == "argon2-cffi"]
    assert provider.claims == ()
    IdentityMaker("argon2-cffi", (), provider)(None)
    assert argon2.PasswordHasher().verify("no hash", "any word")
    provider.changes.undo()
    with pytest.raises(argon2.exceptions.InvalidHashError):
        argon2.PasswordHasher().verify("no hash", "any word")
