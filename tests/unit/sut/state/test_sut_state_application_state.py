from __future__ import annotations

import itertools
import sys
from types import ModuleType

import pytest
from flask import Flask

from pytest_evosearch.sut.fixture_texts.state_text import ABSENT
from pytest_evosearch.sut.fixture_texts.state_text import application_fixture
from pytest_evosearch.sut.state.application_state import HELD
from pytest_evosearch.sut.state.application_state import functions_of
from pytest_evosearch.sut.state.application_state import holders_of
from pytest_evosearch.sut.state.globals_state import GlobalsKeeper

SOURCE = """
from flask import Blueprint, Flask

class Store:
    def __init__(self):
        self.things = []

    def count(self):
        self.things.append("seen")

def create_app():
    app = Flask(__name__)
    app.store, app.total, app.by_name = Store(), 0, {}
    app.extensions["limits"] = Store()
    app.limits = app.extensions["limits"]
    hits = {}

    def hit():
        hits["all"] = hits.get("all", 0) + 1
        return None

    app.hits = lambda: hits
    app.before_request(hit)
    counted = Store()
    app.after_request(lambda response: counted.count() or response)
    app.counted = lambda: counted
    shelf = Blueprint("shelf", __name__)
    shelf.boxes = []
    app.register_blueprint(shelf)
    return app
"""


@pytest.fixture
def shop(monkeypatch):
    """A module of an own project, whose factory hangs everything at the application."""
    module = ModuleType("shop_with_state")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(SOURCE, vars(module))
    return module


@pytest.fixture
def kept(shop):
    """The application, and what keeps its state."""
    app = shop.create_app()
    keeper = GlobalsKeeper([shop], functions_of(app), holders=holders_of(app))
    keeper.snapshot()
    return app, keeper


def change(app: Flask) -> None:
    app.store.things.append("pen")
    app.total += 1
    app.by_name["pen"] = 1
    app.limits.things.append("x")
    app.blueprints["shelf"].boxes.append("y")
    app.added = ["z"]
    app.test_client().get("/")


def test_what_hangs_at_the_application_comes_back(kept) -> None:
    app, keeper = kept
    store, by_name = app.store, app.by_name

    change(app)
    keeper.restore()

    assert app.store is store
    assert app.by_name is by_name
    assert (store.things, app.total, by_name, app.limits.things) == ([], 0, {}, [])
    assert app.blueprints["shelf"].boxes == []
    assert not hasattr(app, "added")


def test_what_hooks_hold_comes_back(kept) -> None:
    app, keeper = kept

    app.test_client().get("/")
    assert (app.hits(), app.counted().things) == ({"all": 1}, ["seen"])
    keeper.restore()

    assert (app.hits(), app.counted().things) == ({}, [])


def test_what_flask_makes_when_it_is_needed_stays(kept) -> None:
    app, keeper = kept

    environment = app.jinja_env
    app.test_client().get("/")
    keeper.restore()

    assert app.jinja_env is environment
    assert vars(app)["_got_first_request"]


def test_places_that_changed_are_named_for_the_written_tests(kept) -> None:
    app, keeper = kept

    change(app)
    keeper.restore()

    found = keeper.changed_at_application()
    assert {"store", "total", "by_name", "added"} <= found.keys()
    assert found["store"] is app.store
    assert found["added"] is ABSENT
    assert 'blueprints["shelf"].boxes' in found
    assert not [place for place in keeper.changed_places() if "application" in place]


def test_written_fixture_brings_it_back(kept) -> None:
    app, keeper = kept
    change(app)
    keeper.restore()
    source = application_fixture("client", keeper.changed_at_application())
    names = {"pytest": pytest}
    exec(str(source).replace("@pytest.fixture(autouse=True)\n", ""), names)

    running = names["restored_application"](app.test_client())
    next(running)
    change(app)
    next(running, None)

    assert (app.store.things, app.total, app.by_name, app.limits.things) == ([], 0, {}, [])
    assert app.blueprints["shelf"].boxes == []
    assert not hasattr(app, "added")


def test_something_else_than_flask_has_no_holders() -> None:
    assert holders_of(object()) == []
    assert [one.place for one in holders_of(Flask("plain"))] == [HELD, f"{HELD}extensions"]


def test_places_that_a_fork_had_to_bring_back_are_named_as_well(shop) -> None:
    app = shop.create_app()
    keeper = GlobalsKeeper([shop], functions_of(app), holders=holders_of(app))
    keeper.snapshot()

    keeper.note_changed(["shop_with_state.TOTAL", "<application>.store"])

    assert keeper.changed_places() == ["shop_with_state.TOTAL"]
    assert keeper.changed_at_application() == {"store": app.store}


IN_CLOSURES = """
import random
from functools import wraps
from itertools import count

from flask import Flask

def counted(function):
    calls = {}

    @wraps(function)
    def counting():
        calls["all"] = calls.get("all", 0) + 1
        return {**function(), "calls": calls["all"]}

    return counting

def create_app():
    app = Flask(__name__)
    drawn, numbers, visits, last = random.Random(5), count(1), [], None

    def number():
        return next(numbers)

    @app.get("/")
    @counted
    def index():
        nonlocal last
        before, last = last, drawn.random()
        visits.append(last)
        return {"last": before, "drawn": last, "number": number(), "visits": visits}

    @app.errorhandler(LookupError)
    def missing(error):
        return {}, 404

    return app
"""


@pytest.fixture
def kept_in_closures(shop):
    """An application whose state is in closures alone, and what keeps it."""
    exec(IN_CLOSURES, vars(shop))
    app = shop.create_app()
    keeper = GlobalsKeeper([shop], functions_of(app), holders=holders_of(app))
    keeper.snapshot()
    return app, keeper


def test_closures_of_views_and_their_decorators_come_back(kept_in_closures) -> None:
    app, keeper = kept_in_closures

    first = app.test_client().get("/").json
    keeper.restore()

    assert app.test_client().get("/").json == first


def test_written_fixture_brings_closures_back(kept_in_closures) -> None:
    app, keeper = kept_in_closures
    client = app.test_client()
    first = client.get("/").json
    keeper.restore()
    source = application_fixture("client", keeper.changed_at_application())
    names = {"pytest": pytest}
    exec(str(source).replace("@pytest.fixture(autouse=True)\n", ""), names)

    for _ in range(2):
        running = names["restored_application"](client)
        next(running)
        assert client.get("/").json == first
        next(running, None)


OBJECTS_AS_VIEWS = """
import threading
from functools import partial

from flask import Flask

class Shelf:
    def __init__(self):
        self.boxes, self.visits = [], 0
        self.lock = threading.Lock()  # as no copy can be made of it, the object itself stays

    def listed(self):
        self.visits += 1
        self.last = "listed"
        self.boxes.append(self.visits)
        return {"boxes": len(self.boxes), "visits": self.visits}

class Counter:
    total = 0

    def __call__(self):
        self.total += 1
        return {"total": self.total}

def add(shelf, names):
    shelf.boxes.append("partial")
    names.append("name")
    return {"boxes": len(shelf.boxes), "names": len(names)}

def create_app():
    app = Flask(__name__)
    app.add_url_rule("/methods", "Shelf.listed", Shelf().listed)
    app.add_url_rule("/objects", "counter", Counter())
    app.add_url_rule("/partials", "partial", partial(add, Shelf(), names=[]))
    return app
"""


def test_state_in_views_that_are_objects_comes_back_here_and_in_tests(shop) -> None:
    exec(OBJECTS_AS_VIEWS, vars(shop))
    app = shop.create_app()
    client, paths = app.test_client(), ("/methods", "/objects", "/partials")
    keeper = GlobalsKeeper([shop], functions_of(app), holders=holders_of(app))
    keeper.snapshot()

    first = [client.get(path).json for path in paths]
    keeper.restore()
    assert [client.get(path).json for path in paths] == first
    keeper.restore()
    source = application_fixture("client", keeper.changed_at_application())
    names = {"pytest": pytest}
    exec(str(source).replace("@pytest.fixture(autouse=True)\n", ""), names)

    for _ in range(2):
        running = names["restored_application"](client)
        next(running)
        lock = app.view_functions["Shelf.listed"].__self__.lock
        assert [client.get(path).json for path in paths] == first
        next(running, None)
        assert app.view_functions["Shelf.listed"].__self__.lock is lock


def test_count_at_the_application_is_written_as_it_was(shop) -> None:
    app = Flask("counting")
    app.numbers = itertools.count(3)
    keeper = GlobalsKeeper([shop], holders=holders_of(app))
    keeper.snapshot()

    next(app.numbers)
    keeper.restore()

    assert repr(keeper.changed_at_application()["numbers"]) == "count(3)"
