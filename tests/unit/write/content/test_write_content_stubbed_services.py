"""Stubs are written with the library that a project uses, and that library understands them."""

from __future__ import annotations

import importlib
import json
from dataclasses import replace

import httpx
import pytest
import requests

from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.seen_inside import Evidence
from pytest_evosearch.problem.http.exchanges.seen_inside import Outgoing
from pytest_evosearch.sut.fixture_texts.service_stubs import Services
from pytest_evosearch.write.answers.stub_styles import OWN
from pytest_evosearch.write.answers.stub_styles import STYLES
from pytest_evosearch.write.answers.stub_styles import chosen_style
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.content.stubbed_services import needs_of
from pytest_evosearch.write.content.stubbed_services import sent_facts
from pytest_evosearch.write.content.stubbed_services import stub_statements

URL = "http://prices.internal/today"
AGENT = {"requests": "python-requests/2.34", "httpx": "python-httpx/0.28"}
CLIENTS = {"services": "requests", "requests_mock": "requests", "rsps": "requests"}
LIBRARIES = {one.fixture: one.library for one in STYLES}
JSON = (("Content-Type", "application/json"),)
XML = (("Content-Type", "text/xml"), ("X-Page", "2"))


def asked(agent, **parts):
    headers = (("User-Agent", AGENT.get(agent, agent)), *parts.pop("sent", ()))
    usual = {"answer": b'{"oats": 3}', "answer_headers": JSON, "headers": headers}
    return Outgoing(f"GET {URL}", **{"method": "GET", "url": URL, **usual, **parts})


def sent_by(client):
    return (("User-Agent", AGENT[client.__name__]),)


def step(*calls):
    return Exchange(Request("GET", "/"), Response(200), evidence=Evidence(outgoing=calls))


@pytest.fixture(params=[OWN, *STYLES], ids=lambda style: style.fixture)
def style(request):
    return request.param


@pytest.fixture
def opened(style, monkeypatch):
    """What the fixture of the style yields."""
    if style is OWN:
        found = Services()
        found.install(monkeypatch.setattr)
        yield found
        found.finish()
        return
    library = pytest.importorskip(style.library)
    makers = {"requests_mock": "Mocker", "responses": "RequestsMock", "respx": "mock"}
    with getattr(library, makers[style.library])() as found:
        yield found


@pytest.fixture
def client(style):
    """The client whose calls are answered."""
    return importlib.import_module(CLIENTS.get(style.fixture, "httpx"))


def run(lines, style, opened):
    names = {style.fixture: opened, "requests": requests, "httpx": httpx, "json": json}
    exec("\n".join(lines), names)
    return names


def calls_of(client, *parts):
    return [asked(client.__name__, **one) for one in parts]


def test_answers_come_in_their_order(style, opened, client):
    calls = calls_of(
        client,
        {"status": 503},
        {"answer": b"<a/>", "answer_headers": XML},
        {"answer": b"{}", "status": 201},
    )
    run(stub_statements([step(*calls)], 0, style), style, opened)

    found = [client.get(URL) for _ in calls]

    assert [one.status_code for one in found] == [503, 200, 201]
    assert (found[0].json(), found[1].text, found[2].json()) == ({"oats": 3}, "<a/>", {})
    assert (found[1].headers["content-type"], found[1].headers["x-page"]) == ("text/xml", "2")


@pytest.mark.parametrize("failure", ["time-out", "reset", "truncated"])
def test_a_failure_is_what_the_client_raises_with_a_real_service(style, opened, client, failure):
    of_requests = {"time-out": "ReadTimeout", "truncated": "ChunkedEncodingError"}
    of_httpx = {"time-out": "ReadTimeout", "reset": "ReadError", "truncated": "RemoteProtocolError"}
    kind = (
        getattr(httpx, of_httpx[failure])
        if client is httpx
        else getattr(requests.exceptions, of_requests.get(failure, "ConnectionError"))
    )
    run(stub_statements([step(*calls_of(client, {"failure": failure}))], 0, style), style, opened)

    with pytest.raises(kind):
        client.get(URL)


@pytest.mark.parametrize("why", ["refused", "unknown host", "time-out", "bad certificate"])
def test_a_host_out_of_reach_is_what_the_client_raises(style, opened, client, why):
    url = URL.replace("http:", "https:")
    sent = ((":method", "GET"), *sent_by(client))
    call = Outgoing("prices.internal", url=url, failure=why, headers=sent)
    first = {"requests": requests.ConnectionError, "httpx": httpx.TransportError}[client.__name__]
    specimen = Specimen((step(call, call),))
    run(stub_statements(specimen.steps, 0, style), style, opened)

    with pytest.raises(first):
        client.get(url)
    assert style.express([call])
    assert not list(sent_facts(specimen, 0, style))


def test_what_was_sent_is_asserted(style, opened, client):
    form = {"sent": (("Content-Type", "application/x-www-form-urlencoded"),), "body": b"a=1"}
    document = {"sent": JSON, "body": b'{"b": [2]}', "query": "Day=Mo"}
    calls = [replace(one, method="POST") for one in calls_of(client, form, document)]
    specimen = Specimen((step(*calls),))
    names = run(stub_statements(specimen.steps, 0, style), style, opened)

    client.post(URL, data={"a": "1"})
    client.post(f"{URL}?Day=Mo", json={"b": [2]})

    facts = list(sent_facts(specimen, 0, style))
    assert len(facts) == 3
    for fact in facts:
        assert eval(str(fact.path[0]), names) == fact.value


ONE = {
    "services": f'services.get("{URL}", json={{"oats": 3}})',
    "requests_mock": f'requests_mock.get("{URL}", json={{"oats": 3}})',
    "rsps": f'rsps.get("{URL}", json={{"oats": 3}})',
    "respx_mock": f'respx_mock.get("{URL}").respond(json={{"oats": 3}})',
}


def test_one_answer_reads_as_in_the_documentation_of_the_library(style, client):
    [call] = calls_of(client, {})

    assert stub_statements([step(call)], 0, style) == [ONE[style.fixture]]


TAKEN = {"client", "requests_mock", "respx_mock"}


WHERE = {
    "tests/test_own.py": "import {}\n",
    "requirements-test.txt": "pytest\n{}==1.2\n",
    "pyproject.toml": '[dependency-groups]\ndev = ["pytest", "{}>=1"]\n',
}


@pytest.mark.parametrize("where", WHERE)
def test_the_library_is_the_one_that_the_project_uses(style, client, where, tmp_path):
    if style.library:
        pytest.importorskip(style.library)
    path = tmp_path / where
    path.parent.mkdir(exist_ok=True)
    name = style.library or "vcr"
    path.write_text(WHERE[where].format(name if path.suffix == ".py" else name.replace("_", "-")))

    assert chosen_style([step(*calls_of(client, {}))], tmp_path, TAKEN) is style


def test_a_library_is_not_used_where_its_name_is_another_word(tmp_path):
    pytest.importorskip("responses")
    (tmp_path / "conftest.py").write_text("from http import client\n\nprint(client.responses)\n")
    (tmp_path / "pyproject.toml").write_text('description = "Reads responses of people"\n')

    assert chosen_style([step(asked("requests"))], tmp_path, TAKEN) is OWN


@pytest.mark.parametrize(
    "calls",
    [
        [asked("aiohttp/3")],
        [asked("requests", method="PROPFIND")],
        [asked("requests", status=503), asked("requests")],
        [Outgoing("prices.internal", failure="refused")],
        [],
    ],
    ids=["other client", "other method", "tried again", "host out of reach", "nothing asked"],
)
def test_our_fixture_says_what_the_library_cannot(calls, tmp_path):
    pytest.importorskip("responses")
    (tmp_path / "requirements.txt").write_text("responses==0.26\n")

    assert chosen_style([step(*calls)] if calls else [], tmp_path, TAKEN) is OWN


NEEDED = {
    "failing": asked("requests", failure="reset"),
    "looping": asked("httpx", in_loop=True),
    "searching": asked("elasticsearch-py/8.11.0 (Python/3.11.7)"),
    "unreached": Outgoing("prices.internal", failure="refused"),
    "waiting": asked("boto3", sent=(("Expect", "100-continue"),)),
}


@pytest.mark.parametrize("need", NEEDED)
def test_each_need_is_told_by_a_call(need):
    assert needs_of([step(asked("requests")), step(NEEDED[need])]) == {need}


def test_a_plain_answer_needs_nothing_else():
    assert needs_of([step(asked("requests"))]) == set()
