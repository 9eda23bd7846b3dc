"""What code looks for in XML and HTML shows which elements an answer needs."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pytest_evosearch.sut.outgoing.answer_formats import HTML
from pytest_evosearch.sut.outgoing.answer_formats import ROOTED_XML
from pytest_evosearch.sut.outgoing.answer_formats import XML
from pytest_evosearch.sut.outgoing.answer_formats import written
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.outgoing.markup_reads import watch_markup
from pytest_evosearch.sut.patches import Patches

NAME = "GET http://a/b"
SPACES = {"a": "http://www.w3.org/2005/Atom"}


def reads_of(code, document, form):
    """Return what `code` reads of a served document: place -> use."""
    reads, answer = AnswerReads(), written(document, form)
    with Patches() as patches:
        watch_markup(patches, reads)
        reads.serve(NAME, answer)
        code(answer.body.decode())
        return {one.path[1:]: one.type_name or one.default for one in reads.reads()}


def in_tree(code):
    return lambda text: code(ElementTree.fromstring(text))


def in_page(code):
    soup = pytest.importorskip("bs4")
    return lambda text: code(soup.BeautifulSoup(text, "html.parser"))


ITEM = {"item": [{"price": "many"}]}
TREES = {
    "one element": ({}, lambda root: root.find("a/b"), ("a", "b"), "sought"),
    "several": ({}, lambda root: root.findall("./a/b"), ("a", "b", 0), "sought"),
    "anywhere": ({}, lambda root: list(root.iter("b")), ("b", 0), "sought"),
    "a text": ({}, lambda root: root.findtext("b"), ("b",), "sought"),
    "an attribute": (ITEM, lambda root: root[0].get("id"), ("item", 0, "@id"), "sought"),
    "a namespace": (
        {},
        lambda root: root.find("a:link", SPACES),
        ("{http://www.w3.org/2005/Atom}link",),
        "sought",
    ),
}


@pytest.mark.parametrize("what", TREES)
def test_a_search_in_xml_asks_for_an_element(what):
    document, code, place, use = TREES[what]

    assert reads_of(in_tree(code), document, XML)[("json", *place)] == use


def test_a_text_in_xml_that_is_taken_for_a_number_is_one():
    found = reads_of(in_tree(lambda root: root[0][0].text.__lt__(3)), ITEM, XML)

    assert found["json", "item", 0, "price", "#text"] == "number"


PAGES = {
    "a selector": (lambda page: page.select("ul.a > li.b"), ("ul.a", "li.b", 0)),
    "the first": (lambda page: page.select_one("#top a[href]"), ("#top", "a[href]", "@href")),
    "a class": (lambda page: page.find("a", class_="next big"), ("a.next.big",)),
    "an attribute": (lambda page: page.find_all("p", {"data-x": "1"}), ('p[data-x="1"]', 0)),
    "a tag by name": (lambda page: page.title, ("title",)),
}


@pytest.mark.parametrize("what", PAGES)
def test_a_search_in_a_page_asks_for_an_element(what):
    code, place = PAGES[what]

    found = reads_of(in_page(code), {}, HTML)

    assert found[("json", *place)] == "sought"


def test_what_was_asked_for_is_found_then():
    soup = pytest.importorskip("bs4")
    document = {"ul.a": {"li.b": [{"a[href]": {"@href": "/x", "#text": "y"}}]}, "#top": "z"}
    text = written(document, HTML).body
    page = soup.BeautifulSoup(text, "html.parser")

    assert page.select_one("ul.a > li.b a[href]")["href"] == "/x"
    assert page.find(id="top").text == "z"


def test_a_document_of_another_format_tells_the_format():
    soup = pytest.importorskip("bs4")

    def parse(text):
        soup.BeautifulSoup(text, "html.parser")
        with pytest.raises(ElementTree.ParseError):
            ElementTree.fromstring(text)

    assert reads_of(parse, {}, "json")[("format",)] in (HTML, XML)


def test_elements_of_a_converted_document_are_members():
    converter = pytest.importorskip("xmltodict")

    found = reads_of(
        lambda text: converter.parse(text)["feed"].get("entry"), {"feed": {"id": "1"}}, ROOTED_XML
    )

    assert found["json", "feed"] == "needed"
    assert ("json", "feed", "entry") in found


def test_texts_that_markup_cannot_hold_are_replaced():
    text = written({"a": "\x00<b>&"}, XML).body.decode()

    assert ElementTree.fromstring(text).findtext("a") == " <b>&"


def test_what_no_service_answered_is_parsed_as_always():
    with Patches() as patches:
        watch_markup(patches, AnswerReads())
        root = ElementTree.fromstring("<a><b/></a>")

    assert type(root) is ElementTree.Element
    assert root.find("c") is None
