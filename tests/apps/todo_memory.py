"""A module-level application that keeps everything in module globals."""

from __future__ import annotations

import itertools
from collections import defaultdict

from flask import Flask
from flask import abort
from flask import jsonify
from flask import request

app = Flask(__name__)

TODOS: dict[int, dict[str, str]] = {1: {"title": "seed"}}
TAGS = defaultdict(list)
visits = 0
next_id = itertools.count(2)


class Statistics:
    total = 0
    history: list[str] = []  # noqa: RUF012 - the difficulty: state on a class

    def __init__(self) -> None:
        self.seen: set[str] = set()


statistics = Statistics()


@app.get("/todos")
def list_todos():
    global visits
    visits += 1
    return jsonify(todos=TODOS, visits=visits, total=Statistics.total)


@app.post("/todos")
def create_todo():
    title = request.get_json()["title"]
    identifier = next(next_id)
    TODOS[identifier] = {"title": title}
    TAGS[title].append(identifier)
    Statistics.total += 1
    Statistics.history.append(title)
    statistics.seen.add(title)
    return jsonify(id=identifier), 201


@app.get("/todos/<int:identifier>")
def show_todo(identifier):
    if identifier not in TODOS:
        abort(404)
    return TODOS[identifier]
