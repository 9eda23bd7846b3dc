"""A climb follows what calls are compared with, to a call that gets further."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from random import Random

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.probing.weighing import PASSED
from pytest_evosearch.instrument.probing.weighing import SIGNED
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.doors.climbing import Climb
from pytest_evosearch.problem.http.doors.colouring import coloured
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash

KEY = "GET /gate"
NAMES = ("X-Key", "X-Body")
TEXT = TextGene(current="a")
CRASH = Crash("KeyError", "builtins", "'roles'", "app.py", 9, "gate", "")


def make_climb(names=NAMES, complete=lambda call: call):
    parameters = tuple(Parameter(Location.HEADER, name, TEXT) for name in NAMES)
    model = EndpointModel([Endpoint("GET", "/gate", "gate", parameters=parameters)])
    call = Call(KEY, tuple(Input(Location.HEADER, name, TEXT) for name in names), 1)

    def refused(exchange):
        return exchange.status == 403

    return Climb(Individual((call,)), model, Random(1), {}, refused, complete)


def played(climb, application):
    """Let the climb look at `application`; return what came of it, and how many looks it took."""
    looks = climb.looks()
    count = 0
    try:
        individual = next(looks)
        while True:
            count += 1
            individual = looks.send(shown(individual, application))
    except StopIteration as end:
        return end.value, count


def shown(individual, application):
    call = individual.calls[-1]
    sent = {given.name: given.gene.value() for given in call.inputs}
    status, reached, comparisons = application(sent)
    request = Request("GET", "/gate", headers=tuple(sent.items()))
    crash = CRASH if status >= 500 else None
    exchange = Exchange(request, Response(status, (), str(status).encode()), crash=crash)
    return Observation(
        individual,
        (exchange,),
        guidance=comparisons,
        reach=len(reached),
        reached=frozenset(reached),
    )


def guarded_by_two_texts(sent):
    """Want two keys, one after the other."""
    if sent["X-Key"] != "first-77":
        return 403, {"a"}, [Comparison("key", "==", sent["X-Key"], "first-77")]
    if sent["X-Body"] != "second-88":
        return 403, {"a", "b"}, [Comparison("body", "==", "second-88", sent["X-Body"])]
    return 200, {"a", "b", "c"}, []


def signed_body(sent):
    """Want a digest of the other header, and then another text there."""
    wanted = hashlib.sha256(sent["X-Body"].encode()).hexdigest()
    if sent["X-Key"] != wanted:
        return 403, {"a"}, [Comparison("sign", "==", sent["X-Key"], wanted)]
    passed = Comparison("sign", PASSED, None, None)
    if sent["X-Body"] != "gravel":
        return 403, {"a", "b"}, [passed, Comparison("kind", "==", sent["X-Body"], "gravel")]
    return 200, {"a", "b", "c"}, [passed]


def closed(sent):
    """Compare nothing."""
    return 403, {"a"}, []


def test_keys_are_found_one_after_the_other():
    ascent, looks = played(make_climb(), guarded_by_two_texts)
    assert ascent is not None
    sent = {given.name: given.gene.value() for given in ascent.last.individual.calls[-1].inputs}
    assert sent == {"X-Key": "first-77", "X-Body": "second-88"}
    assert ascent.last.observation.exchanges[-1].status == 200
    assert looks < 10


def test_signature_follows_what_it_signs():
    ascent, _looks = played(make_climb(), signed_body)
    assert ascent is not None
    assert ascent.last.observation.exchanges[-1].status == 200
    assert ascent.signed_at == {((Location.HEADER, "X-Key"), "sign")}


def test_climb_tries_texts_in_other_forms_where_nothing_is_compared_and_ends():
    ascent, looks = played(make_climb(), closed)
    assert ascent is None
    assert looks == 5  # as it is, and each of two headers in two forms


def test_failing_call_is_varied_by_what_it_compares_until_a_look_does_not_end():
    looks = make_climb().looks_at_failing()
    observation = shown(next(looks), guarded_by_two_texts)
    second = looks.send(observation)
    assert "first-77" in [given.gene.value() for given in second.calls[-1].inputs]

    hung = replace(observation.exchanges[-1], response=None, frozen=True)
    with pytest.raises(StopIteration):
        looks.send(replace(observation, individual=second, exchanges=(hung,)))


@pytest.mark.parametrize("kept", [(), ((Location.HEADER, "X-Key"),)])
def test_each_open_text_gets_a_word_of_its_own(kept):
    inputs = tuple(Input(Location.HEADER, name, TEXT) for name in NAMES)
    call = coloured(Call(KEY, inputs, 1), kept)
    values = [given.gene.value() for given in call.inputs]
    assert len(set(values)) == 2
    assert (values[0] == "a") is bool(kept)
    assert values[1] != "a"


def signed_twice(sent):
    """Want a token that can be read, then one that is signed: another status says which."""
    first, second = (Comparison(f"{SIGNED} {place}", "==", sent["X-Key"], place) for place in "pq")
    if sent["X-Key"] not in ("p", "q"):
        return 403, {"a"}, [first]
    if sent["X-Key"] == "p":
        return 422, {"a", "b"}, [second]
    return 200, {"a", "b", "c"}, []


def test_another_status_is_no_entry_while_another_token_is_wanted():
    ascent, _count = played(make_climb(), signed_twice)
    sent = {given.name: given.gene.value() for given in ascent.last.individual.calls[-1].inputs}
    assert sent["X-Key"] == "q"


def token_then_crash(sent):
    """Crash where a claim of the token is looked up that it does not have."""
    if not sent["X-Key"].startswith("signed"):
        return 403, {"a"}, [Comparison(f"{SIGNED} app.py:7", "==", sent["X-Key"], "signed")]
    passed = Comparison("weighed app.py:7", PASSED, None, None)
    if sent["X-Key"] == "signed":
        asked = Comparison(f"{SIGNED} app.py:9 roles", "==", sent["X-Key"], "signed roles")
        return 500, {"a", "b"}, [passed, asked]
    return 200, {"a", "b", "c"}, [passed]


def test_crash_where_a_claim_is_missed_is_no_entry():
    ascent, _looks = played(make_climb(), token_then_crash)
    assert ascent is not None
    assert ascent.last.observation.exchanges[-1].status == 200


def name_then_password(sent):
    """Ask for a second text once the first one is known, as ``request.form[...]`` does."""
    if sent["X-Key"] != "mira":
        return 403, {"a"}, [Comparison("name", "==", sent["X-Key"], "mira")]
    if "X-Body" not in sent:
        return 400, {"a", "b"}, []
    if sent["X-Body"] != "gravel":
        return 403, {"a", "b"}, [Comparison("word", "==", sent["X-Body"], "gravel")]
    return 200, {"a", "b", "c"}, []


def test_refusal_that_asks_for_an_input_more_is_no_entry():
    given = Input(Location.HEADER, "X-Body", TEXT)
    climb = make_climb(NAMES[:1], lambda call: call.with_input(given) if is_asked(call) else call)

    def is_asked(call):
        held = {one.name: str(one.gene.value()) for one in call.inputs}
        return held.get("X-Key") == "mira" and "X-Body" not in held

    ascent, _looks = played(climb, name_then_password)
    assert ascent is not None
    assert ascent.last.observation.exchanges[-1].status == 200


def number_after_prefix(sent):
    """Want ``K-4711``, and fail with all that is no number behind the prefix."""
    key = sent["X-Key"]
    if not key.startswith("K-"):
        return 403, {"a"}, [Comparison("prefix", "startswith", key, "K-")]
    if not key.removeprefix("K-").isdigit():
        return 500, {"a", "b"}, [Comparison("key", "==", key, "K-4711")]
    return (200 if key == "K-4711" else 403), {"a", "b", "c"}, []


def failing_behind(sent):
    """Want a key, and fail whenever that is sent."""
    if sent["X-Key"] != "first-77":
        return 403, {"a"}, [Comparison("key", "==", sent["X-Key"], "first-77")]
    return 500, {"a", "b"}, []


def test_a_crash_in_the_check_is_no_entry():
    ascent, _count = played(make_climb(), number_after_prefix)
    assert ascent.last.observation.exchanges[-1].status == 200


def test_a_crash_with_the_very_key_lies_behind_the_door():
    ascent, _count = played(make_climb(), failing_behind)
    assert ascent.last.observation.exchanges[-1].status == 500
    assert ascent.last.individual.calls[-1].inputs[0].gene.value() == "first-77"
