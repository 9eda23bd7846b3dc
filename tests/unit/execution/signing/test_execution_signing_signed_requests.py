"""Requests whose body is signed are signed by a fixture of the written tests."""

from __future__ import annotations

import base64
import hashlib
import hmac
import pickle
import time
from types import SimpleNamespace

import pytest
from flask import Flask
from flask import request

from pytest_evosearch.execution.signing.signed_requests import SignedRequests
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.signed_text import signed_text
from pytest_evosearch.sut.users.origins import origin_of
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigests

KEY = "pine-4471"
BODY = b'{"kind": "push"}'


@pytest.fixture
def app():
    """An application that says whether the body of a request is signed."""
    app = Flask("hooks")
    app.config["HOOK_KEY"] = KEY

    @app.post("/hook")
    def hook():
        digest = hmac.new(KEY.encode(), request.get_data(), hashlib.sha256)
        values = digest.hexdigest(), base64.b64encode(digest.digest()).decode()
        given = request.headers.get("X-Signature", "").partition("=")[2]
        return {"signed": given in values}

    return app


def watched():
    """Return what was hashed in a look at `BODY`."""
    digests = KeyedDigests(SimpleNamespace(in_use=True))
    made = digests.noting(hmac.new)(KEY.encode(), BODY, hashlib.sha256)
    return digests.known, made


def signed_request(value):
    headers = (("X-Signature", value), ("X-Event", "push"))
    return Request("POST", "/hook", headers=headers, text=BODY, content_type="text/plain")


def signer(app, known, value):
    signed = SignedRequests(app, known, lambda text: origin_of(text, app, []))
    signed.look_at([signed_request(value)])
    return signed


@pytest.mark.parametrize("is_hex", [True, False])
def test_fixture_signs_what_the_search_had_to_ask_for(app, is_hex):
    known, made = watched()
    text = made.hexdigest() if is_hex else base64.b64encode(made.digest()).decode()
    signed = signer(app, known, f"sha256={text}")
    unsigned = signed.unsigned(signed_request(f"sha256={text}"))
    assert unsigned is not None
    assert unsigned.headers == (("X-Event", "push"),)
    assert signed.source is not None
    assert 'app.config["HOOK_KEY"].encode()' in signed.source
    namespace: dict[str, object] = {"pytest": SimpleNamespace(fixture=lambda function: function)}
    exec(signed.source, namespace)
    fixture = namespace["signed"]
    assert callable(fixture)
    client = fixture()(app.test_client())
    assert client.post("/hook", json={"any": "body"}).json == {"signed": True}
    assert client.post("/hook", data="text", headers={"X-Event": "a"}).json == {"signed": True}


def test_signature_of_another_body_is_told_as_it_is(app):
    known, made = watched()
    signed = signer(app, known, f"sha256={made.hexdigest()}")
    other = Request("POST", "/hook", headers=(("X-Signature", f"sha256={made.hexdigest()}"),))
    assert signed.unsigned(other) is None


def test_signature_by_a_key_that_no_test_reaches_is_told_as_it_is(app):
    known, made = watched()
    app.config["HOOK_KEY"] = "another"
    signed = signer(app, known, f"sha256={made.hexdigest()}")
    assert signed.source is None
    assert signed.unsigned(signed_request(f"sha256={made.hexdigest()}")) is None


def test_values_that_were_hashed_with_a_key_are_signatures(app):
    known, made = watched()
    signed = SignedRequests(app, known, lambda _text: None)
    assert signed.holds_signature(f"sha256={made.hexdigest()}")
    assert not signed.holds_signature("sha256=" + "0" * 64)


def stamped(app, key):
    """Add an endpoint that wants time and body signed."""

    @app.route("/timed", methods=("GET", "POST"))
    def timed():
        stamp = request.headers.get("X-Time", "0")
        text = f"{stamp}.".encode() + request.get_data()
        right = hmac.new(key.encode(), text, hashlib.sha256).hexdigest()
        near = abs(time.time() - int(stamp)) < 100
        return {"signed": near and hmac.compare_digest(request.headers.get("X-Sign", ""), right)}


def timed_request(stamp, sign, **rest):
    return Request("POST", "/timed", headers=(("X-Time", stamp), ("X-Sign", sign)), **rest)


def test_time_is_signed_anew_in_search_and_test(app):
    stamped(app, KEY)
    digests = KeyedDigests(SimpleNamespace(in_use=True))
    old = str(int(time.time()) - 50)
    made = digests.noting(hmac.new)(KEY.encode(), f"{old}.ab".encode(), "sha256")
    signed = SignedRequests(app, digests.known, lambda text: origin_of(text, app, []))
    asked = timed_request(old, made.hexdigest(), text="ab")

    assert signed.renewed(asked) is asked
    way = signed.way_of(asked, "X-Sign")
    assert signed.way_of(asked, "X-Time") is None
    signature = pickle.loads(pickle.dumps(signed_text(made.hexdigest(), way)))
    other = signed.renewed(timed_request("0", signature, json={"a": 1}, has_json=True))
    answer = app.test_client().post("/timed", json={"a": 1}, headers=dict(other.headers))
    assert answer.json == {"signed": True}

    signed.look_at([asked])
    assert signed.unsigned(asked) == Request("POST", "/timed", text="ab")
    namespace: dict[str, object] = {"pytest": SimpleNamespace(fixture=lambda function: function)}
    exec(signed.source or "", namespace)
    fixture = namespace["signed"]
    assert callable(fixture)
    client = fixture()(app.test_client())
    assert client.post("/timed", json={"b": 2}).json == {"signed": True}
    assert client.get("/timed").json == {"signed": True}


def test_signature_over_the_address_is_told_as_it_is(app):
    digests = KeyedDigests(SimpleNamespace(in_use=True))
    made = digests.noting(hmac.new)(KEY.encode(), b"POST /hook 77", "sha256")
    signed = SignedRequests(app, digests.known, lambda text: origin_of(text, app, []))
    signed.look_at([signed_request(f"sha256={made.hexdigest()}")])
    assert signed.source is None


def test_request_without_a_known_signature_stays_as_it_is(app):
    known, _made = watched()
    signed = SignedRequests(app, known, lambda _text: None)
    asked = signed_request("sha256=" + "0" * 64)
    assert signed.renewed(asked) is asked


def test_nothing_is_noted_where_no_look_is_on():
    digests = KeyedDigests(SimpleNamespace(in_use=False))
    digests.noting(hmac.new)(b"key", b"message", "sha256")
    assert digests.known == {}


def test_time_before_the_signature_is_told_anew_in_search_and_test(app):
    @app.post("/stamped")
    def take():
        stamp, _, given = request.headers.get("X-Hook", "").removeprefix("t=").partition(",v1=")
        right = hmac.new(KEY.encode(), f"{stamp}.".encode() + request.get_data(), "sha256")
        near = abs(time.time() - int(stamp)) < 10
        return {"signed": near and right.hexdigest() == given}

    digests = KeyedDigests(SimpleNamespace(in_use=True))
    old = str(int(time.time()) - 50)
    made = digests.noting(hmac.new)(KEY.encode(), f"{old}.ab".encode(), "sha256")
    signed = SignedRequests(app, digests.known, lambda text: origin_of(text, app, []))
    value = f"t={old},v1={made.hexdigest()}"
    asked = Request("POST", "/stamped", headers=(("X-Hook", value),), text="ab")

    way = signed.way_of(asked, "X-Hook")
    again = Request("POST", "/stamped", headers=(("X-Hook", signed_text(value, way)),), text="c")
    sent = signed.renewed(again)
    header = dict(sent.headers)["X-Hook"]
    reply = app.test_client().post("/stamped", data="c", headers={"X-Hook": header})
    assert reply.json == {"signed": True}
    assert pickle.loads(pickle.dumps(way)) == way

    signed.look_at([asked])
    assert signed.unsigned(asked) is not None
    assert old not in signed.source
    namespace: dict[str, object] = {"pytest": SimpleNamespace(fixture=lambda function: function)}
    exec(signed.source, namespace)
    client = namespace["signed"]()(app.test_client())
    assert client.post("/stamped", data="another").json == {"signed": True}


def test_token_that_signs_what_stands_in_itself_signs_no_request(app):
    digests = KeyedDigests(SimpleNamespace(in_use=True))
    made = digests.noting(hmac.new)(KEY.encode(), b"head.body", hashlib.sha256)
    digits = base64.urlsafe_b64encode(made.digest()).decode().rstrip("=")
    signed = SignedRequests(app, digests.known, lambda text: origin_of(text, app, []))
    assert signed.holds_signature(digits)
    assert not signed.holds_signature(f"Bearer head.body.{digits}")
