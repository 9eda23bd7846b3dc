from __future__ import annotations

import json

import pytest
from flask import Flask
from flask import request

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.sut.documents.openapi_source import find_documents

DOCUMENT = {"openapi": "3.0.0", "paths": {}}


def find_schema(app, root, client, given):
    """Return the first document and where it comes from."""
    found = find_documents(app, root, client, given)
    return (found[0].document, found[0].description) if found else (None, "none")


@pytest.fixture
def bare():
    return Flask(__name__)


def test_a_served_document_is_found_among_pages(load, tmp_path):
    app = load("documented").app
    document, description = find_schema(app, tmp_path, app.test_client(), None)
    assert document["info"]["title"] == "documented"
    assert description == "served at /v2/openapi.json"


@pytest.mark.parametrize(
    "name",
    ["openapi.json", "docs/swagger.yaml", "contracts/v1/openapi.yml", "shop/api/swagger.json"],
)
def test_documents_in_files(bare, tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(DOCUMENT) if name.endswith("json") else "openapi: 3.0.0\npaths: {}")
    document, description = find_schema(bare, tmp_path, bare.test_client(), None)
    assert document == DOCUMENT
    assert description == f"file {name}"


@pytest.mark.parametrize("name", ["tests/openapi.json", "env/openapi.json", "a/b/c/openapi.json"])
def test_files_of_tests_environments_and_deep_folders_are_left_alone(bare, tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(DOCUMENT))
    (tmp_path / "env").mkdir(exist_ok=True)
    (tmp_path / "env/pyvenv.cfg").write_text("")
    assert find_schema(bare, tmp_path, bare.test_client(), None) == (None, "none")


def test_a_document_attached_to_the_application(bare, tmp_path):
    bare.spec = DOCUMENT
    assert find_schema(bare, tmp_path, bare.test_client(), None) == (DOCUMENT, "app.spec")


def test_a_library_that_cannot_describe_itself_is_passed_over(bare, tmp_path):
    class Api:
        @property
        def __schema__(self):
            raise RuntimeError("broken model")

    bare.extensions["restx"] = Api()
    assert find_documents(bare, tmp_path, bare.test_client(), None) == []


def document_of(path, **more):
    return {"openapi": "3.0.0", "paths": {path: {"get": {}}}, **more}


def serve(app, path, document):
    app.add_url_rule(path, path, lambda: document)


def test_every_document_that_says_something_new_is_found(bare, tmp_path):
    """Two APIs have two documents; the second way to the same document says nothing new."""
    serve(bare, "/one/openapi.json", document_of("/books"))
    serve(bare, "/one/again/openapi.json", document_of("/books"))
    serve(bare, "/two/openapi.json", document_of("/books", servers=[{"url": "/two"}]))
    bare.spec = document_of("/pens")

    found = find_documents(bare, tmp_path, bare.test_client(), None)

    assert [one.description for one in found] == [
        "served at /one/openapi.json",
        "served at /two/openapi.json",
        "app.spec",
    ]


def test_the_same_in_yaml_is_not_asked_for(bare, tmp_path):
    asked = []
    bare.before_request(lambda: asked.append(request.path))
    serve(bare, "/openapi.json", DOCUMENT)
    serve(bare, "/openapi.yaml", DOCUMENT)
    serve(bare, "/openapi.yml", DOCUMENT)

    find_documents(bare, tmp_path, bare.test_client(), None)

    assert asked == ["/openapi.json"]


def test_files_count_where_the_application_says_nothing(bare, tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(document_of("/stale")))
    serve(bare, "/openapi.json", document_of("/books"))
    assert len(find_documents(bare, tmp_path, bare.test_client(), None)) == 1


def test_a_given_route_or_file_wins(load, tmp_path):
    app = load("documented").app
    (tmp_path / "mine.yaml").write_text("swagger: '2.0'")
    client = app.test_client()

    assert find_schema(app, tmp_path, client, "mine.yaml") == ({"swagger": "2.0"}, "file mine.yaml")
    assert find_schema(app, tmp_path, client, "/v2/openapi.json")[1] == "route /v2/openapi.json"


@pytest.mark.parametrize(
    ("given", "phrase"),
    [
        ("absent.json", "no such file"),
        ("broken.json", "neither JSON nor YAML"),
        ("/absent", "the route answers 404"),
        ("/apidocs", "the route serves something else"),
    ],
)
def test_what_was_given_must_be_readable(load, tmp_path, given, phrase):
    app = load("documented").app
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InvalidSetting, match=phrase) as caught:
        find_schema(app, tmp_path, app.test_client(), given)
    assert "\n" not in str(caught.value)
