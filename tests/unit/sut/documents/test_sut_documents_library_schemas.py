"""What libraries know of an API is found, whether they serve it or not.

The applications in `tests/apps/described` all say the same about ``POST /books/{number}``.
"""

from __future__ import annotations

import pytest

from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import SuggestedGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.problem.http.descriptions.routes import endpoints_from_url_map
from pytest_evosearch.problem.http.descriptions.schema import described_endpoints
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.sut.asgi import connexion_application
from pytest_evosearch.sut.asgi import put_front
from pytest_evosearch.sut.documents.openapi_source import find_documents

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries, when they are imported

LIBRARIES = [
    ("restx", "flask_restx"),
    ("smorest", "flask_smorest"),
    ("api_flask", "apiflask"),
    ("api_fairy", "apifairy"),
    ("openapi3", "flask_openapi3"),
    ("spec_tree", "spectree"),
    ("flasgger_texts", "flasgger"),
]


@pytest.fixture
def endpoints(load, tmp_path):
    """Return the endpoints of one of the small applications, by key."""

    def describe(name, library):
        pytest.importorskip(library)
        module = load(f"described.{name}")
        connexion = connexion_application(getattr(module, "application", None))
        app = module.app if connexion is None else put_front(connexion)
        found = find_documents(app, tmp_path, app.test_client(), None)
        documents = [one.document for one in found]
        described = described_endpoints(endpoints_from_url_map(app), documents)
        assert described.notices == []
        return {endpoint.key: endpoint for endpoint in described.endpoints}

    return describe


def required(endpoint: Endpoint) -> dict[str, bool]:
    return {f"{one.location.value} {one.name}": one.required for one in endpoint.parameters}


def gene_of(endpoint: Endpoint, name: str):
    (gene,) = (
        one.gene for one in endpoint.parameters if f"{one.location.value} {one.name}" == name
    )
    return plain(gene)


def plain(gene):
    while isinstance(gene, (SuggestedGene, OptionalGene)):
        gene = gene.gene
    return gene


def assert_book(body):
    assert [
        (field.name, field.required) for field in sorted(body.fields, key=lambda f: f.name)
    ] == [
        ("code", False),
        ("kind", False),
        ("title", True),
    ]
    title = plain(body.field("title").gene)
    assert (title.minimum_length, title.maximum_length) == (2, 30)
    kind = plain(body.field("kind").gene)
    assert isinstance(kind, EnumGene)
    assert kind.options == ("a", "b")
    assert plain(body.field("code").gene).pattern == "^[A-Z]{3}$"


@pytest.mark.parametrize(("name", "library"), LIBRARIES, ids=[name for name, _ in LIBRARIES])
def test_libraries_describe_their_endpoints(endpoints, name, library) -> None:
    assert_described(endpoints(name, library)["POST /books/{number}"])


def assert_described(endpoint: Endpoint) -> None:
    wanted = required(endpoint)
    del wanted["json "]  # not everybody says whether there must be a body
    assert wanted == {"path number": True, "query page": False, "header X-Token": True}
    page = gene_of(endpoint, "query page")
    assert (page.minimum, page.maximum) == (1, 9)
    assert_book(gene_of(endpoint, "json "))


def test_connexion_knows_each_api_below_its_path(endpoints) -> None:
    found = endpoints("connexion_twice", "connexion")
    assert_described(found["POST /v1/books/{number}"])
    assert_described(found["POST /v2/books/{number}"])


def test_flask_appbuilder_describes_models_and_own_methods(endpoints) -> None:
    found = endpoints("app_builder", "flask_appbuilder")
    contact = gene_of(found["POST /api/v1/contact/"], "json ")
    assert plain(contact.field("name").gene).maximum_length == 150
    assert contact.field("name").required
    listing = gene_of(found["GET /api/v1/contact/"], "query q")
    assert isinstance(listing, EncodedGene)
    assert "order_direction" in listing.value()
    assert required(found["GET /api/v1/own/greet"]) == {"query loud": False}


def test_every_api_of_flask_restx_counts(endpoints) -> None:
    found = endpoints("restx_twice", "flask_restx")
    assert required(found["GET /one/"]) == {"query page": False}
    assert required(found["GET /two/"]) == {"query colour": True}


def test_flasgger_reads_files_dicts_and_templates(endpoints) -> None:
    found = endpoints("flasgger_texts", "flasgger")
    assert gene_of(found["DELETE /books/{number}"], "query reason").maximum_length == 9
    assert required(found["GET /books"]) == {"query q": True}
    assert required(found["GET /shelves"]) == {"query row": False}
