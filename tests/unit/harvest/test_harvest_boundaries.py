"""Boundaries of comparisons, looked for in a small shop."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import replace

import pytest

from pytest_evosearch.execution.full_evaluation import FullEvaluation
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.harvest.boundaries import MOST_BOUNDARIES
from pytest_evosearch.harvest.boundaries import Boundaries
from pytest_evosearch.harvest.telling_numbers import Result
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.evaluation import Evaluation
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input

ORDER = "POST /orders"
STOCK = 12


class Shop:
    """Refuses what it has not in stock; gives a discount from ten on."""

    def __init__(self, limits: Sequence[int] = (STOCK, 10), slow: Sequence[int] = ()) -> None:
        self.limits = limits
        self.slow = slow
        self.asked = 0

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        self.asked += 1
        quantity = quantity_of(individual)
        status = 500 if quantity == 999 else 409 if quantity > STOCK else 201
        covered = frozenset((f"branch shop.py:3 {quantity >= 10}", f"status {ORDER} {status}"))
        sent = (("quantity", individual.calls[-1].inputs[0].gene.value()),)
        slept = quantity / 10 if quantity in self.slow else 0.0
        exchanges = (
            Exchange(Request("POST", "/orders", form=sent), Response(status), slept=slept),
        )
        evaluation = Evaluation(individual, {}, (1, 0), Observation(individual, exchanges))
        return FullEvaluation(evaluation, (covered,))

    def compared(self, individual: Individual) -> list[Comparison]:
        quantity = quantity_of(individual)
        return [Comparison("branch", ">", quantity, limit) for limit in self.limits]


def quantity_of(individual: Individual) -> int:
    return int(str(individual.calls[-1].inputs[0].gene.value()))


def order(gene: Gene, name: str = "quantity") -> Individual:
    return Individual((Call(ORDER, (Input(Location.FORM, name, gene),), 1),))


def quantities(shop: Shop, *sent: Individual) -> list[int]:
    boundaries = Boundaries(shop.execute, shop.compared, lambda: False)
    results: list[Result] = [(shop.execute(one), frozenset()) for one in sent]
    found = boundaries.added(results)
    return [quantity_of(evaluation.evaluation.individual) for evaluation, _duty in found]


def test_both_sides_of_each_boundary_get_a_test() -> None:
    assert quantities(Shop(), order(IntegerGene(current=1))) == [12, 13, 9, 10]


def test_what_a_test_sends_already_is_not_sent_again() -> None:
    sent = [order(IntegerGene(current=number)) for number in (1, 10, 13)]

    assert quantities(Shop(), *sent) == [12, 9]


def test_the_same_request_is_sent_once_whatever_holds_its_number() -> None:
    sent = [order(IntegerGene(current=1)), order(TextGene(current="13"), "other")]

    assert quantities(Shop((STOCK,)), *sent) == [12]


def test_numbers_may_be_spelt() -> None:
    class Spelling(Shop):
        def compared(self, individual: Individual) -> list[Comparison]:
            return [Comparison("branch", "<", 1, STOCK)]

    assert quantities(Spelling(), order(TextGene(current="1"))) == [12, 13]


def test_a_comparison_that_makes_no_difference_is_no_boundary() -> None:
    assert quantities(Shop((5, 1000, 2**70)), order(IntegerGene(current=1))) == []


def test_what_is_compared_otherwise_is_not_looked_for() -> None:
    class Equal(Shop):
        def compared(self, individual: Individual) -> list[Comparison]:
            return [Comparison("branch", "==", 1, STOCK), Comparison("branch", "<", 7, STOCK)]

    assert quantities(Equal(), order(IntegerGene(current=1))) == []


def test_identifiers_have_no_boundaries() -> None:
    assert quantities(Shop(), order(IntegerGene(current=1), "product_id")) == []


def test_failures_are_neither_looked_at_nor_kept() -> None:
    assert quantities(Shop(), order(IntegerGene(current=999))) == []
    assert quantities(Shop((999,)), order(IntegerGene(current=1))) == []


def test_what_takes_long_is_no_test() -> None:
    assert quantities(Shop((STOCK,), slow=(13,)), order(IntegerGene(current=1))) == []


def test_few_boundaries_are_looked_for() -> None:
    shop = Shop(tuple(range(100, 200, 5)))
    quantities(shop, order(IntegerGene(current=1)))

    assert shop.asked == 1 + 3 * MOST_BOUNDARIES


def test_a_test_answers_for_the_code_that_it_runs() -> None:
    shop = Shop((STOCK,))
    boundaries = Boundaries(shop.execute, shop.compared, lambda: False)

    found = boundaries.added([(shop.execute(order(IntegerGene(current=1))), frozenset())])

    assert [duty for _evaluation, duty in found] == [frozenset(("branch shop.py:3 True",))] * 2


def test_nothing_is_looked_for_without_time() -> None:
    shop = Shop()
    boundaries = Boundaries(shop.execute, shop.compared, lambda: True)

    assert boundaries.added([(shop.execute(order(IntegerGene(current=1))), frozenset())]) == []


def test_what_is_sent_nowhere_is_no_side_of_a_boundary() -> None:
    class Routed(Shop):
        def execute(self, individual: Individual) -> FullEvaluation[Individual]:
            found = super().execute(individual)
            covered = found.covered_by_call if quantity_of(individual) <= STOCK else (frozenset(),)
            return replace(found, covered_by_call=covered)

    assert quantities(Routed((STOCK,)), order(IntegerGene(current=1))) == []


def test_a_test_that_runs_no_code_that_is_seen_answers_for_its_status() -> None:
    class BlackBox(Shop):
        def execute(self, individual: Individual) -> FullEvaluation[Individual]:
            found = super().execute(individual)
            statuses = (one for one in found.covered_by_call[-1] if one.startswith("status"))
            return replace(found, covered_by_call=(frozenset(statuses),))

    shop = BlackBox((STOCK,))
    boundaries = Boundaries(shop.execute, shop.compared, lambda: False)
    found = boundaries.added([(shop.execute(order(IntegerGene(current=1))), frozenset())])

    assert [sorted(duty) for _evaluation, duty in found] == [
        [f"status {ORDER} 201"],
        [f"status {ORDER} 409"],
    ]


NOTE = "POST /notes"


class Board:
    """Takes what passes `accepts`; its comparisons are given."""

    def __init__(
        self, accepts: Callable[[dict[str, str]], bool], compared: Sequence[Comparison] = ()
    ) -> None:
        self.accepts = accepts
        self.comparisons = list(compared)

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        sent = {given.name: str(given.gene.value()) for given in individual.calls[-1].inputs}
        status = 201 if self.accepts(sent) else 400
        covered = frozenset((f"branch board.py:3 {status}",))
        exchange = Exchange(Request("POST", "/notes", form=tuple(sent.items())), Response(status))
        evaluation = Evaluation(individual, {}, (1, 0), Observation(individual, (exchange,)))
        return FullEvaluation(evaluation, (covered,))

    def compared(self, individual: Individual) -> list[Comparison]:
        return self.comparisons


def note(**texts: Gene) -> Individual:
    inputs = tuple(Input(Location.FORM, name, gene) for name, gene in texts.items())
    return Individual((Call(NOTE, inputs, 1),))


def texts(board: Board, sent: Individual) -> list[tuple[str, ...]]:
    boundaries = Boundaries(board.execute, board.compared, lambda: False)
    found = boundaries.added([(board.execute(sent), frozenset())])
    return [
        tuple(
            str(given.gene.value()) for given in evaluation.evaluation.individual.calls[-1].inputs
        )
        for evaluation, _duty in found
    ]


def test_the_length_of_a_text_has_boundaries() -> None:
    longer = Comparison("branch", "==", "a", "a" * 41)
    board = Board(lambda sent: len(sent["title"]) <= 40, [longer])

    assert texts(board, note(title=TextGene(current="a"))) == [("a" * 40,), ("a" * 41,)]


def test_an_empty_text_that_does_what_none_does_is_no_side_of_a_boundary() -> None:
    compared = [Comparison("branch", "==", "a", "")]
    optional = Board(lambda sent: not sent.get("code"), compared)
    required = Board(lambda sent: sent.get("code") == "", compared)
    sent = note(code=TextGene(current="a"))

    assert texts(optional, sent) == []
    assert texts(required, sent) == [("",)]


def test_a_compared_number_may_be_a_length() -> None:
    board = Board(lambda sent: len(sent["title"]) < 3, [Comparison("branch", ">=", 2, 3)])

    assert texts(board, note(title=TextGene(current="ab"))) == [("aaa",)]


def test_lengths_that_a_validator_demands_are_tried() -> None:
    board = Board(lambda sent: 3 <= len(sent["name"]) <= 20)
    name = TextGene(minimum_length=3, maximum_length=20, current="joe")

    assert texts(board, note(name=name)) == [("a" * 20,), ("a" * 21,), ("aa",)]


def test_limits_that_were_learnt_after_the_test_was_made_count() -> None:
    board = Board(lambda sent: len(sent["name"]) <= 20)
    asked = []

    def described(*place: object) -> Gene:
        asked.append(place)
        return TextGene(maximum_length=20)

    boundaries = Boundaries(board.execute, board.compared, lambda: False, described)
    test = board.execute(note(name=TextGene(current="joe")))

    assert len(boundaries.added([(test, frozenset())])) == 2
    assert asked[0] == (NOTE, (Location.FORM, "name"), ())


def test_a_number_that_is_sent_as_a_text_has_no_limit_of_characters() -> None:
    board = Board(lambda sent: int(sent["pin"]) < 30)

    assert texts(board, note(pin=TextGene(maximum_length=30, current="4"))) == []


def test_a_text_keeps_what_it_needs_besides_its_length() -> None:
    board = Board(
        lambda sent: len(sent["email"]) <= 30 and sent["email"].endswith("joe@b.de"),
    )
    email = TextGene(maximum_length=30, current="joe@b.de")

    assert texts(board, note(email=email)) == [
        ("a" * 22 + "joe@b.de",),
        ("a" * 23 + "joe@b.de",),
    ]


@pytest.mark.parametrize(
    ("secret", "added"),
    [
        ("secret123", [("aaaaaaa", "aaaaaaa"), ("aaaaaaaa", "aaaaaaaa")]),
        ("aaaaaaaa", [("aaaaaaa", "aaaaaaa")]),
    ],
)
def test_a_confirmation_is_as_long_as_what_it_confirms(
    secret: str, added: list[tuple[str, ...]]
) -> None:
    board = Board(lambda sent: len(sent["password"]) >= 8 and sent["password"] == sent["again"])
    password = TextGene(minimum_length=8, current=secret)

    assert texts(board, note(password=password, again=TextGene(current=secret))) == added


def test_texts_that_are_alike_go_alone_where_that_does() -> None:
    board = Board(lambda sent: len(sent["password"]) >= 3)
    password = TextGene(minimum_length=3, current="abc")

    assert texts(board, note(name=TextGene(current="abc"), password=password)) == [("bb",)]


def test_very_long_texts_are_not_sent() -> None:
    board = Board(lambda sent: len(sent["title"]) <= 10_000)

    assert texts(board, note(title=TextGene(maximum_length=10_000, current="a"))) == []


class Till:
    """Takes an amount up to a limit; a refusal never reaches the code of a voucher."""

    def __init__(self, demanded: Sequence[str] = ()) -> None:
        self.demanded = demanded

    def execute(self, individual: Individual) -> FullEvaluation[Individual]:
        sent = {given.name: str(given.gene.value()) for given in individual.calls[-1].inputs}
        lacking = any(name not in sent for name in self.demanded)
        status = 400 if lacking else 409 if int(sent["amount"]) > 12 else 201
        covered = {f"branch till.py:3 {status}"}
        if status == 201:
            covered.add(f"branch till.py:9 {sent.get('voucher')}")
        exchange = Exchange(Request("POST", "/notes", form=tuple(sent.items())), Response(status))
        evaluation = Evaluation(individual, {}, (1, 0), Observation(individual, (exchange,)))
        return FullEvaluation(evaluation, (frozenset(covered),))

    def compared(self, individual: Individual) -> list[Comparison]:
        amount = next(one for one in individual.calls[-1].inputs if one.name == "amount")
        return [Comparison("branch", ">", int(str(amount.gene.value())), 12)]


@pytest.mark.parametrize(
    ("demanded", "sent"), [((), ["amount"]), (("voucher",), ["amount", "voucher"])]
)
def test_both_sides_send_only_what_matters_for_their_difference(
    demanded: Sequence[str], sent: Sequence[str]
) -> None:
    till = Till(demanded)
    boundaries = Boundaries(till.execute, till.compared, lambda: False)
    base = note(amount=IntegerGene(current=1), voucher=TextGene(current="student"))

    found = boundaries.added([(till.execute(base), frozenset())])

    calls = [evaluation.evaluation.individual.calls[-1] for evaluation, _duty in found]
    assert [[given.name for given in call.inputs] for call in calls] == [sent, sent]
    assert [call.inputs[0].gene.value() for call in calls] == [12, 13]
