"""Requests of account owners, where the application creates an account first."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.problem.http.descriptions.guesses import MAIL_WORDS
from pytest_evosearch.problem.http.doors.callers import Account
from pytest_evosearch.problem.http.doors.colouring import is_open
from pytest_evosearch.problem.http.doors.stored_values import EQUALITIES
from pytest_evosearch.problem.http.doors.stored_values import rehashed
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input

MOST_TEXTS = 12
"""Most suggested tests with one text of an account in one place, after one look."""


def filled_for(call: Call, account: Account) -> Call:
    """Return a call with the texts of an account in inputs whose names ask for them."""
    for given in call.inputs:
        gene = given.gene
        for value_path, gene_path, leaf in list(leaves(gene)):
            names = [one for one in value_path if isinstance(one, str)] or [given.name]
            text = _text_for(names[-1], account)
            adopted = leaf.adopt(text) if text else None
            if adopted is not None:
                gene = replaced(gene, gene_path, adopted)
        call = call.with_input(Input(given.location, given.name, gene))
    return call


def texts_in_turn(account: Account, call: Call) -> Iterator[tuple[Call, tuple[Location, str], str]]:
    """Yield the call with one text of an account in one place, with the input and the text."""
    places = [
        (given, gene_path, leaf)
        for given in call.inputs
        for _value_path, gene_path, leaf in leaves(given.gene)
        if is_open(leaf) and leaf.value() not in account.texts
    ]
    count = 0
    for given, gene_path, leaf in places:
        for text in account.texts:
            adopted = leaf.adopt(text)
            if adopted is not None and count < MOST_TEXTS:
                count += 1
                gene = replaced(given.gene, gene_path, adopted)
                yield call.with_input(Input(given.location, given.name, gene)), given.key, text


def changed_accounts(account: Account, observation: Observation) -> Iterator[Account]:
    """Yield the account with one of its values replaced by the other side of a comparison."""
    found: dict[Account, None] = {}
    for comparison in reversed(observation.guidance):
        stored = rehashed(comparison)
        hashed = account.hashed(stored) if stored is not None else None
        if hashed is not None:
            found.setdefault(hashed)
        elif comparison.relation in EQUALITIES:
            for old, new in _pairs(comparison):
                changed = account.changed(old, new)
                if changed is not None and new not in account.texts:
                    found.setdefault(changed)
    yield from found


def _pairs(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the compared texts in both orders, unless they differ only by an affix.

    A statement's text with one more character is meant to find nothing.
    """
    wanted = comparison.wanted
    members = wanted if isinstance(wanted, (tuple, list, set, frozenset)) else (wanted,)
    if comparison.observed in members:
        return
    for member in members:
        for old, new in ((comparison.observed, member), (member, comparison.observed)):
            if isinstance(old, str) and isinstance(new, str) and not new.startswith(old):
                yield old, new


def _text_for(name: str, account: Account) -> str:
    """Return the account's text that a field asks for, empty where it asks for none."""
    words = set(words_of(name))
    if PASSWORD.is_meant_by(name, Certainty.LIKELY) or words & set(PASSWORD.words()):
        return account.password
    names = [text for text in account.texts if text != account.password]
    mails = [text for text in names if "@" in text]
    others = [text for text in names if "@" not in text]
    if words & MAIL_WORDS:
        return (mails or others or [""])[0]
    known = dict(account.values).get(name)
    if isinstance(known, str):
        return known
    if LOGIN_NAME.is_meant_by(name, Certainty.LIKELY) or "name" in words:
        return (others or mails or [""])[0]
    return ""
