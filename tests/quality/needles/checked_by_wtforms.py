"""A registration that a form checks; no page shows the form."""

from __future__ import annotations

from flask import Flask
from flask import request
from wtforms import BooleanField
from wtforms import DateField
from wtforms import Form
from wtforms import IntegerField
from wtforms import PasswordField
from wtforms import SelectField
from wtforms import StringField
from wtforms import validators


class RegistrationForm(Form):
    name = StringField(validators=[validators.DataRequired(), validators.Length(6, 20)])
    plate = StringField(
        validators=[validators.DataRequired(), validators.Regexp(r"[A-Z]{2}\d{3}$")]
    )
    secret = PasswordField(validators=[validators.DataRequired(), validators.Length(min=10)])
    confirmed = PasswordField(validators=[validators.EqualTo("secret")])
    seats = IntegerField(validators=[validators.InputRequired(), validators.NumberRange(40, 60)])
    since = DateField(format="%d/%m/%Y", validators=[validators.DataRequired()])
    depot = SelectField()
    terms = BooleanField(validators=[validators.DataRequired()])


def create_app():
    app = Flask(__name__)

    @app.post("/coaches")
    def register():
        form = RegistrationForm(request.form)
        form.depot.choices = ["depot-4711", "depot-4712"]
        if not form.validate():
            return {"errors": form.errors}, 400
        if form.depot.data == "depot-4712":
            return {"depot": "south"}, 201  # goal
        return {"depot": "north"}, 201

    return app
