"""Places in XML answers: what a later call may want of them, and how a test reads it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.responses import MISSING
from pytest_evosearch.problem.http.exchanges.responses import linkable_values
from pytest_evosearch.problem.http.exchanges.responses import select
from pytest_evosearch.problem.http.exchanges.xml_places import code_at
from pytest_evosearch.problem.http.exchanges.xml_places import root_of

ALBUMS = '<album id="17"><title>Blue</title></album><album id="18"/>'
PLAIN = f'<reply status="ok"><!-- new -->{ALBUMS}</reply>'
SPACED = PLAIN.replace("<reply ", '<reply xmlns="urn:music" ')


def answered(text: str, mimetype: str = "text/xml") -> Response:
    return Response(200, (("Content-Type", mimetype),), text.encode())


@pytest.mark.parametrize("text", [PLAIN, SPACED])
def test_attributes_and_texts_can_be_linked_to(text: str) -> None:
    response = answered(text)
    found = dict(linkable_values(response))
    assert found == {
        ("xml", "@status"): "ok",
        ("xml", "album", "@id"): "17",
        ("xml", "album", "title"): "Blue",
    }
    exchange = Exchange(Request("GET", "/a"), response)
    root = root_of(response)
    assert root is not None
    for selector, value in found.items():
        assert select(exchange, selector) == value
        code = code_at(root, selector, "document")
        assert eval(code, {"document": ElementTree.fromstring(text)}) == value
        assert not {"{", "}", "'"} & set(code)
    assert select(exchange, ("xml", "album", "@size")) is MISSING


@pytest.mark.parametrize(
    "response",
    [answered("<reply"), answered(""), answered(PLAIN, "text/html"), answered("<a>" * 40_000)],
)
def test_what_is_no_document_has_no_places(response: Response) -> None:
    assert root_of(response) is None
    assert linkable_values(response) == []
