from __future__ import annotations

import hmac
import secrets
import sys
from dataclasses import dataclass
from dataclasses import field
from types import ModuleType

import itsdangerous
import pytest
import werkzeug.security

from pytest_evosearch.sut.shortcuts.password_hashing import cheap_password_hashing
from pytest_evosearch.sut.watching.library_checks import weighed_library_checks


@dataclass
class Seen:
    in_use: bool = True
    pairs: list[tuple[object, object]] = field(default_factory=list)
    passed: int = 0

    def weigh(self, observed: object, wanted: object) -> None:
        self.pairs.append((observed, wanted))

    def note_passed(self) -> None:
        self.passed += 1


def test_digests_that_differ_are_told_with_both_sides():
    seen = Seen()
    with weighed_library_checks(seen):
        assert not hmac.compare_digest(b"sent", b"right")
        assert not secrets.compare_digest("sent", "other")
        assert hmac.compare_digest("equal", "equal")

    assert seen.pairs == [(b"sent", b"right"), ("sent", "other")]
    assert seen.passed == 1


def test_function_imported_by_name_is_replaced_and_put_back(monkeypatch):
    module = ModuleType("imports_by_name")
    original = hmac.compare_digest
    module.same = original  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    seen = Seen()
    with weighed_library_checks(seen):
        module.same("a", "b")  # type: ignore[attr-defined]

    assert seen.pairs == [("a", "b")]
    assert module.same is original  # type: ignore[attr-defined]
    assert hmac.compare_digest is secrets.compare_digest is original


def test_nothing_is_told_while_nobody_asks():
    seen = Seen(in_use=False)
    with cheap_password_hashing(), weighed_library_checks(seen):
        hmac.compare_digest("a", "b")
        hashed = werkzeug.security.generate_password_hash("Lantern-9")
        werkzeug.security.check_password_hash(hashed, "acorn")
        itsdangerous.Signer("key").verify_signature(b"value", b"acorn")

    assert seen.pairs == []


def test_what_a_library_raises_reaches_the_application():
    with weighed_library_checks(Seen()), pytest.raises(TypeError):
        hmac.compare_digest("é", b"a")


def test_password_behind_a_hash_of_this_run_is_what_was_wanted():
    seen = Seen()
    with cheap_password_hashing(), weighed_library_checks(seen):
        hashed = werkzeug.security.generate_password_hash("Lantern-9")
        assert not werkzeug.security.check_password_hash(hashed, "acorn")
        assert werkzeug.security.check_password_hash(hashed, "Lantern-9")

    assert ("acorn", "Lantern-9") in seen.pairs
    assert seen.passed >= 1


def test_password_behind_a_hash_of_passlib_is_what_was_wanted():
    handler = pytest.importorskip("passlib.hash").sha256_crypt
    seen = Seen()
    with cheap_password_hashing(), weighed_library_checks(seen):
        hashed = handler.hash("Rye-1")
        assert not handler.verify("acorn", hashed)

    assert ("acorn", "Rye-1") in seen.pairs


def test_password_behind_a_hash_of_argon2_is_what_was_wanted():
    argon2 = pytest.importorskip("argon2")
    seen = Seen()
    with cheap_password_hashing(), weighed_library_checks(seen):
        hasher = argon2.PasswordHasher()
        hashed = hasher.hash("Otter-1")
        with pytest.raises(argon2.exceptions.VerifyMismatchError):
            hasher.verify(hashed, "acorn")

    assert ("acorn", "Otter-1") in seen.pairs


def test_signer_tells_the_signature_that_it_would_have_made():
    signer = itsdangerous.Signer("key")
    right = signer.get_signature(b"value")
    seen = Seen()
    with weighed_library_checks(seen):
        assert not signer.verify_signature(b"value", b"acorn")

    assert (b"acorn", right) in seen.pairs


def test_passwords_behind_two_hashes_are_told_too():
    bcrypt = pytest.importorskip("bcrypt")
    seen = Seen()
    with cheap_password_hashing(), weighed_library_checks(seen):
        stored = bcrypt.hashpw(b"Owl-7", bcrypt.gensalt())
        assert not hmac.compare_digest(bcrypt.hashpw(b"acorn", stored), stored)

    assert ("acorn", "Owl-7") in seen.pairs


def test_names_of_an_htpasswd_file_are_told_where_another_was_sent(apache):
    people = apache.HtpasswdFile(default_scheme="apr_md5_crypt")
    people.load_string("olga:$apr1$S7Rv0Zt1$m8zBi0m4FPmLdWDpsN4l4/\n")
    original = apache.HtpasswdFile.check_password
    seen = Seen()
    with weighed_library_checks(seen):
        assert people.check_password("acorn", "birch") is None

    assert seen.pairs == [("acorn", "olga")]
    assert apache.HtpasswdFile.check_password is original
