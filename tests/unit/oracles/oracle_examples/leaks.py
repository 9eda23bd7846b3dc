"""Exchanges with and without the faults of `oracles.leaks`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle_examples.example import Example
from pytest_evosearch.oracles.oracle import Knowledge
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import PlacedRow
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence


def traceback_leak() -> Iterator[Example]:
    request = Request("GET", "/a")
    trace = 'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\n    1/0\n'
    page = "<title>ZeroDivisionError // Werkzeug Debugger</title>"
    echo = Request("POST", "/a", text=trace)
    yield Example((Exchange(request, Response(500, (), trace.encode())),), ("Python traceback",))
    yield Example((Exchange(request, Response(500, (), page.encode())),), ("Werkzeug debugger",))
    yield Example((Exchange(echo, Response(200, (), trace.encode())),))
    stored = Exchange(echo, Response(204))
    yield Example((stored, Exchange(request, Response(200, (), trace.encode()))))
    yield Example((Exchange(request, Response(500, (), b"Traceback (most recent call last)")),))
    yield Example((Exchange(request, None),))


def sql_leak() -> Iterator[Example]:
    request = Request("GET", "/a", query=(("q", "UNIQUE"),))
    shown = b'{"error": "UNIQUE constraint failed: user.name"}'
    nested = b"(sqlite3.OperationalError) no such column: x [SQL: SELECT x]"
    yield Example((Exchange(request, Response(400, (), shown)),), ("database message",))
    yield Example((Exchange(request, Response(200, (), nested)),), ("database message",))
    yield Example((Exchange(request, Response(400, (), b"that name is taken")),))
    post = Request("POST", "/posts", form=(("body", "UNIQUE constraint failed: user.name"),))
    stored = Exchange(post, Response(302))
    yield Example((stored, Exchange(request, Response(200, (), shown))))
    yield Example((Exchange(request, Response(200, (), shown)), stored), ("database message",))
    ran = Evidence(statements=("SELECT name FROM user WHERE name = 'a'",))
    text = Response(200, (), b"failed: SELECT name FROM user WHERE name = ?")
    yield Example((Exchange(request, text, evidence=ran),), ("SQL statement",))
    yield Example((Exchange(request, text),))
    yield Example((Exchange(request, Response(200, (), b"select a syntax, or error")),))
    word = Request("POST", "/console", form=(("sql", "hello you"),))
    first = Response(200, (), b"near &#34;hello&#34;: syntax error")
    later = Response(200, (), b"near &#34;you&#34;: syntax error")
    yield Example((Exchange(word, first),))
    yield Example((Exchange(word, later),), ("database message",))
    chosen = Request("POST", "/console", form=(("sql", "select*a"),))
    yield Example((Exchange(chosen, Response(200, (), b'near "a": syntax error')),))
    chosen = Request("POST", "/console", form=(("sql", "select a"),))
    yield Example((Exchange(chosen, Response(200, (), b"no such column: a")),))
    other = Response(200, (), b"no such column: secret")
    yield Example((Exchange(chosen, other),), ("database message",))
    token = Request("POST", "/console", form=(("sql", "2C?"),))
    unread = Response(200, (), b"unrecognized token: &#34;2C&#34;")
    yield Example((Exchange(token, unread),))
    number = Request("POST", "/console", form=(("sql", -1),))
    yield Example((Exchange(number, Response(200, (), b'near "-": syntax error')),))
    quoted = Request("GET", "/s", query=(("q", "evo'search"),))
    ended = Response(200, (), b"unrecognized token: &#34;&#39;search&#34;")
    yield Example((Exchange(quoted, ended),), ("database message",))
    whole = Request("POST", "/console", form=(("sql", "SELECT name FROM user;"),))
    runs = Evidence(statements=("SELECT name FROM user",))
    yield Example((Exchange(whole, Response(200, (), b"no such table: user"), evidence=runs),))


def secret_leak() -> Iterator[Example]:
    request = Request("GET", "/a")
    known = Knowledge(secrets={"SECRET_KEY": "s3cr3t-s3cr3t"})
    shown = Response(200, (), b'{"key": "s3cr3t-s3cr3t"}')
    sent = Request("GET", "/a", query=(("q", "s3cr3t-s3cr3t"),))
    yield Example((Exchange(request, shown),), ("SECRET_KEY",), known)
    yield Example((Exchange(sent, shown),), (), known)
    yield Example((Exchange(sent, Response(204)), Exchange(request, shown)), (), known)
    yield Example((Exchange(request, shown),))
    yield Example((Exchange(request, Response(200, (), b"s3cr3t")),), (), known)
    row = PlacedRow("artist", {"name": "by s3cr3t-s3cr3t"})
    yield Example((Exchange(replace(request, rows=(row,)), shown),), (), known)
