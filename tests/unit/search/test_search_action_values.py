from __future__ import annotations

import pytest

from pytest_evosearch.search.action_values import R_MAX
from pytest_evosearch.search.action_values import ActionValues
from pytest_evosearch.search.action_values import Move

CREATE, READ = Move("create"), Move("read")
AIM = Move(target="branch")


@pytest.fixture
def values() -> ActionValues:
    return ActionValues(0.5, ["create", "read"])


def test_what_was_never_done_has_the_maximum_reward(values: ActionValues) -> None:
    assert values.value("", CREATE) == R_MAX
    assert values.best_value("never seen") == R_MAX
    assert values.best_moves("", {"create", "read"}) == [CREATE, READ]


def test_a_value_is_the_reward_and_the_best_that_may_follow(values: ActionValues) -> None:
    values.learn("created", READ, "created")
    assert values.value("created", READ) == R_MAX / 2 + 0.5 * R_MAX  # creating is unseen there
    values.learn("created", CREATE, "created twice")
    values.learn("created", CREATE, "created twice")
    assert values.value("created", CREATE) == R_MAX / 3 + 0.5 * R_MAX
    values.learn("", CREATE, "created")
    assert values.value("", CREATE) == R_MAX / 2 + 0.5 * values.value("created", READ)


def test_what_was_done_often_gives_way_to_what_was_not(values: ActionValues) -> None:
    values.learn("", READ, "")
    values.learn("", READ, "")
    assert values.best_moves("", {"create", "read"}) == [CREATE]
    assert values.best_moves("", {"read"}) == [READ]


def test_counts_belong_to_a_state(values: ActionValues) -> None:
    values.learn("", READ, "")
    assert values.value("created", READ) == R_MAX


def test_a_variation_needs_no_offer_and_is_there_until_it_is_removed(values: ActionValues) -> None:
    values.renew("", AIM)
    assert values.best_moves("", set()) == [AIM]
    values.learn("", AIM, "")
    values.renew("", AIM)
    assert values.value("", AIM) == R_MAX
    values.learn("", AIM, "")
    assert values.value("", AIM) == R_MAX / 2 + 0.5 * R_MAX  # counted from the start
    values.remove("", AIM)
    assert values.best_moves("", set()) == []


def test_without_any_move_a_state_is_worth_what_is_unseen() -> None:
    assert ActionValues(0.5, []).best_value("") == R_MAX
