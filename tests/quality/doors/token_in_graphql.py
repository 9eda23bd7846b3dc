"""A log-in by GraphQL whose token is an argument of the queries, under a name of its own."""

from __future__ import annotations

from uuid import uuid4

from flask import Flask
from flask import jsonify
from flask import request
from graphql import GraphQLError
from graphql import build_schema
from graphql import graphql_sync

SCHEMA = """
type Pass { accessToken: String! }
type Ledger { page: Int! total: Int! }
type Query { banner: String!  ledger(token: String!, page: Int = 1): Ledger }
type Mutation { enter(clerk: String!, phrase: String!): Pass }
"""


def create_app():
    app = Flask(__name__)
    app.clerks = {"odile": "Finch" + "4" * 6}
    passes, schema = {}, build_schema(SCHEMA)

    def enter(_info, clerk, phrase):
        if app.clerks.get(clerk) != phrase:
            raise GraphQLError("who are you?")
        token = uuid4().hex
        passes[token] = {"clerk": clerk, "totals": [3] * 40}
        return {"accessToken": token}

    def ledger(_info, token, page):
        if passes.get(token) is None:
            raise GraphQLError("no such token")
        return {"page": page, "total": passes[token]["totals"][page]}  # goal

    root = {"banner": "welcome", "enter": enter, "ledger": ledger}

    @app.post("/graphql")
    def serve():
        asked = request.get_json()
        values = asked.get("variables")
        return jsonify(graphql_sync(schema, asked["query"], root, variable_values=values).formatted)

    return app
