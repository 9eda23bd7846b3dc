from __future__ import annotations

import pytest

from pytest_evosearch.core.vocabulary import CREATE
from pytest_evosearch.core.vocabulary import DELETE
from pytest_evosearch.core.vocabulary import FORGERY_TOKEN
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import LOG_IN
from pytest_evosearch.core.vocabulary import LOG_OUT
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import UPDATE
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.core.vocabulary import Meaning


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


@pytest.mark.parametrize("meaning", [PASSWORD, LOGIN_NAME, FORGERY_TOKEN, LOG_IN, REGISTER])
def test_no_word_has_two_certainties(meaning: Meaning) -> None:
    words = meaning.words(Certainty.POSSIBLE)
    assert len(set(words)) == len(words)


def test_deeds_contradict_one_another_nowhere() -> None:
    deeds = (LOG_IN, LOG_OUT, REGISTER, CREATE, UPDATE, DELETE)
    words = [word for deed in deeds for word in deed.words(Certainty.POSSIBLE)]
    assert len(set(words)) == len(words)
