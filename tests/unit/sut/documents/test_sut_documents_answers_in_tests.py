"""Answers of services in the project's own tests are found."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.documents.answers_in_tests import answers_in_tests

TODAY = "http://prices/today"
STUBS = {
    "responses": f'responses.add(responses.POST, "{TODAY}", json={{"oats": 3}})',
    "a function of its method": f'responses.post(url="{TODAY}?a=1", body=\'{{"oats": 3}}\')',
    "requests-mock": f'requests_mock.post("{TODAY}", text=\'{{"oats": 3}}\', status_code=201)',
    "respx": f'respx.post("{TODAY}").mock(return_value=Response(200, json={{"oats": 3}}))',
    "pytest-httpx": f'httpx_mock.add_response(url="{TODAY}", method="POST", json={{"oats": 3}})',
}


@pytest.mark.parametrize("library", STUBS)
def test_a_stub_tells_the_document_of_a_call(library, tmp_path):
    (tmp_path / "test_prices.py").write_text(f"def test_it(a):\n    {STUBS[library]}\n")

    assert answers_in_tests(tmp_path) == {f"POST {TODAY}": {"oats": 3}}


def test_a_cassette_tells_its_answers(tmp_path):
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "cassettes" / "a.yaml").write_text(
        "interactions:\n- request: {method: GET, uri: 'http://prices/17?x=1'}\n"
        "  response: {body: {string: '{\"oats\": 3}'}}\n"
    )
    (tmp_path / "cassettes" / "b.yaml").write_text("broken: [")

    assert answers_in_tests(tmp_path) == {"GET http://prices/{}": {"oats": 3}}


def test_what_tells_no_document_and_what_was_written_by_a_search_is_left_out(tmp_path):
    (tmp_path / "test_prices.py").write_text(
        f'def test_it(a):\n    a.get("{TODAY}", text="oats", json=a)\n    a.get("/b", json={{}})\n'
    )
    (tmp_path / "test_evosearch_a.py").write_text(f'a.get("{TODAY}", json={{"oats": 3}})\n')

    assert answers_in_tests(tmp_path) == {}
