"""What a test asserts about an XML answer."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.write.code.layout import Layout
from pytest_evosearch.write.content.assertions import assertion_lines
from pytest_evosearch.write.content.facts import act_facts
from pytest_evosearch.write.content.specimen import Corpus
from pytest_evosearch.write.content.specimen import Specimen

REFUSED = '<reply status="failed"><error code="40">wrong token</error></reply>'
LISTED = '<reply status="ok" at="{}"><song>Blue</song><song>Carey</song><end/></reply>'
MANY = "<reply>" + "".join(f'<part{n} size="{n}"/>' for n in range(9)) + "</reply>"


def asserted(text: str, others: tuple[str, ...] = (), **more: object) -> list[str]:
    """Return the assertions about an answer, which hold."""
    exchanges = [
        Exchange(Request("GET", "/a"), Response(200, (("Content-Type", "text/xml"),), one.encode()))
        for one in (text, *others)
    ]
    specimen = Specimen((exchanges[0],), **more)  # type: ignore[arg-type]
    corpus = Corpus.of_specimens([Specimen((one,)) for one in exchanges])
    facts = [fact for fact in act_facts(specimen, 0, corpus) if fact.kind.startswith("xml")]
    lines = assertion_lines(facts, "response", Layout())
    exec("\n".join(line.strip() for line in lines), {"xml": ElementTree.fromstring(text)})
    return [line.strip() for line in lines]


def test_a_small_answer_is_told_whole() -> None:
    assert asserted(REFUSED) == [
        'assert xml.attrib == {"status": "failed"}',
        'assert xml.find("error").attrib == {"code": "40"}',
        'assert xml.findtext("error") == "wrong token"',
    ]


def test_elements_of_any_namespace_are_found() -> None:
    found = asserted(REFUSED.replace("<reply ", '<reply xmlns="urn:music" '))
    assert found[1] == 'assert xml.find("{*}error").attrib == {"code": "40"}'


def test_what_changes_from_run_to_run_is_left_out() -> None:
    again = {0: (LISTED.format("soon"), LISTED.format("later"))}
    unstable = {(0, ("text",)): "changes with the clock"}
    assert asserted(LISTED.format("now"), again=again, unstable=unstable) == [
        'assert len(xml.findall("song")) == 2',
        'assert xml.findtext("song") == "Blue"',
        'assert len(xml.findall("end")) == 1',
        'assert xml.get("status") == "ok"',
    ]


def test_an_assertion_that_did_not_hold_is_left_out() -> None:
    unstable = {(0, ("xml-attributes", "error", "")): "fails"}
    assert asserted(REFUSED, unstable=unstable) == [
        'assert xml.attrib == {"status": "failed"}',
        'assert xml.findtext("error") == "wrong token"',
        'assert xml.find("error").get("code") == "40"',
    ]


@pytest.mark.parametrize("text", ["<empty/>", '<x:empty xmlns:x="urn:a"/>'])
def test_an_empty_document_is_told_by_its_root(text: str) -> None:
    assert len(asserted(text)) == 1
    assert asserted(text)[0].startswith("assert xml.tag == ")


def test_of_many_elements_those_come_first_that_no_sibling_has() -> None:
    sibling = MANY.replace('part7 size="7"', 'part7 size="0"')
    found = asserted(MANY, (sibling,))
    assert len(found) == 6
    assert 'assert xml.find("part7").attrib == {"size": "7"}' in found
