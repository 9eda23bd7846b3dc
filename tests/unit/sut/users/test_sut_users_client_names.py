"""Whom a request that opens a door is named after: a person, or where it was sent."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.users.client_actions import LogIn
from pytest_evosearch.sut.users.client_names import named_after_last_request
from pytest_evosearch.sut.users.client_names import named_after_request
from pytest_evosearch.sut.users.found_users import Preparation
from pytest_evosearch.sut.users.found_users import found_user


def sent(path: str, **body: object) -> LogIn:
    return LogIn("POST", {"path": path, "json": body})


@pytest.mark.parametrize(
    ("log_ins", "name"),
    [
        ([sent("/basket", name="tea")], "basket_client"),
        ([sent("/basket/add", product="tea"), LogIn("DELETE", {"path": "/x"})], "basket_client"),
        ([sent("/enter", user="mira")], ""),
        ([sent("/sessions", who="mira")], ""),
        ([sent("/door", who="mira", word="acorn")], ""),
        ([sent("/door")], ""),
        ([], ""),
    ],
)
def test_a_client_is_named_after_a_request_that_tells_no_person(
    log_ins: list[LogIn], name: str
) -> None:
    assert named_after_request(log_ins) == name


def test_its_fixture_claims_no_log_in() -> None:
    prepared = Preparation(log_ins=(sent("/basket", name="tea"),), name="tea")
    found = found_user([], lambda _text: None, "client", (), prepared=prepared)
    assert found.user.name == "basket_client"
    assert '"""A client that gets access by what it sends first."""' in found.source


@pytest.mark.parametrize(
    ("paths", "name"),
    [
        (("/setup/terms", "/setup/owner"), "owner_client"),
        (("/setup/terms",), "terms_client"),
        (("/terms", "/login"), "logged_in_client"),
        (("/add",), ""),
        ((), ""),
    ],
)
def test_a_client_without_a_name_is_called_after_its_last_request(paths, name: str) -> None:
    log_ins = [LogIn("POST", {"path": path}) for path in paths]
    assert named_after_last_request(log_ins) == name
