from __future__ import annotations

import copy
import io
import json
import pickle

import pytest

from pytest_evosearch.sut.watching.observe import ReadRecorder
from pytest_evosearch.sut.watching.observe import header_attributes
from pytest_evosearch.sut.watching.recorded_json import watched
from pytest_evosearch.sut.watching.recorded_reads import ReadLog


@pytest.fixture
def app(load):
    return load("reading").app


@pytest.fixture
def reads_of(app):
    """Send one request and return (location, path) -> read."""

    def send(method, path, **arguments):
        with ReadRecorder(app) as recorder:
            recorder.begin()
            app.test_client().open(path, method=method, **arguments)
            return {(read.location, read.path): read for read in recorder.take()}

    return send


@pytest.fixture
def reads_of_source(tmp_path):
    """Write an application, send it one request and return (location, path) -> read."""

    def send(source, method, path, **arguments):
        file = tmp_path / "copying.py"
        file.write_text(source)
        names = {"__name__": "copying"}
        exec(compile(source, str(file), "exec"), names)
        with ReadRecorder(names["app"]) as recorder:
            recorder.begin()
            names["app"].test_client().open(path, method=method, **arguments)
            return {(read.location, read.path): read for read in recorder.take()}

    return send


def test_query_arguments_with_types_defaults_and_misses(reads_of):
    reads = reads_of("GET", "/query?tag=a")

    assert set(reads) == {("query", (name,)) for name in ("page", "tag", "flag", "needed")}
    assert reads["query", ("page",)] == ("query", ("page",), False, "int", 1)
    assert reads["query", ("tag",)].type_name == "list"
    assert reads["query", ("tag",)].present
    assert not reads["query", ("needed",)].present


def test_forms_files_and_values(reads_of):
    upload = (io.BytesIO(b"abc"), "a.txt")
    reads = reads_of("POST", "/form", data={"name": "x", "upload": upload})

    assert reads["form", ("name",)].present
    assert reads["file", ("upload",)].present
    assert not reads["form", ("either",)].present
    assert not reads["query", ("either",)].present


COPYING = """
from flask import Flask, request

app = Flask(__name__)


def headers():
    return {name.lower(): value for name, value in request.headers.items()}


@app.get("/image")
def image():
    known = headers()
    return "svg" if "accept" in known and known["accept"] == "image/svg+xml" else "png"


@app.get("/bytes")
def data():
    options = request.args.to_dict()
    return str(options.get("seed", "none"))


@app.post("/both")
def both():
    return {name: value for name, value in request.values.items() if request.args["other"]}


@app.post("/any")
def any_file():
    return {"size": sum(len(file.read()) for file in request.files.values())}


@app.post("/names")
def names_of_files():
    return {"names": [name for name in request.files]}


@app.get("/echo")
def echo():
    return dict(request.args)
"""


def test_what_is_looked_up_in_a_copy_is_a_read(reads_of_source):
    copied = reads_of_source(COPYING, "GET", "/image")
    plain = reads_of_source(COPYING, "GET", "/bytes?seed=1")
    combined = reads_of_source(COPYING, "POST", "/both?other=1", data={"other": "2"})

    assert not copied["header", ("accept",)].present
    assert plain["query", ("seed",)].present
    assert {("query", ("other",)), ("form", ("other",))} <= set(combined)
    assert reads_of_source(COPYING, "GET", "/echo") == {}


@pytest.mark.parametrize("path", ["/any", "/names"])
def test_who_goes_through_all_files_takes_any(reads_of_source, path):
    upload = {"sent": (io.BytesIO(b"abc"), "a.txt")}

    without = reads_of_source(COPYING, "POST", path)
    with_one = reads_of_source(COPYING, "POST", path, data=upload)

    assert not without["file", ("file",)].present
    assert with_one["file", ("file",)].present


def test_nested_json_paths(reads_of):
    reads = reads_of("POST", "/json", json={"user": {"address": {}}, "items": [{"sku": 1}]})

    assert {path for location, path in reads if location == "json"} == {
        (),
        ("user",),
        ("user", "address"),
        ("user", "address", "city"),
        ("items",),
        ("items", 0),
        ("items", 0, "sku"),
    }
    assert reads["json", ("user", "address", "city")].default == "nowhere"


def test_a_missing_body_is_a_read(reads_of):
    assert not reads_of("POST", "/json")["json", ()].present


def test_headers_cookies_and_authorization(reads_of):
    reads = reads_of("GET", "/headers")

    assert set(reads) == {
        ("header", ("X-Api-Key",)),
        ("cookie", ("theme",)),
        ("header", ("Authorization",)),
    }


def test_attributes_of_requests_that_stand_for_a_header_are_found_by_reading_them():
    found = header_attributes()

    assert found["user_agent"] == "User-Agent"
    assert found["access_route"] == "X-Forwarded-For"
    assert not {"content_length", "cookies", "form", "host", "url"} & set(found)
    assert found["is_json"] == found["mimetype"] == "Content-Type"


def test_raw_bodies(reads_of):
    assert set(reads_of("POST", "/text", data="hello")) == {("text", ())}


def test_what_flask_itself_reads_is_left_out(reads_of):
    assert reads_of("GET", "/nothing") == {}


def test_answers_are_the_same_with_and_without_recording(app):
    requests = [
        ("GET", "/query?page=x&tag=a&tag=b&needed=1", {}),
        ("POST", "/form?either=q", {"data": {"name": "x", "either": "f"}}),
        ("POST", "/json", {"json": {"user": {"address": {"city": "Oslo"}}}}),
        ("POST", "/json", {"json": [1, 2]}),
        ("POST", "/splat", {"json": {"a": {"b": [1]}}}),
        ("GET", "/headers", {"auth": ("ann", "pw")}),
        ("POST", "/text", {"data": "hello"}),
    ]
    client = app.test_client()
    app.config["PROPAGATE_EXCEPTIONS"] = False

    plain = [client.open(path, method=method, **rest) for method, path, rest in requests]
    with ReadRecorder(app) as recorder:
        recorder.begin()
        seen = [client.open(path, method=method, **rest) for method, path, rest in requests]

    assert [(r.status, r.data) for r in seen] == [(r.status, r.data) for r in plain]


def test_only_calls_that_are_recorded_get_another_request_class(app):
    before = app.request_class
    with ReadRecorder(app) as recorder:
        assert app.request_class is before
        recorder.begin()
        assert app.request_class is not before
        recorder.take()
        assert app.request_class is before
        recorder.begin(records=False)
        assert app.request_class is before
        recorder.begin()
    assert app.request_class is before
    assert "request_class" not in vars(app)


LOOKING_CLOSELY = """
import json

from flask import Flask, Request, request

app = Flask(__name__)
inner = app.wsgi_app


def layer(environ, start_response):
    assert type(environ) is dict
    return inner(environ, start_response)


app.wsgi_app = layer


@app.post("/close")
def close():
    given = request.get_json(), json.loads(request.data), request.environ, request.cookies
    kinds = [*map(type, given), type(request._get_current_object()), type(request.view_args)]
    containers = [type(one).__name__ for one in (request.args, request.form, request.headers)]
    return {"plain": kinds == [dict, dict, dict, kinds[3], Request, dict], "names": containers}
"""


def test_a_call_that_is_not_recorded_gets_what_flask_gives() -> None:
    names = {"__name__": "closely"}
    exec(compile(LOOKING_CLOSELY, "closely.py", "exec"), names)
    app = names["app"]
    with ReadRecorder(app) as recorder:
        recorder.begin(records=False)
        answer = app.test_client().post("/close?a=1", json={"a": 1})
        reads, is_routed = recorder.take(), recorder.is_routed_to("close")

    assert answer.json == {
        "plain": True,
        "names": ["ImmutableMultiDict", "ImmutableMultiDict", "EnvironHeaders"],
    }
    assert reads == []
    assert is_routed
    assert not recorder.is_routed_to("open")


def test_layers_can_be_left_plain_while_requests_are_recorded() -> None:
    names = {"__name__": "closely"}
    exec(compile(LOOKING_CLOSELY, "closely.py", "exec"), names)
    app = names["app"]
    with ReadRecorder(app) as recorder:
        recorder.begin(layers=False)
        answer = app.test_client().post("/close", json={"a": 1})
        reads = recorder.take()
        recorder.begin()
        with pytest.raises(AssertionError):
            app.test_client().post("/close", json={"a": 1})

    assert answer.json is not None
    assert ("json", ()) in {(read.location, read.path) for read in reads}


@pytest.mark.parametrize("value", [{"a": {"b": [1, {"c": None}]}}, [[1], {"x": "y"}], {}, []])
def test_recording_containers_behave_as_plain_ones(value):
    recording = watched(value, ReadLog())

    assert recording == value
    assert isinstance(recording, type(value))
    assert type(recording).__name__ == type(value).__name__
    assert repr(recording) == repr(value)
    assert json.dumps(recording) == json.dumps(value)
    for copied in (
        copy.copy(recording),
        copy.deepcopy(recording),
        pickle.loads(pickle.dumps(recording)),
    ):
        assert copied == value
        assert type(copied) is type(value)


@pytest.mark.parametrize("value", [{"a": 1}, [1]])
def test_containers_that_a_library_makes_of_the_same_type_are_ordinary(value):
    made = type(watched(value, ReadLog()))()

    assert made == type(value)()
    assert "a" not in made
    assert list(made) == []


OWN_PARSER = """
import json

import flask

app = flask.Flask(__name__)


@app.post("/parsed")
def parsed():
    json.loads('{"other": 1}')["other"]
    data = json.loads(flask.request.READING or "{}")
    return str(data.get("size") == "large")
"""


@pytest.mark.parametrize("reading", ["data", "get_data()", "get_data(as_text=True)"])
def test_members_of_a_body_that_the_handler_parses_itself_are_reads(
    reads_of_source, reading
) -> None:
    parse = json.loads
    source = OWN_PARSER.replace("READING", reading)
    reads = reads_of_source(source, "POST", "/parsed", json={"size": "large"})

    assert [path for location, path in reads if location == "json"] == [(), ("size",)]
    assert json.loads is parse


def test_a_text_that_is_no_json_is_a_read_of_json(reads_of_source) -> None:
    source = OWN_PARSER.replace("READING", "data")
    reads = reads_of_source(source, "POST", "/parsed", data="no", content_type="text/plain")

    assert ("json", ()) in reads


def test_a_handler_that_asks_whether_a_body_is_json_reads_its_type(reads_of_source) -> None:
    source = """
import flask

app = flask.Flask(__name__)


@app.post("/asked")
def asked():
    return "yes" if flask.request.is_json else "no"
"""
    assert ("header", ("Content-Type",)) in reads_of_source(source, "POST", "/asked")


def test_the_default_of_a_member_tells_its_type() -> None:
    log = ReadLog()
    body = watched({}, log)
    body.get("filter", {})
    body.get("tags", [])
    body.get("size", 1)

    assert [read.type_name for read in log.reads()] == ["dict", "list", None]
