"""How fixtures of a project are called once more, for values that get old."""

from __future__ import annotations

from inspect import signature
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_evosearch.bridge.applications.fixtures import Scene

OLD = {"session_token": "first-token-of-ann", "client": object()}


def scene_of(**functions: Any) -> Scene:
    """Return fixtures of which each requests what its function's parameters name."""
    sites = {
        name: SimpleNamespace(function=function, requests=tuple(signature(function).parameters))
        for name, function in functions.items()
    }
    synthetic: Any = SimpleNamespace(value=OLD.__getitem__)
    return Scene(synthetic, SimpleNamespace(sites=sites), None, None)  # type: ignore[arg-type]


def headers(session_token: str) -> dict[str, str]:
    return {"Authorization": session_token}


def test_headers_that_are_made_anew_hold_a_token_that_is_made_anew() -> None:
    scene = scene_of(headers=headers, session_token=lambda: "second-token-of-ann")
    assert scene.again("headers") == {"Authorization": "second-token-of-ann"}


def test_a_token_that_is_torn_down_stays_as_it_is() -> None:
    def session_token() -> Any:
        yield "second-token-of-ann"

    scene = scene_of(headers=headers, session_token=session_token)
    assert scene.again("headers") == {"Authorization": OLD["session_token"]}
    with pytest.raises(LookupError):
        scene.again("session_token")


def test_what_does_not_get_old_is_not_made_anew() -> None:
    scene = scene_of(who=lambda client: client, client=lambda: pytest.fail("another client"))
    assert scene.again("who") is OLD["client"]
