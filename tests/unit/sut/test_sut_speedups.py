from __future__ import annotations

import time

import werkzeug.security
from werkzeug.security import check_password_hash
from werkzeug.security import generate_password_hash

from pytest_evosearch.sut.speedups import memoised_password_hashing


def test_hashes_are_true_repeatable_and_fast():
    with memoised_password_hashing():
        first = generate_password_hash("secret")
        assert check_password_hash(first, "secret")  # its method is spelt out: once more for real
        started = time.perf_counter()
        assert generate_password_hash("secret") == first
        for _ in range(20):
            assert check_password_hash(first, "secret")
        assert time.perf_counter() - started < 0.05
        assert not check_password_hash(first, "wrong")
    assert check_password_hash(first, "secret")


def test_tokens_still_differ():
    with memoised_password_hashing():
        drawn = {werkzeug.security.gen_salt(20) for _ in range(20)}
    assert len(drawn) == 20


def test_everything_is_put_back():
    before = werkzeug.security._hash_internal, werkzeug.security.gen_salt
    with memoised_password_hashing():
        assert werkzeug.security._hash_internal is not before[0]
    assert (werkzeug.security._hash_internal, werkzeug.security.gen_salt) == before
