from __future__ import annotations

import hashlib
import os
import secrets
import sys
import time
from types import ModuleType
from types import SimpleNamespace

import pytest
import werkzeug.security
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.passwords.password_libraries import hashed_passwords
from pytest_evosearch.sut.shortcuts import password_hashing
from pytest_evosearch.sut.shortcuts.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.shortcuts.password_hashing import has_hashed

CHEAP = "pbkdf2:sha256:1000"


@pytest.mark.parametrize("method", [CHEAP, "scrypt:1024:8:1"])
def test_hashes_made_during_the_search_check_and_look_alike(method):
    try:
        real = generate_password_hash("secret", method)
    except ValueError:
        pytest.skip("Werkzeug before 2.3 has no scrypt")
    with cheap_password_hashing():
        made = generate_password_hash("secret", method)
        assert check_password_hash(made, "secret")
        assert not check_password_hash(made, "Secret")
        assert generate_password_hash("secret", method) == made
        assert generate_password_hash("other", method) != made
    assert [len(part) for part in made.split("$")] == [len(part) for part in real.split("$")]
    assert made.split("$")[0] == real.split("$")[0]


def test_hashes_from_before_are_checked_for_real():
    before = generate_password_hash("secret", CHEAP)
    with cheap_password_hashing():
        assert check_password_hash(before, "secret")
        assert not check_password_hash(before, "wrong")


def test_hashing_is_fast():
    with cheap_password_hashing():
        generate_password_hash("")
        check_password_hash(generate_password_hash(""), "")  # its method is spelt out: once more
        started = time.thread_time()  # a busy machine is no slow function
        for number in range(100):
            assert check_password_hash(generate_password_hash(f"p{number}"), f"p{number}")
        assert time.thread_time() - started < 0.1


def test_wrong_methods_are_still_refused():
    with cheap_password_hashing(), pytest.raises(ValueError):  # noqa: PT011 - the message differs by version
        generate_password_hash("secret", "rot13")


def test_a_method_that_keeps_the_password_still_tells_passwords_apart(monkeypatch):
    def keep(method, salt, password):
        return password, method

    monkeypatch.setattr(werkzeug.security, "_hash_internal", keep)
    with cheap_password_hashing():
        assert werkzeug.security._hash_internal("plain", "aaaa", "secret") == ("secret", "plain")


def test_what_cannot_be_encoded_is_still_refused():
    with cheap_password_hashing(), pytest.raises(UnicodeEncodeError):
        generate_password_hash("\ud800", CHEAP)


def test_tokens_still_differ():
    with cheap_password_hashing():
        drawn = {werkzeug.security.gen_salt(20) for _ in range(20)}
    assert len(drawn) == 20


def test_everything_is_put_back():
    before = werkzeug.security._hash_internal, werkzeug.security.gen_salt
    with cheap_password_hashing():
        assert werkzeug.security._hash_internal is not before[0]
    assert (werkzeug.security._hash_internal, werkzeug.security.gen_salt) == before


def test_an_application_that_is_loaded_later_finds_bcrypt_cheap(monkeypatch):
    asked = []
    bcrypt = ModuleType("bcrypt")
    bcrypt.gensalt = lambda rounds=12, prefix=b"2b": b"$%s$%02d$salt" % (prefix, rounds)
    bcrypt.hashpw = lambda password, salt: asked.append(salt) or salt + password
    bcrypt.checkpw = lambda password, hashed: hashed.endswith(password)
    before = dict(vars(bcrypt))
    monkeypatch.setitem(sys.modules, "bcrypt", bcrypt)
    with cheap_password_hashing():
        for _ in range(2):
            made = bcrypt.hashpw(b"secret", bcrypt.gensalt(12))
            assert bcrypt.checkpw(b"secret", made)
            assert hashed_passwords() == {made.decode(): "secret"}
        assert bcrypt.gensalt(prefix=b"2a") == b"$2a$04$salt"
    assert asked == [b"$2b$04$salt"]
    assert vars(bcrypt) == before


class Template:
    """Hashes and checks as projects do that were started from a template."""

    def hash(self, password: str) -> bytes:
        salt = hashlib.sha256(os.urandom(60)).hexdigest().encode("ascii")
        return salt + hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 1000)

    def check(self, password: str, stored: bytes) -> bool:
        salt, key = stored[:64], stored[64:]
        return hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 1000) == key


def test_a_key_is_derived_once_for_all_tests(monkeypatch):
    asked = []
    derive = hashlib.pbkdf2_hmac
    monkeypatch.setattr(hashlib, "pbkdf2_hmac", lambda *key: asked.append(key) or derive(*key))
    template = Template()
    before = template.hash("before")
    asked.clear()
    with cheap_password_hashing():
        first = template.hash("secret")  # its salt is drawn before we know what it is for
        for _ in range(5):
            made = template.hash("secret")
            assert template.check("secret", made)
            assert not template.check("Secret", made)
        assert template.check("secret", first)
        assert template.check("before", before)
        assert not template.check("secret", before)
    assert len(asked) == 5
    assert template.check("secret", made)
    assert template.hash("secret") != template.hash("secret")


def test_salts_of_secrets_repeat_and_other_draws_do_not():
    def hashed(password: str) -> tuple[str, bytes]:
        salt = secrets.token_hex(nbytes=8)
        return salt, hashlib.scrypt(password.encode(), salt=salt.encode(), n=16, r=1, p=1)

    with cheap_password_hashing():
        hashed("first")
        assert hashed("secret") == hashed("secret")
        assert hashed("secret") != hashed("other")
        tokens = {secrets.token_hex(8) for _ in range(9)} | {os.urandom(8) for _ in range(9)}
    assert len(tokens) == 18


@pytest.mark.filterwarnings("ignore:'crypt' is deprecated:DeprecationWarning")
def test_new_hashes_of_passlib_ask_for_little():
    handler = pytest.importorskip("passlib.hash").pbkdf2_sha256
    before = handler.hash("secret")
    with cheap_password_hashing():
        made = handler.hash("secret")
        assert handler.verify("secret", made)
        assert not handler.verify("Secret", made)
        assert handler.verify("secret", before)
        assert not handler.needs_update(made)
        assert made.startswith("$pbkdf2-sha256$1$")
        chosen = handler.using(min_desired_rounds=50)
        assert chosen.hash("secret").startswith("$pbkdf2-sha256$50$")
    assert handler.hash("secret").startswith("$pbkdf2-sha256$29000$")


def test_new_hashes_of_argon2_ask_for_little():
    argon2 = pytest.importorskip("argon2")
    before = argon2.PasswordHasher().hash("secret")
    with cheap_password_hashing():
        hasher = argon2.PasswordHasher(time_cost=2)
        made = hasher.hash("secret")
        assert "$m=8,t=1,p=1$" in made
        assert hasher.verify(made, "secret")
        assert hasher.verify(before, "secret")
        assert not hasher.check_needs_rehash(made)
        with pytest.raises(argon2.exceptions.VerifyMismatchError):
            hasher.verify(made, "Secret")
    assert "t=1" not in argon2.PasswordHasher().hash("secret")


def test_a_verification_run_has_it_where_it_asks_for_it(monkeypatch):
    before = werkzeug.security._hash_internal, os.urandom
    monkeypatch.delenv("EVOSEARCH_VERIFY_HASHING", raising=False)
    password_hashing.pytest_configure(SimpleNamespace())
    assert (werkzeug.security._hash_internal, os.urandom) == before

    monkeypatch.setenv("EVOSEARCH_VERIFY_HASHING", "cheap")
    password_hashing.pytest_configure(SimpleNamespace())
    try:
        assert werkzeug.security._hash_internal is not before[0]
        assert check_password_hash(generate_password_hash("secret"), "secret")
    finally:
        password_hashing.pytest_unconfigure()
    assert (werkzeug.security._hash_internal, os.urandom) == before


@pytest.mark.parametrize(
    ("seconds", "cheap_after"), [(1000.0, None), (100.0, 2)], ids=["in time", "late"]
)
def test_hashing_becomes_cheap_once_the_tests_left_take_too_long(seconds, cheap_after):
    before = werkzeug.security._hash_internal
    now = iter([50.0, 55.0, 60.0, 65.0])  # the first one sets up what all share
    pace = password_hashing.Pace(seconds, lambda: next(now))
    pace.pytest_collection_finish(SimpleNamespace(items=[None] * 20))
    became_cheap = []
    try:
        for number in range(1, 5):
            pace.pytest_runtest_logfinish()
            if werkzeug.security._hash_internal is not before:
                became_cheap.append(number)
    finally:
        password_hashing.pytest_unconfigure()
    assert became_cheap[:1] == ([cheap_after] if cheap_after else [])
    assert werkzeug.security._hash_internal is before


def test_a_verification_run_watches_its_pace_only_where_time_is_limited(monkeypatch):
    registered = []
    config = SimpleNamespace(pluginmanager=SimpleNamespace(register=registered.append))
    monkeypatch.setenv("EVOSEARCH_VERIFY_HASHING", "late")
    monkeypatch.delenv("EVOSEARCH_VERIFY_SECONDS", raising=False)
    password_hashing.pytest_configure(config)
    assert registered == []

    monkeypatch.setenv("EVOSEARCH_VERIFY_SECONDS", "5.0")
    password_hashing.pytest_configure(config)
    assert [type(one) for one in registered] == [password_hashing.Pace]


def test_it_shows_whether_a_password_was_hashed() -> None:
    assert not has_hashed()
    with cheap_password_hashing():
        assert not has_hashed()
        hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 1)
        assert has_hashed()
    with cheap_password_hashing():
        assert not has_hashed()
        generate_password_hash("secret")
        assert has_hashed()
    assert not has_hashed()
