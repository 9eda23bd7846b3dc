"""Exchanges with and without the faults of `oracles.server_error`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle_examples.example import Example
from pytest_evosearch.oracles.server_error import ENDED_TRANSACTION
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Missing


def server_error() -> Iterator[Example]:
    request = Request("GET", "/a")
    crash = Crash("KeyError", "builtins", "'x'", "shop/a.py", 4, "view", "Traceback ...")
    yield Example((Exchange(request, Response(404)),))
    yield Example((Exchange(request, Response(503)),), ("5xx",))
    yield Example((Exchange(request, Response(503), abort=crash),), ("5xx",))
    yield Example((Exchange(request, None, crash=crash),), ("KeyError",))
    ended = replace(crash, module="sqlalchemy.exc", message=f"{ENDED_TRANSACTION} inside a ...")
    yield Example((Exchange(request, None, crash=ended),))
    refused = replace(crash, type_name="ConnectionError", unreachable=True)
    yield Example((Exchange(request, None, crash=refused),))
    fetch = Request("GET", "/fetch", query=(("url", "http://127.0.0.1:9/"),))
    there = Evidence(contacted=("127.0.0.1",))
    fetched = Exchange(fetch, None, crash=refused, evidence=there)
    yield Example((fetched,), ("ConnectionError",))
    scanner = Evidence(contacted=("scanner.internal",))
    yield Example((Exchange(request, Response(503), evidence=scanner),))
    yield Example((Exchange(request, Response(500), evidence=scanner),), ("5xx",))
    yield Example((Exchange(fetch, Response(502), evidence=there),), ("5xx",))
    yield Example((Exchange(request, Response(500), crash=crash),), ("KeyError",))
    echo = Request("GET", "/status/{codes}", {"codes": "404:1,503:2"})
    yield Example((Exchange(echo, Response(503)),))
    yield Example((Exchange(echo, Response(500)),), ("5xx",))
    greedy = replace(crash, type_name="MemoryError", message="")
    yield Example((Exchange(request, None, crash=greedy, frozen=True),), ("MemoryError",))
    yield Example((Exchange(request, None, frozen=True),), ("Freeze",))
    redis = Missing("localhost:6379", "localhost", "connection refused", ("redis", "kombu"))
    yield Example((Exchange(request, None, frozen=True, missing=(redis,)),))
    yield Example((Exchange(request, Response(500), missing=(redis,)),))
    yield Example((Exchange(request, None, crash=crash, missing=(redis,)),), ("KeyError",))
    theirs = replace(crash, type_name="OperationalError", module="kombu.exceptions")
    yield Example((Exchange(request, None, crash=theirs, missing=(redis,)),))
    yield Example((Exchange(request, None, frozen=True, died="SIGSEGV"),), ("SIGSEGV",))
    yield Example((Exchange(request, None, frozen=True, excess="too many"),), ("Excess",))
    delay = Request("GET", "/delay/{n}", {"n": "9"})
    yield Example((Exchange(delay, None, frozen=True, slept=9.0),))
    drip = Request("GET", "/drip", query=(("duration", "2.0"), ("delay", "3.0")))
    yield Example((Exchange(drip, None, frozen=True, slept=4.8),))
    yield Example((Exchange(delay, None, frozen=True),), ("Freeze",))
    yield Example((Exchange(delay, None, frozen=True, slept=60.0),), ("Freeze",))
