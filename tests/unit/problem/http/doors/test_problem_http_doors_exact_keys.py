"""Texts that are nearly a key tell a crash in a check from one behind it."""

from __future__ import annotations

import pytest

from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.doors.exact_keys import crashes_alike
from pytest_evosearch.problem.http.doors.exact_keys import with_other_characters
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.learning.challenges import BasicGene


def variants(gene, name="X-Key"):
    individual = Individual((Call("GET /gate", (Input(Location.HEADER, name, gene),), 1),))
    changed = with_other_characters(individual, [(Location.HEADER, "X-Key")])
    return [str(each.calls[-1].inputs[0].gene.value()) for each in changed]


@pytest.mark.parametrize(
    ("text", "nearly"),
    [
        ("K-az9", ["K-az99", "K-az0", "K-aa9", "L-az9"]),
        ("K-", ["K-K", "L-"]),
        ("--", []),
        ("", []),
    ],
)
def test_one_letter_or_digit_is_another_one_of_the_kind(text, nearly):
    assert variants(TextGene(current=text)) == nearly


def test_only_the_keys_are_changed():
    assert variants(TextGene(current="x"), name="X-Other") == []


def test_name_and_password_are_changed_one_after_the_other():
    pair = BasicGene(TextGene(current="m"), TextGene(current="s"))
    assert len(variants(pair)) == 4


def failed(line):
    crash = Crash("ValueError", "builtins", "", "gate.py", line, "gate", "") if line else None
    return Exchange(Request("GET", "/gate"), None, crash=crash)


@pytest.mark.parametrize(("one", "other", "same"), [(3, 3, True), (3, 4, False), (0, 0, False)])
def test_crashes_are_alike_by_their_place(one, other, same):
    assert crashes_alike(failed(one), failed(other)) is same
