"""Pages with and without the faults of `oracles.unfilled`."""

from __future__ import annotations

from collections.abc import Iterator

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response

HTML = (("Content-Type", "text/html; charset=utf-8"),)


def shown(body: str, **sent: str) -> Exchange:
    request = Request("GET", "/hello", query=tuple(sent.items()))
    return Exchange(request, Response(200, HTML, body.encode()))


def redirected(location: str, **sent: str) -> Exchange:
    request = Request("GET", "/back", query=tuple(sent.items()))
    return Exchange(request, Response(302, (("Location", location),)))


def unfilled_text() -> Iterator[Example]:
    yield Example((shown("<p>Hello {{ user.name }}</p>"),), ("template mark",))
    yield Example((shown("<p>{% if user %}Hello</p>"),), ("template mark",))
    yield Example((shown("<p>Hello {{ name }}</p><script src='vue.js'></script>"),))
    yield Example((shown("<code>{{ name }}</code>"),))
    yield Example((shown("<p>{{ a }}</p>", text="{{ a }}"),))
    yield Example((shown("<p>You are logged in as .</p>"),), ("empty slot",))
    yield Example((shown("<p>Hello , here is a list</p>"),), ("empty slot",))
    yield Example((shown("<p>You are logged in as <b>Ann</b> .</p>"),))
    yield Example((shown("<p>It costs 3 , 4 or .5</p><style>a .b, c .d {}</style>"),))
    yield Example((shown("<p>Hello .</p>", text="Hello ."),))
    yield Example((shown("<p>Sorted as<code>title</code>, or as<code>price</code>, please</p>"),))
    yield Example((shown("<p>by one of , 3.00</p>", author="one of "),))
    yield Example((shown("<p>by one of , 3.00</p>", author="one of"),), ("empty slot",))
    yield Example((redirected("None"),), ("empty slot",))
    yield Example((redirected("/users/None"),), ("empty slot",))
    yield Example((redirected("/users/None", next="None"),))
    yield Example((redirected("/users"),))
