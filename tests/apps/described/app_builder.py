"""Flask-AppBuilder: an API of a model, one of its own, and a view with a form."""

from __future__ import annotations

from flask import Flask
from flask_appbuilder import AppBuilder
from flask_appbuilder import Model
from flask_appbuilder import ModelRestApi
from flask_appbuilder import expose
from flask_appbuilder.api import BaseApi
from flask_appbuilder.models.sqla.base import SQLA
from flask_appbuilder.models.sqla.interface import SQLAInterface
from sqlalchemy import Column
from sqlalchemy import Integer
from sqlalchemy import String

app = Flask(__name__)
app.config.update(SECRET_KEY="dev", SQLALCHEMY_DATABASE_URI="sqlite://")
db = SQLA(metadata=Model.metadata)


class Contact(Model):
    __tablename__ = "contact"
    id = Column(Integer, primary_key=True)
    name = Column(String(150), nullable=False)


class ContactApi(ModelRestApi):
    resource_name = "contact"
    datamodel = SQLAInterface(Contact)


class OwnApi(BaseApi):
    resource_name = "own"

    @expose("/greet")
    def greet(self):
        """Greet somebody.
        ---
        get:
          parameters:
          - {name: loud, in: query, schema: {type: boolean}}
          responses: {200: {description: greeted}}
        """
        return self.response(200)


with app.app_context():
    db.init_app(app)
    builder = AppBuilder(app, db.session)
    db.create_all()
    builder.add_api(ContactApi)
    builder.add_api(OwnApi)
