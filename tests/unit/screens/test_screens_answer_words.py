from __future__ import annotations

from pytest_evosearch.screens.answer_words import MOST_WORDS
from pytest_evosearch.screens.answer_words import state_words


def test_words_counts_and_presence_tell_a_state_and_data_do_not() -> None:
    answer = {"id": 7, "status": "Paid", "name": "cup", "lines": [1], "note": None, "open": True}
    assert state_words(answer) == ["lines=one", "note=none", "open=true", "status=paid"]


def test_lists_count_and_objects_inside_are_read() -> None:
    assert state_words([]) == ["=none"]
    assert state_words({"order": {"orderState": "sent", "rows": [1, 2]}}) == [
        "order.orderState=sent",
        "order.rows=many",
    ]


def test_long_texts_and_deep_or_many_values_are_left_out() -> None:
    assert state_words({"status": "it is on its way"}) == []
    assert state_words({"a": {"b": {"c": {"status": "x"}}}}) == []
    assert len(state_words({f"k{i}": None for i in range(99)})) == MOST_WORDS
