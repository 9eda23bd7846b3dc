from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.optional import OptionalGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.minimize.shortening import as_users
from pytest_evosearch.minimize.shortening import minimize_individual
from pytest_evosearch.minimize.shortening import with_late_reads
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import linked_labels


def call(
    endpoint: str, *inputs: tuple[Location, str, Gene], label: int = 1, user: str | None = None
) -> Call:
    return Call(endpoint, tuple(Input(*given) for given in inputs), label, user)


def value_of(individual: Individual, endpoint: str, name: str) -> object:
    """Return what the first call of `endpoint` sends as `name`, None when it does not."""
    for made in individual:
        if made.endpoint == endpoint:
            for given in made.inputs:
                if given.name == name:
                    return given.gene.value()
    return None


class Counting:
    """A callback that counts its calls and remembers what it saw."""

    def __init__(self, keeps: Callable[[Individual], bool]) -> None:
        self.keeps = keeps
        self.seen: list[Individual] = []

    def __call__(self, individual: Individual) -> bool:
        self.seen.append(individual)
        return self.keeps(individual)


@pytest.fixture
def long_individual() -> Individual:
    return Individual(tuple(call(f"GET /{index}", label=index) for index in range(10)))


def test_only_the_needed_calls_stay(long_individual: Individual) -> None:
    def keeps(candidate: Individual) -> bool:
        return {"GET /2", "GET /7"} <= {made.endpoint for made in candidate}

    result = minimize_individual(long_individual, keeps, limit=100)
    assert [made.endpoint for made in result] == ["GET /2", "GET /7"]
    assert [made.label for made in result] == [2, 7]


def test_nothing_is_lost_when_nothing_can_go(long_individual: Individual) -> None:
    assert minimize_individual(long_individual, lambda _: False, limit=1000) is long_individual


def test_rows_of_a_call_that_does_nothing_go_to_the_next() -> None:
    row = (Location.ROW, "shop.Book title", TextGene(current="a"))
    refused, read = call("DELETE /books/{id}", row, label=1), call("GET /books", label=2)

    def keeps(candidate: Individual) -> bool:
        names = {given.name for made in candidate for given in made.inputs}
        return candidate.calls[-1].endpoint == "GET /books" and "shop.Book title" in names

    (kept,) = minimize_individual(Individual((refused, read)), keeps, limit=100)
    assert kept.endpoint == "GET /books"


def test_a_test_never_loses_its_last_call() -> None:
    individual = Individual((call("GET /"),))
    assert minimize_individual(individual, lambda _: True, limit=100) == individual


def test_the_limit_is_kept_and_no_test_is_tried_twice(long_individual: Individual) -> None:
    counting = Counting(lambda candidate: len(candidate) >= 5)
    minimize_individual(long_individual, counting, limit=7)
    assert len(counting.seen) == 7
    assert len(set(counting.seen)) == 7


def test_no_execution_is_allowed_means_no_change(long_individual: Individual) -> None:
    counting = Counting(lambda _: True)
    assert minimize_individual(long_individual, counting, limit=0) is long_individual
    assert not counting.seen


def test_inputs_and_users_that_do_not_matter_are_dropped_but_never_the_path() -> None:
    individual = Individual(
        (
            call(
                "GET /items/{id}",
                (Location.PATH, "id", IntegerGene(current=0)),
                (Location.QUERY, "page", IntegerGene(current=3)),
                (Location.QUERY, "needed", IntegerGene(current=0)),
                (Location.HEADER, "X-Trace", TextGene(current="abc")),
                user="alice",
            ),
        )
    )

    def keeps(candidate: Individual) -> bool:
        return value_of(candidate, "GET /items/{id}", "needed") is not None

    (made,) = minimize_individual(individual, keeps, limit=100)
    assert [given.name for given in made.inputs] == ["id", "needed"]
    assert made.user is None


def test_few_needed_inputs_of_many_are_found_with_few_executions() -> None:
    names = [f"field{number}" for number in range(40)]
    given = [(Location.QUERY, name, IntegerGene(0)) for name in names]
    start = Individual((call("GET /", *given),))

    def keeps(candidate: Individual) -> bool:
        return value_of(candidate, "GET /", "field23") is not None

    tried = Counting(keeps)

    result = minimize_individual(start, tried, 15)

    assert [one.name for one in result.calls[0].inputs] == ["field23"]
    assert len(tried.seen) <= 15


def test_a_user_that_matters_stays() -> None:
    individual = Individual((call("GET /me", user="alice"),))
    result = minimize_individual(individual, lambda one: one.calls[0].user == "alice", limit=10)
    assert result == individual


def test_values_become_simple() -> None:
    individual = Individual(
        (call("GET /sum", (Location.QUERY, "total", IntegerGene(current=734_212))),)
    )

    def keeps(candidate: Individual) -> bool:
        total = value_of(candidate, "GET /sum", "total")
        return isinstance(total, int) and total > 99

    result = minimize_individual(individual, keeps, limit=200)
    total = value_of(result, "GET /sum", "total")
    assert isinstance(total, int)
    assert 99 < total <= 128


def test_texts_become_short() -> None:
    individual = Individual(
        (call("GET /q", (Location.QUERY, "q", TextGene(current="xq§ %needle§§ 7"))),)
    )

    def keeps(candidate: Individual) -> bool:
        return "needle" in str(value_of(candidate, "GET /q", "q"))

    result = minimize_individual(individual, keeps, limit=500)
    assert value_of(result, "GET /q", "q") == "needle"


def test_a_value_that_cannot_change_does_not_use_up_the_executions_of_others() -> None:
    stubborn = [
        (Location.QUERY, name, TextGene(current="stubborn value 2024-05-17")) for name in "abcdef"
    ]
    easy = (Location.QUERY, "easy", TextGene(current="a long text that need not be this long"))
    individual = Individual((call("GET /", *stubborn, easy),))

    def keeps(candidate: Individual) -> bool:
        values = [value_of(candidate, "GET /", name) for name in "abcdef"]
        return values == ["stubborn value 2024-05-17"] * 6 and (
            value_of(candidate, "GET /", "easy") is not None
        )

    result = minimize_individual(individual, keeps, limit=60)
    assert len(str(value_of(result, "GET /", "easy"))) <= 1


def test_an_input_that_is_switched_off_needs_no_execution() -> None:
    gene = OptionalGene(TextGene(current="x"), active=False)
    individual = Individual((call("GET /", (Location.QUERY, "q", gene)),))
    counting = Counting(lambda _: True)
    minimize_individual(individual, counting, limit=10)
    assert counting.seen == []


def test_a_link_survives_as_long_as_its_call_is_needed() -> None:
    link = LinkGene(label=1, selector=("json", "id"), fallback=IntegerGene(current=77))
    individual = Individual(
        (
            call("POST /items", label=1),
            call("GET /items", label=2),
            call("GET /items/{id}", (Location.PATH, "id", link), label=3),
        )
    )

    def keeps(candidate: Individual) -> bool:
        return [made.label for made in candidate][:1] == [1] and candidate.calls[-1].label == 3

    result = minimize_individual(individual, keeps, limit=50)
    assert [made.label for made in result] == [1, 3]
    assert result.calls[1].inputs[0].gene == link


def test_what_a_form_that_is_shown_again_repeats_is_taken_from_the_page_before_it() -> None:
    def token(label: int) -> tuple[Location, str, Gene]:
        gene = LinkGene(label=label, selector=("form", "token"), fallback=TextGene(current=""))
        return (Location.FORM, "token", gene)

    individual = Individual(
        (
            call("GET /login", label=1),
            call("POST /login", token(1), label=2),
            call("POST /login", token(2), label=3),
        )
    )

    def keeps(candidate: Individual) -> bool:
        labels = [made.label for made in candidate]
        linked = linked_labels(candidate.calls[-1].inputs)
        return labels[0] == 1 and labels[-1] == 3 and bool(linked) and {*linked} <= {*labels}

    result = minimize_individual(individual, keeps, limit=50)
    assert [made.label for made in result] == [1, 3]
    assert result.calls[-1].inputs[0].gene == token(1)[2]


def test_the_same_input_gives_the_same_output(long_individual: Individual) -> None:
    def keeps(candidate: Individual) -> bool:
        return len(candidate) % 3 == 1

    first = minimize_individual(long_individual, keeps, limit=40)
    assert minimize_individual(long_individual, keeps, limit=40) == first


class Flipping(IntegerGene):
    """A broken gene whose "simpler" variants go round in circles."""

    def simpler(self):  # type: ignore[no-untyped-def]
        yield Flipping(current=1 - self.current)


def test_genes_that_go_round_in_circles_end() -> None:
    individual = Individual((call("GET /", (Location.PATH, "id", Flipping(current=0))),))
    counting = Counting(lambda _: True)
    minimize_individual(individual, counting, limit=1000)
    assert len(counting.seen) == 1


def test_a_shared_value_is_simplified_everywhere_at_once() -> None:
    form = (Location.FORM, "password", TextGene(current="/auth"))
    individual = Individual(
        (call("POST /register", form, label=1), call("POST /login", form, label=2))
    )

    def keeps(candidate: Individual) -> bool:
        passwords = [value_of(candidate, made.endpoint, "password") for made in candidate]
        return len(passwords) == 2 and bool(passwords[0]) and len(set(passwords)) == 1

    result = minimize_individual(individual, keeps, limit=100)
    assert [made.inputs[0].gene.value() for made in result] == ["a", "a"]


def test_all_calls_become_anonymous_together() -> None:
    individual = Individual(
        (call("POST /login", label=1, user="ann"), call("GET /secret", label=2, user="ann"))
    )

    def keeps(candidate: Individual) -> bool:
        return len(candidate) == 2 and len({made.user for made in candidate}) == 1

    result = minimize_individual(individual, keeps, limit=50)
    assert [made.user for made in result] == [None, None]


def test_huge_numbers_become_limits_that_readers_know() -> None:
    individual = Individual(
        (call("GET /{id}", (Location.PATH, "id", IntegerGene(current=10**257))),)
    )

    def keeps(candidate: Individual) -> bool:
        number = value_of(candidate, "GET /{id}", "id")
        return isinstance(number, int) and number >= 2**63

    result = minimize_individual(individual, keeps, limit=200)
    assert value_of(result, "GET /{id}", "id") == 2**63


def test_links_to_calls_that_are_gone_are_simplified_like_literals() -> None:
    link = LinkGene(label=1, selector=("json", "id"), fallback=IntegerGene(current=800))
    individual = Individual(
        (
            call("POST /books", label=1),
            call("GET /books/{id}", (Location.PATH, "id", link), label=2),
        )
    )

    result = minimize_individual(
        individual, lambda candidate: candidate.calls[-1].endpoint == "GET /books/{id}", limit=50
    )
    assert value_of(result, "GET /books/{id}", "id") == 0


def test_a_log_in_at_the_beginning_may_be_that_of_a_user() -> None:
    page, entered = Call("GET /login", (), 1), Call("POST /login", (), 2)
    created, act = Call("POST /a", (), 3), Call("GET /a", (), 4)
    made = [
        [(one.endpoint, one.user) for one in attempt]
        for attempt in as_users(Individual((page, entered, created, act)), ["admin"])
    ]
    assert made == [
        [("POST /a", "admin"), ("GET /a", "admin")],
        [("GET /a", "admin")],
    ]


def test_nobody_takes_the_place_of_what_later_calls_feed_on() -> None:
    registered = Call("POST /users", (), 1)
    link = LinkGene(1, ("json", "id"), IntegerGene(current=1))
    act = Call("GET /users/{id}", (Input(Location.PATH, "id", link),), 2)
    known = Individual((replace(registered, user="ann"), Call("GET /", (), 2)))
    assert list(as_users(Individual((registered, act)), ["ann"])) == []
    assert list(as_users(known, ["ann"])) == []


def test_what_stands_beside_the_bodies_goes_first_and_at_once() -> None:
    """Where time allows only a few executions for each test, each has to count."""
    made = [
        call(
            f"POST /{label}",
            (Location.QUERY, "q", TextGene(current="a")),
            (Location.HEADER, "X-Trace", TextGene(current="a")),
            (Location.JSON, "name", TextGene(current="ann")),
            label=label,
        )
        for label in range(3)
    ]

    def keeps(candidate: Individual) -> bool:
        bodies = [one for call in candidate for one in call.inputs if one.name == "name"]
        return len(candidate) == 3 and len(bodies) == 3

    counting = Counting(keeps)
    result = minimize_individual(Individual(tuple(made)), counting, limit=6)

    assert [given.name for call in result for given in call.inputs] == ["name"] * 3


def test_what_a_settled_call_sends_is_not_tried_again() -> None:
    inputs = [(Location.JSON, name, TextGene(current=name)) for name in ("name", "colour")]
    individual = Individual((call("POST /a", *inputs), call("POST /b", *inputs, label=2)))
    seen: list[Individual] = []

    def keeps(attempt: Individual) -> bool:
        seen.append(attempt)
        return len(attempt) == 2

    small = minimize_individual(individual, keeps, 200, settled={1})

    assert small.calls[0] == individual.calls[0]
    assert small.calls[1].inputs == ()
    assert all(attempt.calls[0] == individual.calls[0] for attempt in seen if len(attempt) == 2)
    assert any(len(attempt) == 1 for attempt in seen), "it may go as a whole"


def test_a_page_is_read_right_before_what_uses_it() -> None:
    token = (Location.FORM, "token", LinkGene(1, ("form", "token"), TextGene()))
    form, account = call("GET /login", label=1), call("POST /users", label=2)
    login, again = call("POST /login", token, label=3), call("POST /follow", token, label=4)

    late = with_late_reads(Individual((form, account, login, again)))

    assert [one.label for one in late] == [2, 1, 3, 4]
    assert with_late_reads(late) == late
    other = Individual((call("GET /", label=5), account, call("PUT /a", token, label=6)))
    assert with_late_reads(other) == other, "nobody uses the first page"
