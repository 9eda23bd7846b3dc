"""Exchanges with and without the faults of `oracles.injection`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.inquiries.inquirer import SCRIPT
from pytest_evosearch.problem.http.inquiries.inquirer import STRANGE_HOST


def script_injection() -> Iterator[Example]:
    search = Request("GET", "/s", query=(("q", SCRIPT),))
    html = (("Content-Type", "text/html; charset=utf-8"),)
    raw = Response(200, html, f"<p>{SCRIPT}</p>".encode())
    escaped = Response(200, html, b"<p>&lt;script&gt;evosearch()&lt;/script&gt;</p>")
    plain = Response(200, (("Content-Type", "text/plain"),), SCRIPT.encode())
    post, page = Request("POST", "/s", form=(("a", SCRIPT),)), Request("GET", "/p")
    short = Request("GET", "/s", query=(("q", "<script>"),))
    own = Response(200, html, b"<script>start()</script>")
    yield Example((Exchange(search, raw),), ("query q",))
    yield Example((Exchange(search, escaped),))
    yield Example((Exchange(search, plain),))
    yield Example((Exchange(page, raw),))
    yield Example((Exchange(short, own),))
    yield Example((Exchange(post, Response(302)), Exchange(page, raw)), ("form a of POST /s",))
    yield Example((Exchange(page, raw), Exchange(post, Response(302))))


def sql_injection() -> Iterator[Example]:
    text = "evo'search"
    request = Request("GET", "/s", query=(("q", text),))
    spliced = Evidence(statements=(f"SELECT 1 WHERE a = '{text}' --",))
    bound = Evidence(statements=("SELECT 1 WHERE a = 'evo''search'",))
    error = Crash("OperationalError", "sqlite3", 'near "search": syntax error', "a.py", 1, "f", "")
    stray = replace(error, message='unrecognized token: "\'"')
    wrong = Crash("OperationalError", "sqlite3", "no such table: x", "a.py", 1, "f", "")
    yield Example((Exchange(request, Response(200), evidence=spliced),), ("query q",))
    yield Example((Exchange(request, Response(200), evidence=bound),))
    yield Example((Exchange(request, None, crash=error),), ("query q",))
    yield Example((Exchange(request, None, crash=stray),), ("query q",))
    yield Example((Exchange(request, None, crash=wrong),))
    name = Evidence(statements=(f'CREATE INDEX "{text}" ON user ("name")',))
    yield Example((Exchange(request, Response(200), evidence=name),))
    whole = Evidence(statements=(text,))
    yield Example((Exchange(request, Response(200), evidence=whole),))
    short = Request("GET", "/s", query=(("q", "a'b"),))
    yield Example((Exchange(short, Response(200), evidence=spliced),))
    doubled = Request("GET", "/s", query=(("q", 'evo"search'),))
    literal = Evidence(statements=('SELECT 1 WHERE a = "evo"search" --"',))
    inside = Evidence(statements=("SELECT 1 WHERE a = 'evo\"search'",))
    yield Example((Exchange(doubled, Response(200), evidence=literal),), ("query q",))
    yield Example((Exchange(doubled, Response(200), evidence=inside),))
    yield Example((Exchange(doubled, None, crash=error),), ("query q",))
    open_end = replace(error, message='unrecognized token: """')
    yield Example((Exchange(doubled, None, crash=open_end),), ("query q",))
    parsed = Request("GET", "/s", query=(("q", 'name:"evo\'search"'),))
    yield Example((Exchange(parsed, None, crash=error),), ("query q",))
    told = replace(error, message='syntax error at or near "search"', module="psycopg2.errors")
    yield Example((Exchange(doubled, None, crash=told),), ("query q",))


def path_traversal() -> Iterator[Example]:
    request = Request("GET", "/f", query=(("name", "../../etc/hostname"),))
    harmless = Request("GET", "/f", query=(("name", "a/../b.txt"),))
    outside = Evidence(opened=("/srv/app/files/../../etc/hostname",))
    inside = Evidence(opened=("/srv/app/files/a/../b.txt",))
    other = Evidence(opened=("/srv/app/templates/index.html",))
    yield Example((Exchange(request, Response(200), evidence=outside),), ("query name",))
    yield Example((Exchange(harmless, Response(200), evidence=inside),))
    yield Example((Exchange(request, Response(404), evidence=other),))


def request_forgery() -> Iterator[Example]:
    url = f"http://{STRANGE_HOST}/x"
    request = Request("POST", "/hook", json={"url": url}, has_json=True)
    listed = Request("POST", "/hook", json={"url": "http://partner.invalid/"}, has_json=True)
    chosen = Evidence(contacted=(STRANGE_HOST,))
    own = Evidence(contacted=("api.example.com", "partner.invalid"))
    yield Example((Exchange(request, Response(502), evidence=chosen),), ("json url",))
    yield Example((Exchange(request, Response(200), evidence=own),))
    yield Example((Exchange(listed, Response(200), evidence=own),))
    twice = replace(request, query=(("name", url),))
    yield Example((Exchange(twice, Response(502), evidence=chosen),))
    yield Example((Exchange(request, Response(200)),))
