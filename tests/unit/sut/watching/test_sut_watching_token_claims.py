"""Claims that a check or the code asks for."""

from __future__ import annotations

import pytest

from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.sut.watching.token_claims import LATE
from pytest_evosearch.sut.watching.token_claims import changed_claims
from pytest_evosearch.sut.watching.token_claims import names_of
from pytest_evosearch.sut.watching.token_claims import recording_claims


def compared(relation, observed, wanted):
    return Comparison("branch app.py:3 true", relation, observed, wanted)


@pytest.mark.parametrize(
    ("claims", "relation", "observed", "wanted", "changed"),
    [
        ({"role": "role1"}, "==", "role1", "owner", {"role": "owner"}),
        ({"role": "role1"}, "==", "owner", "role1", {"role": "owner"}),
        ({"role": "role1"}, "in", "role1", ("owner", "master"), {"role": "owner"}),
        ({"scope": "a b"}, "in", "owner", ("a", "b"), {"scope": "a b owner"}),
        ({"roles": ["guest"]}, "in", "owner", ("guest",), {"roles": ["guest", "owner"]}),
        ({"roles": ["roles1"]}, "in", "owner", ("roles1",), {"roles": ["owner"]}),
        ({"roles": ["roles1"]}, "in", "roles1", ("owner", "master"), {"roles": ["owner"]}),
        ({"roles": "roles1"}, "contains", "roles1", "owner", {"roles": ["owner"]}),
        ({"roles": "roles1"}, "in", "r", ("owner", "master"), {"roles": ["owner"]}),
        (
            {"roles": ["b", "a"]},
            "<=",
            ("run", "write"),
            ("a", "b"),
            {"roles": [*"ba", "run", "write"]},
        ),
        (
            {"area": {"roles": ["roles1"]}},
            "in",
            "owner",
            ("roles1",),
            {"area": {"roles": ["owner"]}},
        ),
        ({"level": 1}, ">=", 1, 3, {"level": 3}),
    ],
)
def test_claim_that_was_compared_is_changed(claims, relation, observed, wanted, changed):
    assert next(changed_claims(claims, compared(relation, observed, wanted))) == changed


def test_what_was_no_claim_changes_none():
    claims = {"role": "role1", "admin": True, "team": "", "exp": LATE}
    assert not list(changed_claims(claims, compared("==", "acorn", "owner")))
    assert not list(changed_claims(claims, compared("==", "", "owner")))
    assert not list(changed_claims(claims, compared("==", 1, 2)))
    assert not list(changed_claims(claims, compared("<", LATE, 1)))
    assert not list(changed_claims(claims, compared("match", "role1", "owner")))


@pytest.mark.parametrize(
    ("default", "wanted"), [(None, "roles1"), ("", "roles1"), ([], ["roles1"]), ({}, {}), (0, 1)]
)
def test_default_shows_what_a_claim_is(default, wanted):
    told = []
    assert recording_claims({}, told.append).get("roles", default) == default
    assert told == [{"roles": wanted}]


def test_claim_that_is_looked_up_may_hold_others():
    told = []
    claims = recording_claims({"sub": "mira"}, told.append)
    with pytest.raises(KeyError):
        claims["area"]
    assert told == [{"sub": "mira", "area": {}}, {"sub": "mira", "area": "area1"}]


def test_claim_within_another_one_is_told_with_what_is_around():
    told = []
    claims = recording_claims({"sub": "mira", "area": {"town": "Olten"}}, told.append)
    assert claims["area"].get("roles", []) == []
    assert "team" not in claims
    assert told == [
        {"sub": "mira", "area": {"town": "Olten", "roles": ["roles1"]}},
        {"sub": "mira", "area": {"town": "Olten"}, "team": "team1"},
    ]
    assert list(names_of(told[0])) == ["sub", "area", "area.town", "area.roles"]
