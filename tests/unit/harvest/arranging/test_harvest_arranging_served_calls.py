from __future__ import annotations

from collections.abc import Callable

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.arranging.served_calls import ServedCalls
from pytest_evosearch.harvest.arranging.served_calls import is_served_alike
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene

SENT = "POST /teams/{team}/members"


def member(team: Gene, label: int = 2, **fields: Gene) -> Call:
    inputs = [Input(Location.PATH, "team", team)]
    inputs += [Input(Location.JSON, name, gene) for name, gene in fields.items()]
    return Call(SENT, tuple(inputs), label)


def created(label: int = 1) -> Call:
    return Call("POST /teams", (Input(Location.JSON, "name", TextGene(current="a")),), label)


def link(label: int) -> LinkGene:
    return LinkGene(label, ("json", "id"), TextGene(current="7"))


def served(individual: Individual, *statuses: int) -> list[Exchange]:
    return [
        Exchange(Request("POST", call.endpoint), Response(status))
        for call, status in zip(individual, statuses, strict=True)
    ]


def names_of(call: Call) -> list[str]:
    return [given.name for given in call.inputs]


def remembering(*calls: Call, status: int = 201, polished: bool = False) -> ServedCalls:
    known = ServedCalls()
    individual = Individual(calls)
    known.note(individual, served(individual, *[status] * len(calls)), polished)
    return known


def with_act(*calls: Call) -> Individual:
    return Individual((*calls, Call("GET /teams", (), 9)))


def prepared(
    known: ServedCalls, *calls: Call, keeps: Callable[..., bool], status: int = 201
) -> Individual:
    individual = with_act(*calls)
    return known.prepared(individual, served(individual, *[status] * len(individual)), keeps)


def test_later_tests_prepare_with_the_fewest_inputs() -> None:
    known = remembering(member(TextGene(current="1"), name=TextGene(current="ann")))
    wordy = member(TextGene(current="5"), name=TextGene(current="x"), role=TextGene(current="y"))

    first = prepared(known, wordy, keeps=lambda _: True).calls[0]

    assert names_of(first) == ["team", "name"]
    assert first.inputs[0].gene.value() == "1"


def test_a_call_keeps_the_address_that_it_takes_from_another() -> None:
    known = remembering(created(), member(link(1), name=TextGene(current="ann")))
    wordy = member(link(4), label=5, name=TextGene(current="x"), role=TextGene(current="y"))

    second = prepared(known, created(4), wordy, keeps=lambda _: True).calls[1]

    assert names_of(second) == ["team", "name"]
    assert second.inputs[0].gene == link(4)


def test_what_other_calls_gave_or_was_refused_is_no_model() -> None:
    wordy = member(TextGene(current="5"), name=TextGene(current="x"), role=TextGene(current="y"))
    for known in (
        remembering(created(), member(TextGene(current="1"), name=link(1))),
        remembering(member(TextGene(current="1")), status=400),
    ):
        assert prepared(known, wordy, keeps=lambda _: True).calls[0] == wordy


def test_calls_are_likened_one_by_one_where_not_all_can_be() -> None:
    known = remembering(created(), member(TextGene(current="1")))
    other = Call("POST /teams", (Input(Location.JSON, "name", TextGene(current="b")),), 1)
    wordy = member(TextGene(current="5"), name=TextGene(current="x"))

    first, second, _last = prepared(
        known, other, wordy, keeps=lambda attempt: attempt.calls[0] == other
    ).calls

    assert first == other
    assert names_of(second) == ["team"]


def test_a_form_that_is_shown_again_is_no_model_for_one_that_was_accepted() -> None:
    known = remembering(member(TextGene(current="1")), status=200)
    filled_in = member(TextGene(current="5"), name=TextGene(current="x"))

    assert prepared(known, filled_in, keeps=lambda _: True, status=302).calls[0] == filled_in
    shown_again = prepared(known, filled_in, keeps=lambda _: True, status=200).calls[0]
    assert names_of(shown_again) == ["team"]


def test_what_got_no_simpler_elsewhere_is_settled() -> None:
    ann = member(TextGene(current="1"), name=TextGene(current="ann"))
    individual = with_act(ann, member(TextGene(current="1"), label=3, name=TextGene(current="x")))
    exchanges = served(individual, 201, 201, 200)

    assert remembering(ann).settled(individual, exchanges) == set()
    assert remembering(ann, polished=True).settled(individual, exchanges) == {2}
    assert remembering(ann, polished=True).settled(Individual((ann,)), exchanges) == set()


def test_a_polished_call_takes_the_place_of_one_that_there_was_no_time_for() -> None:
    known = remembering(member(TextGene(current="long"), name=TextGene(current="ann")))
    short = member(TextGene(current="1"), name=TextGene(current="a"))
    individual = Individual((short,))

    known.note(individual, served(individual, 201), polished=True)

    assert prepared(known, member(TextGene(current="5")), keeps=lambda _: True).calls[0] == short


def answer(body: str) -> Response:
    return Response(200, (("Content-Type", "application/json"),), body.encode())


def executed(individual: Individual) -> list[Exchange]:
    """Serve every member, whatever is sent; a team without a name is refused."""
    return served(
        individual,
        *[
            400 if call.endpoint == "POST /teams" and not call.inputs else 201
            for call in individual
        ],
    )


def learnt(*calls: Call) -> ServedCalls:
    known = ServedCalls()
    individual = with_act(*calls)
    for beginning in known.unknown(individual, executed(individual)):
        known.learn(beginning, executed(beginning), executed, limit=100)
    return known


def test_calls_before_the_act_are_as_simple_as_they_are_served() -> None:
    wordy = member(link(1), name=TextGene(current="ann"), role=TextGene(current="y"))
    known = learnt(created(), wordy)

    first, second, _act = prepared(known, created(), wordy, keeps=lambda _: True).calls

    assert names_of(first) == ["name"]
    assert names_of(second) == ["team"]
    assert second.inputs[0].gene == link(1)


def test_what_a_test_needs_in_its_preparation_stays_there_and_is_made_simple() -> None:
    wordy = member(TextGene(current="1"), name=TextGene(current="ann"), role=TextGene(current="y"))
    known = learnt(wordy)

    individual = prepared(known, wordy, keeps=lambda attempt: len(attempt.calls[0].inputs) > 1)

    assert individual.calls[0] == wordy
    assert known.settled(individual, executed(individual)) == set()
    simplest = prepared(known, wordy, keeps=lambda _: True)
    assert known.settled(simplest, executed(simplest)) == {2}


def test_a_kind_of_call_is_learnt_once() -> None:
    known = learnt(created())
    individual = with_act(created(), created(2))

    assert list(known.unknown(individual, executed(individual))) == []
    assert list(known.unknown(individual, served(individual, 400, 500, 200))) == []


def test_what_is_not_learnt_to_the_end_is_not_settled() -> None:
    known = ServedCalls()
    ann = member(TextGene(current="1"), name=TextGene(current="ann"))
    beginning = Individual((ann,))

    known.learn(beginning, executed(beginning), executed, limit=100, is_over=lambda: True)

    assert known.settled(with_act(ann), executed(with_act(ann))) == set()


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (Response(200), Response(201), False),
        (Response(302, (("Location", "/"),)), Response(302, (("Location", "/login"),)), False),
        (Response(302, (("Location", "/?a=1"),)), Response(302, (("Location", "/?a=2"),)), True),
        (answer('{"token": "a"}'), answer('{"token": "b"}'), True),
        (answer('{"token": "a"}'), answer('{"error": "b"}'), False),
        (answer("[1]"), answer("[2]"), True),
    ],
)
def test_served_alike_is_what_goes_on_in_the_same_way(
    one: Response, other: Response, alike: bool
) -> None:
    request = Request("POST", "/login")
    assert is_served_alike(Exchange(request, one), Exchange(request, other)) is alike
