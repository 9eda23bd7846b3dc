from __future__ import annotations

import pytest
from flask import request
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field
from pydantic import TypeAdapter
from pydantic import v1


class Line(BaseModel):
    code: str = Field(pattern="^[a-z]+$")


class Order(BaseModel):
    quantity: int = Field(ge=1, alias="Quantity")
    lines: list[Line] = []


class Own:
    pass


class Odd(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    number: int
    own: Own | None = None


class Old(v1.BaseModel):
    number: int = v1.Field(ge=3)


@pytest.mark.parametrize(
    "validate",
    [
        lambda data: Order(**data),
        lambda data: Order.model_validate(data),
        lambda data: Order.model_validate(obj=data),
        lambda _data: Order.model_validate_json(request.data),
        lambda data: TypeAdapter(Order).validate_python(data),
        lambda _data: TypeAdapter(Order).validate_json(request.get_data()),
    ],
    ids=["constructor", "validate", "keyword", "json", "adapter", "adapter-json"],
)
def test_every_way_in_is_caught(schema_of, validate):
    schema = schema_of(validate)

    assert schema["required"] == ["Quantity"]
    assert schema["properties"]["Quantity"]["minimum"] == 1
    assert schema["properties"]["lines"]["items"] == {"$ref": "#/$defs/Line"}
    assert schema["$defs"]["Line"]["properties"]["code"]["pattern"] == "^[a-z]+$"


@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20")
def test_deprecated_names_lead_to_the_same(schema_of):
    assert schema_of(Order.parse_obj)["required"] == ["Quantity"]


def test_release_1_tells_its_schema_too(schema_of):
    schema = schema_of(lambda data: Old(**data))

    assert schema["properties"]["number"] == {"title": "Number", "minimum": 3, "type": "integer"}
    assert schema["required"] == ["number"]


def test_a_field_that_has_no_schema_spoils_no_other(schema_of):
    schema = schema_of(lambda data: Odd.model_validate(data))

    assert schema["properties"]["number"] == {"type": "integer"}
    assert schema["required"] == ["number"]


def test_classes_made_meanwhile_are_ordinary(watching):
    def view():
        class Later(BaseModel):
            number: int

        assert not Later.__pydantic_custom_init__
        return Later(**request.get_json()).number

    seen = watching(view, [{"json": {"number": 4}}])

    assert seen.results == [4]
    assert list(seen.taken[0].schema["properties"]) == ["number"]
