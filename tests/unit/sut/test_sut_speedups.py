from __future__ import annotations

import socket
import sys
import time
from types import ModuleType

import pytest
import werkzeug.security
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.speedups import memoised_password_hashing
from pytest_evosearch.sut.speedups import remembered_look_up_failures

CHEAP = "pbkdf2:sha256:1000"


@pytest.mark.parametrize("method", [CHEAP, "scrypt:1024:8:1"])
def test_hashes_made_during_the_search_check_and_look_alike(method):
    try:
        real = generate_password_hash("secret", method)
    except ValueError:
        pytest.skip("Werkzeug before 2.3 has no scrypt")
    with memoised_password_hashing():
        made = generate_password_hash("secret", method)
        assert check_password_hash(made, "secret")
        assert not check_password_hash(made, "Secret")
        assert generate_password_hash("secret", method) == made
        assert generate_password_hash("other", method) != made
    assert [len(part) for part in made.split("$")] == [len(part) for part in real.split("$")]
    assert made.split("$")[0] == real.split("$")[0]


def test_hashes_from_before_are_checked_for_real():
    before = generate_password_hash("secret", CHEAP)
    with memoised_password_hashing():
        assert check_password_hash(before, "secret")
        assert not check_password_hash(before, "wrong")


def test_hashing_is_fast():
    with memoised_password_hashing():
        generate_password_hash("")
        check_password_hash(generate_password_hash(""), "")  # its method is spelt out: once more
        started = time.perf_counter()
        for number in range(100):
            assert check_password_hash(generate_password_hash(f"p{number}"), f"p{number}")
        assert time.perf_counter() - started < 0.1


def test_wrong_methods_are_still_refused():
    with memoised_password_hashing(), pytest.raises(ValueError):  # noqa: PT011 - the message differs by version
        generate_password_hash("secret", "rot13")


def test_a_method_that_keeps_the_password_still_tells_passwords_apart(monkeypatch):
    def keep(method, salt, password):
        return password, method

    monkeypatch.setattr(werkzeug.security, "_hash_internal", keep)
    with memoised_password_hashing():
        assert werkzeug.security._hash_internal("plain", "aaaa", "secret") == ("secret", "plain")


def test_what_cannot_be_encoded_is_still_refused():
    with memoised_password_hashing(), pytest.raises(UnicodeEncodeError):
        generate_password_hash("\ud800", CHEAP)


def test_tokens_still_differ():
    with memoised_password_hashing():
        drawn = {werkzeug.security.gen_salt(20) for _ in range(20)}
    assert len(drawn) == 20


def test_everything_is_put_back():
    before = werkzeug.security._hash_internal, werkzeug.security.gen_salt
    with memoised_password_hashing():
        assert werkzeug.security._hash_internal is not before[0]
    assert (werkzeug.security._hash_internal, werkzeug.security.gen_salt) == before


def test_a_host_that_was_not_found_is_looked_up_once(monkeypatch):
    asked = []

    def getaddrinfo(host, port, family=0):
        asked.append((host, port, family))
        if host == "found":
            return []
        raise socket.gaierror(socket.EAI_NONAME, f"no {host}")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with remembered_look_up_failures():
        for _ in range(3):
            with pytest.raises(socket.gaierror, match="no nowhere") as failure:
                socket.getaddrinfo("nowhere", 80)
            assert failure.value.errno == socket.EAI_NONAME
        socket.getaddrinfo("found", 80)
        socket.getaddrinfo("found", 80)
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere", 80)

    assert asked == [("nowhere", 80, 0), ("found", 80, 0), ("found", 80, 0), ("nowhere", 80, 0)]


def test_an_application_that_is_loaded_later_finds_bcrypt_cheap(monkeypatch):
    asked = []
    bcrypt = ModuleType("bcrypt")
    bcrypt.gensalt = lambda rounds=12, prefix=b"2b": b"$%s$%02d$salt" % (prefix, rounds)
    bcrypt.hashpw = lambda password, salt: asked.append(salt) or salt + password
    bcrypt.checkpw = lambda password, hashed: hashed.endswith(password)
    before = dict(vars(bcrypt))
    monkeypatch.setitem(sys.modules, "bcrypt", bcrypt)
    with memoised_password_hashing():
        for _ in range(2):
            made = bcrypt.hashpw(b"secret", bcrypt.gensalt(12))
            assert bcrypt.checkpw(b"secret", made)
        assert bcrypt.gensalt(prefix=b"2a") == b"$2a$04$salt"
    assert asked == [b"$2b$04$salt"]
    assert vars(bcrypt) == before
