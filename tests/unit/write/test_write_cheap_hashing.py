from __future__ import annotations

import time
from typing import Any

import pytest
import werkzeug.security
from werkzeug.security import check_password_hash

from pytest_evosearch.write import cheap_hashing

SLOW = "pbkdf2:sha256:200000"


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return `werkzeug.security` as a verification run has it."""
    for name in ("_hash_internal", "gen_salt"):
        monkeypatch.setattr(werkzeug.security, name, getattr(werkzeug.security, name))
    monkeypatch.setenv("EVOSEARCH_VERIFY_HASHING", "cheap")
    cheap_hashing.pytest_configure()
    return werkzeug.security


def test_hashes_look_alike_and_tell_passwords_apart(cheap: Any) -> None:
    made = cheap.generate_password_hash("secret", SLOW)

    assert check_password_hash(made, "secret")
    assert not check_password_hash(made, "Secret")
    method, salt, digest = made.split("$")
    assert (method, len(salt), len(digest)) == (SLOW, 16, 64)
    assert cheap.generate_password_hash("secret", SLOW) != made


def test_many_passwords_take_no_time(cheap: Any) -> None:
    cheap.generate_password_hash("first", SLOW)
    started = time.process_time()
    for number in range(50):
        assert check_password_hash(cheap.generate_password_hash(f"p{number}", SLOW), f"p{number}")
    assert time.process_time() - started < 0.5


def test_hashes_of_others_are_checked_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    before = werkzeug.security.generate_password_hash("secret", "pbkdf2:sha256:1000")
    for name in ("_hash_internal", "gen_salt"):
        monkeypatch.setattr(werkzeug.security, name, getattr(werkzeug.security, name))
    monkeypatch.setenv("EVOSEARCH_VERIFY_HASHING", "cheap")
    cheap_hashing.pytest_configure()

    assert check_password_hash(before, "secret")
    assert not check_password_hash(before, "wrong")


def test_wrong_methods_and_passwords_are_still_refused(cheap: Any) -> None:
    with pytest.raises(ValueError, match="rot13"):
        cheap.generate_password_hash("secret", "rot13")
    with pytest.raises(UnicodeEncodeError):
        cheap.generate_password_hash("\ud800", SLOW)


def test_nothing_is_changed_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVOSEARCH_VERIFY_HASHING", raising=False)
    before = werkzeug.security._hash_internal
    cheap_hashing.pytest_configure()
    assert werkzeug.security._hash_internal is before


def test_salts_of_bcrypt_ask_for_little() -> None:
    asked = []

    def gensalt(rounds: int, prefix: bytes) -> bytes:
        asked.append(rounds)
        return prefix

    assert cheap_hashing._cheap_salt(gensalt) == b"2b"
    assert asked == [4]
