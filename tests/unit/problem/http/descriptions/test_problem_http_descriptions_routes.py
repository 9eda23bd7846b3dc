from __future__ import annotations

import functools

import flask
import pytest
from werkzeug.routing import BaseConverter

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.formats import UuidGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import FloatGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.routes import endpoints_from_url_map
from pytest_evosearch.problem.http.descriptions.routes import select_endpoints
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.segments import SegmentGene


def view(**_values: object) -> str:
    """Answer.

    More of it.
    """
    return ""


def application(*rules: str, **options: object) -> flask.Flask:
    app = flask.Flask(__name__)
    for number, rule in enumerate(rules):
        app.add_url_rule(rule, f"view{number}", view, **options)
    return app


def gene_of(rule: str) -> object:
    (endpoint,) = select_endpoints(endpoints_from_url_map(application(rule)))
    (parameter,) = endpoint.parameters
    assert parameter.key == (Location.PATH, "x")
    assert parameter.required
    return parameter.gene


@pytest.mark.parametrize(
    ("rule", "gene"),
    [
        ("/<x>", SegmentGene(1, None)),
        ("/<string(length=3):x>", SegmentGene(3, 3, current="aaa")),
        ("/<string(minlength=2,maxlength=5):x>", SegmentGene(2, 5, current="aa")),
        ("/<string(maxlength=5):x>", SegmentGene(1, 5)),
        ("/<int:x>", IntegerGene(0, None, 1)),
        ("/<int(min=5,max=9):x>", IntegerGene(5, 9, 5)),
        ("/<int(signed=True):x>", IntegerGene(None, None, 1)),
        ("/<float:x>", FloatGene(0, None, special=False, current=1.0)),
        ("/<path:x>", TextGene(1, current="a")),
        ("/<any(red, green, blue):x>", EnumGene(("blue", "green", "red"))),
        ("/<uuid:x>", UuidGene()),
    ],
)
def test_converters_become_genes(rule, gene):
    assert gene_of(rule) == gene


def test_fixed_digits_are_kept():
    gene = gene_of("/<int(fixed_digits=4):x>")
    assert isinstance(gene, RegexGene)
    assert gene.pattern == "[0-9]{4}"


def test_custom_converter_offers_its_pattern():
    class Color(BaseConverter):
        regex = "[0-9a-f]{6}"

    class Anything(BaseConverter):
        part_isolating = False
        regex = ".*?"

    app = flask.Flask(__name__)
    app.url_map.converters.update(color=Color, anything=Anything)
    app.add_url_rule("/<color:x>/<anything:y>", "paint", view)
    endpoint = select_endpoints(endpoints_from_url_map(app))[0]
    color, anything = (parameter.gene for parameter in endpoint.parameters)
    assert isinstance(color, RegexGene)
    assert color.pattern == "[0-9a-f]{6}"
    assert anything == TextGene(1, current="a")


def test_methods_come_in_a_stable_order_without_automatic_ones():
    app = application("/things/", methods=["DELETE", "POST", "GET", "PURGE"])
    keys = [endpoint.key for endpoint in select_endpoints(endpoints_from_url_map(app))]
    assert keys == ["GET /things/", "POST /things/", "DELETE /things/", "PURGE /things/"]


def test_only_automatic_methods_are_kept_when_there_are_no_others():
    app = application("/ping", methods=["HEAD"], provide_automatic_options=False)
    keys = [endpoint.key for endpoint in select_endpoints(endpoints_from_url_map(app))]
    assert keys == ["HEAD /ping"]


def test_same_template_with_other_converters_is_one_endpoint():
    app = application("/u/<int:x>", "/u/<x>")
    (endpoint,) = select_endpoints(endpoints_from_url_map(app))
    gene = endpoint.parameters[0].gene
    assert isinstance(gene, ChoiceGene)
    assert gene.alternatives == (IntegerGene(0, None, 1), SegmentGene())


def test_blueprint_summary_and_subdomain():
    app = flask.Flask(__name__, subdomain_matching=True)
    app.config["SERVER_NAME"] = "shop.test"
    blueprint = flask.Blueprint("blog", __name__)
    blueprint.add_url_rule("/posts", "index", view, subdomain="<tenant>")
    app.register_blueprint(blueprint)
    (endpoint,) = select_endpoints(endpoints_from_url_map(app))
    assert (endpoint.name, endpoint.blueprint) == ("blog.index", "blog")
    assert endpoint.summary == "Answer."
    assert endpoint.host == "www.shop.test"
    assert endpoint.parameters == ()


def test_a_name_with_dots_is_no_blueprint():
    app = flask.Flask(__name__)
    app.add_url_rule("/posts", "type.dispatch", view)
    (endpoint,) = select_endpoints(endpoints_from_url_map(app))
    assert (endpoint.name, endpoint.blueprint) == ("type.dispatch", None)


def test_selection_by_glob_name_and_blueprint():
    app = application("/api/a", "/api/b", "/other")
    blueprint = flask.Blueprint("admin", __name__)
    blueprint.add_url_rule("/admin/x", "x", view)
    app.register_blueprint(blueprint)
    found = endpoints_from_url_map(app)

    def templates(**choice: tuple[str, ...]) -> list[str]:
        return [endpoint.template for endpoint in select_endpoints(found, **choice)]

    assert templates() == ["/api/a", "/api/b", "/other", "/admin/x"]
    assert templates(only=("GET /api/*",)) == ["/api/a", "/api/b"]
    assert templates(only=("view2", "admin")) == ["/other", "/admin/x"]
    assert templates(skip=("static", "/api/*", "admin")) == ["/other"]
    assert "/static/{filename}" in templates(skip=())


def test_pattern_without_a_match_is_refused_with_a_suggestion():
    found = endpoints_from_url_map(application("/orders"))
    with pytest.raises(InvalidSetting, match="did you mean 'GET /orders'"):
        select_endpoints(found, only=("GET /order",))
    with pytest.raises(InvalidSetting, match="--evosearch-skip='order' matches no endpoint"):
        select_endpoints(found, skip=("static", "order"))


def test_a_folder_of_static_files_that_is_not_there_can_be_skipped():
    app = flask.Flask(__name__, static_folder=None)
    app.add_url_rule("/orders", "orders", view)
    assert len(select_endpoints(endpoints_from_url_map(app), skip=("static",))) == 1


def test_nested_blueprints_have_the_prefixes_and_names_of_all() -> None:
    app, outer, inner = (
        flask.Flask("x"),
        flask.Blueprint("outer", "x"),
        flask.Blueprint("inner", "x"),
    )
    inner.add_url_rule("/<int:n>", "show", lambda n: "")
    outer.register_blueprint(inner, url_prefix="/inner")
    app.register_blueprint(outer, url_prefix="/outer")

    (endpoint,) = select_endpoints(endpoints_from_url_map(app))

    assert endpoint.key == "GET /outer/inner/{n}"
    assert (endpoint.name, endpoint.blueprint) == ("outer.inner.show", "outer.inner")


def test_a_mounted_application_counts_as_a_blueprint() -> None:
    app, api = flask.Flask("x"), flask.Blueprint("api", "x")
    app.add_url_rule("/", "index", lambda: "")
    api.add_url_rule("/a", "a", lambda: "")
    app.register_blueprint(api)

    index, of_blueprint = select_endpoints(endpoints_from_url_map(app, "/back/office"))

    assert (index.key, index.blueprint) == ("GET /back/office/", "back.office")
    assert (of_blueprint.key, of_blueprint.blueprint) == ("GET /back/office/a", "api")


def test_views_know_the_texts_of_their_code_that_may_be_names() -> None:
    app = flask.Flask(__name__)

    @app.post("/orders")
    def order() -> str:
        allowed = {"title", "state"}
        changes = [name for name in flask.request.form if name in allowed and name != "no name"]
        return "done" if "size" in changes else ""

    endpoint = next(one for one in endpoints_from_url_map(app) if one.key == "POST /orders")

    assert endpoint.view is not None
    assert {"title", "state", "size"} <= set(endpoint.view.names)
    assert "no name" not in endpoint.view.names


class Desk:
    """Answers by its methods, and by itself."""

    def __call__(self) -> str:
        return "itself"

    def method(self, name: str = "") -> str:
        return f"method {name}"


@pytest.mark.parametrize(
    ("view", "function"),
    [
        (Desk().method, Desk.method),
        (Desk(), Desk.__call__),
        (functools.partial(Desk().method, name="a"), Desk.method),
    ],
    ids=["bound method", "callable object", "partial function"],
)
def test_the_code_of_views_that_are_objects_is_found(view: object, function: object) -> None:
    app = flask.Flask(__name__)
    app.add_url_rule("/desk", "desk", view)

    [endpoint] = [one for one in endpoints_from_url_map(app) if one.key == "GET /desk"]

    assert endpoint.view is not None
    assert endpoint.view.first == function.__code__.co_firstlineno
