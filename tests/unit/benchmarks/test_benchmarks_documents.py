from __future__ import annotations

import json
import sys

import pytest
from flask import Flask

from benchmarks import measure
from benchmarks.applications import BY_NAME
from benchmarks.applications import HERE

WRITTEN = sorted(path.stem for path in (HERE / "documents").glob("*.json"))
METHODS = {"get", "put", "post", "delete", "patch"}


@pytest.fixture
def inside(monkeypatch):
    monkeypatch.syspath_prepend(str(measure.INSIDE))
    import loading
    import schemathesis_session

    return loading, schemathesis_session


@pytest.fixture
def create(inside, monkeypatch, tmp_path):
    """Return a function that makes an application of the folder `apps`, without its files."""
    loading, _session = inside
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)

    def make(name):
        monkeypatch.syspath_prepend(str(BY_NAME[name].project))
        creation = BY_NAME[name].creation.replace("created.sqlite", str(tmp_path / "file"))
        return loading.load(creation)

    yield make
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in WRITTEN:
            del sys.modules[name]


def operations(document):
    for template, path in document["paths"].items():
        for method in METHODS & set(path):
            yield template, method, path[method]


def references(value):
    """Yield what is referred to anywhere in a document."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from references(each)


def test_the_applications_without_a_document_have_a_written_one():
    assert WRITTEN == ["ncs", "news", "scs", "shop"]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_document_names_the_routes_of_its_application(name, inside, create):
    loading, session = inside

    def described(document):
        return {
            (template, method, each["name"])
            for template, method, operation in operations(document)
            for each in [{"name": None}, *operation.get("parameters", [])]
            if each.get("in") in (None, "path")
        }

    generated = session.generated_document(create(name))
    assert described(loading.written_document(name)) == described(generated)


@pytest.mark.parametrize("name", WRITTEN)
def test_references_and_links_lead_somewhere(name, inside):
    document = inside[0].written_document(name)
    identifiers = [operation["operationId"] for _path, _method, operation in operations(document)]
    links = {
        link["operationId"]
        for _path, _method, operation in operations(document)
        for response in operation["responses"].values()
        for link in response.get("links", {}).values()
    }

    assert len(set(identifiers)) == len(identifiers)
    assert links <= set(identifiers)
    for reference in references(document):
        _hash, components, kind, key = reference.split("/")
        assert key in document[components][kind]


def test_the_countries_of_the_news_are_those_that_it_accepts(inside, create):
    countries = create("news").test_client().get("/countries").json

    document = inside[0].written_document("news")
    assert document["components"]["schemas"]["Country"]["enum"] == countries


@pytest.fixture
def app():
    return Flask("other")


@pytest.mark.parametrize(
    ("name", "kind", "served", "origin"),
    [
        ("ncs", "served", True, "served"),
        ("ncs", "served", False, "written"),
        ("ncs", "generated", True, "routes"),
        ("other", "served", False, "routes"),
    ],
)
def test_what_is_served_comes_before_what_is_written(app, inside, name, kind, served, origin):
    loading, session = inside
    if served:
        app.add_url_rule("/openapi.json", "document", lambda: {"openapi": "3.0.0", "paths": {}})
    documents = {
        "served": {"openapi": "3.0.0", "paths": {}},
        "written": loading.written_document("ncs"),
        "routes": session.generated_document(app),
    }

    assert session.choose_document(app, name, kind, {}) == (origin, documents[origin])


def test_the_users_of_the_shop_are_let_in(inside, create):
    from credentials import Credentials

    app = create("shop")
    app.wsgi_app = Credentials(app.wsgi_app, inside[0].users("shop"))
    client = app.test_client()

    assert client.get("/api/accounts/me").json["adult"] is True
    assert client.get("/api/reports/sales").status_code == 200
    assert client.delete("/api/accounts/me").status_code == 204
    assert client.delete("/api/accounts/sessions").status_code == 204
    answers = [client.get("/api/accounts/me").status_code for _ in range(20)]
    assert (answers[0], answers[-1]) == (401, 200)


def test_documents_hold_no_key_of_the_administration(inside):
    assert "change-me" not in json.dumps(inside[0].written_document("shop"))
