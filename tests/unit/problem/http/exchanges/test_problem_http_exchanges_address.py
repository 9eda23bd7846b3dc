from __future__ import annotations

import pytest

from pytest_evosearch.problem.http.exchanges.address import HOST
from pytest_evosearch.problem.http.exchanges.address import SCHEME
from pytest_evosearch.problem.http.exchanges.address import can_be_sent


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (SCHEME, "http"),
        (SCHEME, "https"),
        (HOST, "alder.localhost"),
        (HOST, "alder.localhost:8080"),
        (HOST, "[::1]:5000"),
        ("REMOTE_USER", "any text at all"),
    ],
)
def test_what_clients_and_servers_set_is_sent(name: str, text: str) -> None:
    assert can_be_sent(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [(SCHEME, "Bob"), (SCHEME, ""), (HOST, "two words"), (HOST, "a/b"), (HOST, ""), (HOST, "a:b")],
)
def test_what_no_client_sends_is_left_out(name: str, text: str) -> None:
    assert not can_be_sent(name, text)
