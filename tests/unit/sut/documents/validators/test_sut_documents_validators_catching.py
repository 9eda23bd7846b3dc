from __future__ import annotations

import jsonschema
import marshmallow
import pydantic
import pytest
from flask import request
from marshmallow import fields

from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.sut.documents.validators import catching
from pytest_evosearch.sut.documents.validators.catching import MOST_LOOKS
from pytest_evosearch.sut.documents.validators.catching import MOST_SCHEMAS
from pytest_evosearch.sut.documents.validators.catching import ValidatorWatch


class Model(pydantic.BaseModel):
    number: int
    text: str = ""


class Preset(pydantic.BaseModel):
    text: str = "preset"


class Pair(marshmallow.Schema):
    number = fields.Integer()
    text = fields.String()


@pytest.mark.parametrize(
    ("view", "sent", "place"),
    [
        (lambda: Model(**request.json), {"json": {"number": 1}}, ("json", ())),
        (lambda: Model(**request.json["in"]), {"json": {"in": {"number": 1}}}, ("json", ("in",))),
        (lambda: Model(**request.json["in"]), {"json": {"in": {}}}, None),
        (
            lambda: [Model(**each) for each in request.json],
            {"json": [{"number": 1}, {"number": 2}]},
            ("json", (0,)),
        ),
        (lambda: Pair().load(request.json["in"]), {"json": {"in": {}}}, ("json", ("in",))),
        (
            lambda: Model(number=request.json["number"]),
            {"json": {"number": 1, "x": 2}},
            ("json", ()),
        ),
        (lambda: Model(**request.args), {"query_string": "number=1"}, ("query", ())),
        (lambda: Model(**request.args.to_dict()), {"query_string": "text=a"}, ("query", ())),
        (
            lambda: Model(number=int(request.args["number"])),
            {"query_string": "number=1"},
            ("query", ()),
        ),
        (lambda: Model(**request.form), {"data": {"number": "1"}}, ("form", ())),
        (lambda: Model(**request.form.to_dict()), {"data": {}}, ("form", ())),
        (lambda: Pair().load(request.form), {"data": {}}, ("form", ())),
        (lambda: Pair().load(request.values), {"query_string": "number=1"}, ("form", ())),
        (lambda: Pair().load(request.headers), {}, ("header", ())),
        (lambda: Pair().load(request.cookies), {}, ("cookie", ())),
        (lambda: Model(number=7), {"json": {"number": 8}}, None),
        (lambda: request.json and Model(number=7), {"json": {"number": 8}}, None),
        (lambda: request.json or Preset(), {"json": {}}, None),
        (lambda: Model(number=1), {"json": {"number": 1}}, None),
    ],
)
def test_where_validated_data_come_from(watching, view, sent, place):
    seen = watching(view, [sent])

    assert [(caught.location, caught.path) for caught in seen.taken[:1]] == (
        [] if place is None else [place]
    )
    assert seen.watch.notices == []


def test_names_that_the_handler_adds_are_no_parameters(watching):
    seen = watching(lambda: Model(**request.json, text="mine"), [{"json": {"number": 1}}])

    (caught,) = seen.taken
    assert list(caught.schema["properties"]) == ["number"]
    assert caught.schema["required"] == ["number"]


def test_what_is_known_is_told_again_as_the_same_object(app_with):
    client, watch = app_with(lambda: Pair().load(request.get_json()) and "")

    def ask():
        watch.begin("POST /")
        client.post("/", json={"number": 1})
        return watch.take()

    first = ask()
    assert len(first) == 1
    assert ask() is first


def test_validators_outside_of_requests_are_left_alone():
    watch = ValidatorWatch()
    with watch.installed():
        Model(number=1)
        watch.begin("POST /")
        Model(number=1)
        assert watch.take() == ()


def test_results_and_errors_are_those_of_the_library(watching):
    def view():
        return Model(**request.json)

    seen = watching(view, [{"json": {"number": 3}}, {"json": {"number": "x"}}])

    assert seen.results == [Model(number=3)]
    with pytest.raises(pydantic.ValidationError) as plain:
        Model(number="x")
    assert str(seen.errors[0]) == str(plain.value)


def test_everything_is_put_back():
    members = [
        (marshmallow.Schema, "_do_load"),
        (pydantic.BaseModel, "__init__"),
        (pydantic.BaseModel, "model_validate"),
        (jsonschema.Draft7Validator, "iter_errors"),
    ]
    before = [vars(owner)[name] for owner, name in members]
    with ValidatorWatch().installed():
        assert all(
            vars(owner)[name] is not known
            for (owner, name), known in zip(members, before, strict=True)
        )

    assert [vars(owner)[name] for owner, name in members] == before


def test_a_reader_that_fails_costs_a_notice(watching):
    class Broken(marshmallow.Schema):
        number = fields.Integer()

        @property
        def load_fields(self):
            raise RuntimeError("no luck")

        @load_fields.setter
        def load_fields(self, value):
            vars(self)["kept"] = value

    def view():
        Broken()._do_load  # noqa: B018 - it exists
        try:
            Broken().load(request.json)
        except RuntimeError:
            return "the library's own look"

    seen = watching(view, [{"json": {}}] * 2)

    assert seen.errors == []
    assert seen.watch.notices == [
        "a validator of marshmallow.schema could not be read (RuntimeError: no luck)"
    ]


def test_a_library_of_another_shape_costs_a_notice(monkeypatch):
    monkeypatch.setattr(catching, "hooks_of", lambda library: [][0])
    watch = ValidatorWatch()
    with watch.installed():
        Model(number=1)

    assert "pydantic.main is not watched (IndexError: list index out of range)" in watch.notices


def test_libraries_that_are_imported_later_are_watched(monkeypatch, watching):
    import sys

    library = sys.modules["jsonschema.validators"]
    schema = jsonschema.Draft7Validator({"type": "object"})

    def view():
        if "jsonschema.validators" in sys.modules:
            return schema.validate(request.json)
        monkeypatch.setitem(sys.modules, "jsonschema.validators", library)
        monkeypatch.setitem(sys.modules, "another", library)
        return None

    monkeypatch.delitem(sys.modules, "jsonschema.validators")
    seen = watching(view, [{"json": {}}] * 2)

    assert len(seen.taken) == 1


def test_classes_that_never_hold_input_are_not_looked_up_for_ever(watching, monkeypatch):
    looks = []
    place_of = catching.place_of

    def counting(data, sent):
        looks.append(data)
        return place_of(data, sent)

    monkeypatch.setattr(catching, "place_of", counting)

    def view():
        for number in range(1000, 1000 + 2 * MOST_LOOKS):
            Model(number=number)

    seen = watching(view, [{"json": {"number": 1}}])

    assert len(looks) == MOST_LOOKS
    assert seen.taken == ()


def test_schemas_that_are_made_in_every_call_are_caught_once(watching):
    def view():
        jsonschema.Draft7Validator({"type": "object"}).validate(request.json)

    seen = watching(view, [{"json": {"a": 1}}] * (MOST_SCHEMAS + 5))

    assert len(seen.taken) == 1


def test_tracebacks_of_crashes_do_not_show_the_watch(watching):
    seen = watching(lambda: Model(**request.json), [{"json": {"number": "x"}}])

    shown = describe_crash(seen.errors[0], lambda _filename: None).traceback

    assert "pydantic" in shown
    assert "validators/catching.py" not in shown
