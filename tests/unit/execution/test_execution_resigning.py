"""A request that was changed since its signature was learnt is signed anew."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from dataclasses import replace

import pytest
from flask import Flask

from pytest_evosearch.execution.resigning import Resigning
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.sut.watching.keyed_digests import KeyedDigest

KEY = b"whsec"


def body_of(request: Request) -> bytes:
    with Flask(__name__).test_request_context(method="POST", json=request.json) as context:
        return context.request.get_data()


def request(payload: object, **headers: str) -> Request:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Request("POST", "/hook", json=payload, has_json=True, headers=named)


def resigning(message: bytes, sent: Request) -> tuple[Resigning, hmac.HMAC]:
    made = hmac.new(KEY, message, "sha256")
    known = {made.hexdigest(): KeyedDigest(KEY, message, "sha256")}
    found = Resigning(Flask(__name__), known)
    found.note(sent)
    return found, made


@pytest.mark.parametrize("is_hex", [True, False], ids=["hexadecimal", "base64"])
def test_another_body_gets_another_signature(is_hex: bool) -> None:
    sent = request({"a": 1})
    found, made = resigning(body_of(sent), sent)
    text = made.hexdigest() if is_hex else b64encode(made.digest()).decode()

    changed = found.signed(request({"a": 2}, X_Signature=f"v1={text}"))

    wanted = hmac.new(KEY, body_of(changed), "sha256")
    digits = wanted.hexdigest() if is_hex else b64encode(wanted.digest()).decode()
    assert changed.headers == (("X-Signature", f"v1={digits}"),)


@pytest.mark.parametrize(
    "message",
    [b"1700000000./hook.%s", b"POST\n/hook\n1700000000\n%s"],
    ids=["time and path", "canonical request"],
)
@pytest.mark.parametrize("hashed", [False, True], ids=["body", "hash of the body"])
def test_a_message_may_hold_other_parts_of_the_request(message: bytes, hashed: bool) -> None:
    def message_of(request: Request, time: bytes) -> bytes:
        body = body_of(request)
        content = hashlib.sha256(body).hexdigest().encode() if hashed else body
        return (message % content).replace(b"1700000000", time)

    sent = request({"a": 1}, X_Time="1700000000")
    found, made = resigning(message_of(sent, b"1700000000"), sent)

    changed = found.signed(request({"b": []}, X_Time="1800000000", Sig=made.hexdigest()))

    wanted = hmac.new(KEY, message_of(changed, b"1800000000"), "sha256").hexdigest()
    assert dict(changed.headers)["Sig"] == wanted


def test_what_is_no_part_of_the_request_is_left_alone() -> None:
    sent = request({"a": 1})
    found, made = resigning(b"the session of somebody", sent)

    changed = request({"a": 2}, X_Signature=made.hexdigest())
    assert found.signed(changed) is changed


def test_a_wrong_signature_stays_wrong() -> None:
    sent = request({"a": 1})
    found, _made = resigning(body_of(sent), sent)

    for value in ("a", "0" * 64):
        changed = request({"a": 2}, X_Signature=value)
        assert found.signed(changed) is changed


def test_a_request_that_is_signed_already_is_the_one_that_is_sent() -> None:
    sent = request({"a": 1})
    found, made = resigning(body_of(sent), sent)
    signed = replace(sent, headers=(("X-Signature", made.hexdigest()),))

    assert found.signed(signed) is signed
