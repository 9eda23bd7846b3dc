"""Claims that a check or the code asks for."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.watching.token_claims import LATE
from pytest_evosearch.sut.watching.token_claims import asked_by
from pytest_evosearch.sut.watching.token_claims import changed_claims
from pytest_evosearch.sut.watching.token_claims import told_claims


@pytest.mark.parametrize(
    ("claims", "observed", "wanted", "changed"),
    [
        ({"role": "role1"}, "role1", "owner", {"role": "owner"}),
        ({"role": "role1"}, "owner", "role1", {"role": "owner"}),
        ({"role": "role1"}, "role1", ("owner", "master"), {"role": "owner"}),
        ({"scope": "a b"}, "owner", ("a", "b"), {"scope": "a b owner"}),
        ({"roles": ["guest"]}, "owner", ("guest",), {"roles": ["guest", "owner"]}),
    ],
)
def test_claim_that_was_compared_is_changed(claims, observed, wanted, changed):
    assert next(changed_claims(claims, observed, wanted)) == changed


def test_what_was_no_claim_changes_none():
    claims = {"role": "role1", "admin": True, "team": ""}
    assert not list(changed_claims(claims, "acorn", "owner"))
    assert not list(changed_claims(claims, "", "owner"))
    assert not list(changed_claims(claims, 1, 2))


def test_options_ask_for_claims():
    options = {
        "iss": {"essential": True, "value": "harbour"},
        "role": {"values": ["owner", "master"]},
        "team": {"essential": True},
        "sub": {"essential": True},
    }
    found = asked_by(options, {"sub": "mira", "exp": 1})
    assert found == {"exp": LATE, "iss": "harbour", "role": "owner", "team": "team1"}


def test_claims_of_a_library_stay_of_its_class():
    class LibraryClaims(dict):
        def validate(self):
            return self.get("exp")

    told = []
    claims = told_claims(LibraryClaims(sub="mira"), told.append)
    assert isinstance(claims, LibraryClaims)
    with claims.quiet():
        assert claims.validate() is None
    assert not told
    assert claims.get("role") is None
    assert told == [{"sub": "mira", "role": "role1"}]
