"""Exchanges with and without the faults of `oracles.hidden`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure


def background_error() -> Iterator[Example]:
    request = Request("POST", "/jobs")
    crash = Crash("IndexError", "builtins", "too short", "shop/a.py", 4, "work", "")
    thread = HiddenFailure(crash, "a thread", "POST /jobs")
    yield Example((Exchange(request, Response(202), hidden=(thread,)),), ("IndexError",))
    logged = HiddenFailure(crash, "the log", "POST /jobs", "celery.app.trace")
    yield Example((Exchange(request, Response(202), hidden=(logged,)),))
    yield Example((Exchange(request, Response(202)),))


def swallowed_error() -> Iterator[Example]:
    request = Request("POST", "/jobs")
    crash = Crash("IndexError", "builtins", "too short", "shop/a.py", 4, "work", "")
    logged = HiddenFailure(crash, "the log", "POST /jobs", "celery.app.trace")
    yield Example((Exchange(request, Response(202), hidden=(logged,)),), ("IndexError",))
    thread = HiddenFailure(crash, "a thread", "POST /jobs")
    yield Example((Exchange(request, Response(202), hidden=(thread,)),))
