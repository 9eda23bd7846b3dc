from __future__ import annotations

import pytest

from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty


@pytest.mark.parametrize("name", ["id", "order_id", "orderId", "guid", "ORDER-UUID", "pk"])
def test_identifiers_are_known_by_their_last_word(name: str) -> None:
    assert IDENTIFIER.is_meant_by(name)


@pytest.mark.parametrize("name", ["paid", "valid", "grid", "android", "id_card", "", "orderid"])
def test_letters_at_the_end_make_no_identifier(name: str) -> None:
    assert not IDENTIFIER.is_meant_by(name)


def test_a_noun_tells_where_a_name_without_joint_is_cut() -> None:
    assert IDENTIFIER.is_meant_by("orderid", nouns=["order"])
    assert not IDENTIFIER.is_meant_by("paid", nouns=["order"])


def test_less_certainty_takes_more_words() -> None:
    found = [certainty for certainty in Certainty if IDENTIFIER.is_meant_by("slug", certainty)]
    assert found == [Certainty.POSSIBLE, Certainty.LIKELY]
    assert IDENTIFIER.words(Certainty.POSSIBLE)[: len(IDENTIFIER.sure)] == IDENTIFIER.sure
