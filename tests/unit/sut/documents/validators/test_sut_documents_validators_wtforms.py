from __future__ import annotations

import pytest
import wtforms
from flask import request
from flask_wtf import FlaskForm
from flask_wtf.file import FileField
from flask_wtf.file import FileRequired
from wtforms import validators


class Address(wtforms.Form):
    street = wtforms.StringField(validators=[validators.Length(max=30)])


class Plain(wtforms.Form):
    address = wtforms.FormField(Address)
    tags = wtforms.FieldList(wtforms.StringField(), min_entries=2)
    role = wtforms.SelectField(choices=["reader", "writer"])


@pytest.fixture
def field_schema(watching):
    """Return the schema of one field of a Flask-WTF form, and whether it is required."""

    def catch(field):
        class One(FlaskForm):
            class Meta:
                csrf = False

            it = field

        seen = watching(lambda: One().validate_on_submit(), [{}])
        assert seen.watch.notices == []
        (caught,) = seen.taken
        assert caught.location == "form"
        return caught.schema["properties"]["it"], "required" in caught.schema

    return catch


# Pairs are what applications have; WTForms 3.3 would rather see classes of its own.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("field", "schema"),
    [
        (wtforms.StringField(), {"type": "string"}),
        (wtforms.TextAreaField(), {"type": "string"}),
        (wtforms.IntegerField(), {"type": "integer"}),
        (
            wtforms.FloatField(validators=[validators.NumberRange(max=3)]),
            {"type": "number", "maximum": 3},
        ),
        (wtforms.BooleanField(), {"enum": ["y"]}),
        (wtforms.SelectField(choices=[(1, "one"), (2, "two")], coerce=int), {"enum": ["1", "2"]}),
        (wtforms.SelectField(choices={"g": [("a", "A")], "h": [("b", "B")]}), {"enum": ["a", "b"]}),
        (wtforms.SelectField(validate_choice=False), {"type": "string"}),
        (
            wtforms.SelectMultipleField(choices=["x", "y"]),
            {"type": "array", "items": {"enum": ["x", "y"]}},
        ),
        (wtforms.RadioField(choices=["x", "y"]), {"enum": ["x", "y"]}),
        (
            wtforms.DateField(format="%d/%m/%Y"),
            {"type": "string", "format": "date", "x-layout": "%d/%m/%Y"},
        ),
        (wtforms.TimeField(), {"type": "string", "format": "time", "x-layout": "%H:%M"}),
        (
            wtforms.StringField(validators=[validators.Length(min=3), validators.Regexp("a")]),
            {"type": "string", "minLength": 3, "pattern": "^(?:a)"},
        ),
        (
            wtforms.StringField(validators=[validators.AnyOf(["p", "q"])]),
            {"type": "string", "enum": ["p", "q"]},
        ),
        (
            wtforms.StringField(validators=[validators.Email(), validators.Optional()]),
            {"type": "string", "format": "email"},
        ),
    ],
)
def test_fields_and_their_validators(field_schema, field, schema):
    assert field_schema(field) == (schema, False)


@pytest.mark.parametrize("validator", [validators.DataRequired(), validators.InputRequired()])
def test_required_fields(field_schema, validator):
    assert field_schema(wtforms.StringField(validators=[validator]))[1]


def test_uploads(field_schema):
    upload = FileField(validators=[FileRequired()])

    assert field_schema(upload) == ({"type": "string", "format": "binary"}, True)


def test_names_of_inner_forms_and_lists(watching):
    seen = watching(lambda: Plain(request.form).validate(), [{"data": {"role": "reader"}}])

    (caught,) = seen.taken
    assert list(caught.schema["properties"]) == ["address-street", "tags-0", "tags-1", "role"]


def test_where_a_form_takes_its_data_from(watching):
    seen = watching(lambda: Plain(request.args).validate(), [{}], method="GET")

    assert [caught.location for caught in seen.taken] == ["query"]


def test_two_fields_that_have_to_be_equal_share_their_limits(watching):
    class Twice(wtforms.Form):
        secret = wtforms.PasswordField(validators=[validators.Length(min=8)])
        again = wtforms.PasswordField(validators=[validators.EqualTo("secret")])

    (caught,) = watching(lambda: Twice(request.form).validate(), [{}]).taken

    assert caught.schema["properties"]["again"] == caught.schema["properties"]["secret"]


def test_choices_that_change_are_caught_again(watching):
    given = iter((["a"], ["a"], ["a", "b"]))

    def view():
        form = Plain(request.form)
        form.role.choices = next(given)
        return form.validate()

    seen = watching(view, [{"data": {"role": "a"}}] * 3)

    assert [caught.schema["properties"]["role"] for caught in seen.taken] == [
        {"enum": ["a"]},
        {"enum": ["a", "b"]},
    ]


def test_tokens_are_left_to_the_pages(watching):
    class Guarded(FlaskForm):
        class Meta:
            csrf = True
            csrf_secret = b"secret"

        name = wtforms.StringField()

    (caught,) = watching(lambda: Guarded().validate_on_submit(), [{}]).taken

    assert list(caught.schema["properties"]) == ["name"]
