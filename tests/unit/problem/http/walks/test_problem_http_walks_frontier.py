from __future__ import annotations

from pytest_evosearch.core.randomness import derive
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.walks.frontier import LONGEST_WAY
from pytest_evosearch.problem.http.walks.frontier import Frontier
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import Offer

OFFERS = (Offer("GET /", CLICK), Offer("GET /cart", CLICK))


def way(length: int) -> list[Call]:
    return [Call("GET /", (), label) for label in range(length)]


def test_a_state_after_other_changes_is_another_place() -> None:
    frontier = Frontier()
    empty = frontier.arrive("cart", (), OFFERS, way(1))
    assert empty is not None
    empty.done.add(OFFERS[0])
    paid = frontier.arrive("cart", ("POST /payment",), OFFERS, way(3))
    assert paid is not None
    assert (empty.untried, paid.untried) == (OFFERS[1:], OFFERS)


def test_the_shortest_way_to_a_place_is_kept_and_long_ones_are_not() -> None:
    frontier = Frontier()
    assert frontier.arrive("cart", (), OFFERS, way(LONGEST_WAY + 1)) is None
    for length in (4, 2, 3):
        place = frontier.arrive("cart", (), OFFERS, way(length))
    assert place is not None
    assert len(place.way) == 2


def test_places_are_drawn_where_much_is_untried_and_few_walks_began() -> None:
    frontier, rng = Frontier(), derive(1, "frontier")
    assert frontier.draw(rng) is None
    done = frontier.arrive("cart", (), OFFERS, way(1))
    assert done is not None
    done.done.update(OFFERS)
    done.returns = 50
    fresh = frontier.arrive("order", (), OFFERS, way(2))
    drawn = [frontier.draw(rng) for _ in range(10)]
    assert drawn.count(fresh) > 6
    assert fresh is not None
    assert fresh.returns == drawn.count(fresh)
