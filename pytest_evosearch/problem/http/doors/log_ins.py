"""Log-ins: the page with the form, the name of the user, the inputs, the effect on other calls."""

from __future__ import annotations

import re
from collections.abc import Generator
from collections.abc import Iterable
from dataclasses import replace

from pytest_evosearch.core.http_words import FIRST_REDIRECT
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.problem.http.doors.agenda import kind_of_answer
from pytest_evosearch.problem.http.doors.ascents import Ascent
from pytest_evosearch.problem.http.doors.ascents import Step
from pytest_evosearch.problem.http.doors.ascents import lost
from pytest_evosearch.problem.http.doors.colouring import is_colour
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Observation
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.exchanges.links import linked_labels
from pytest_evosearch.problem.http.filling.call_maker import CallMaker
from pytest_evosearch.problem.http.filling.fullness import Fullness
from pytest_evosearch.problem.http.learning.alike import answer_of
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens

_NAME = re.compile(r"[A-Za-z][\w.+-]{0,40}(?:@[\w.-]{1,40})?")


def after_its_page(
    base: Individual, tokens: ForgeryTokens, maker: CallMaker, rng: Random
) -> Individual:
    """Return the test of a log-in, with a call before it for the page that shows the CSRF token."""
    log_in = base.calls[-1]
    wanted = tokens.wanted_by(log_in.endpoint, None)
    if not wanted or any(linked_labels(call.inputs) for call in base.calls):
        return base
    page = next(iter(wanted.values())).page
    showing = maker.make(page, rng, 1, None, Fullness.FULL)
    call = replace(log_in, label=showing.label + 1)
    for identity, token in wanted.items():
        if token.page == page:
            link = LinkGene(showing.label, token.selector, TextGene(current="a"))
            call = call.with_input(Input(*identity, link))
    return Individual((showing, call))


def shortened(ascent: Ascent) -> Generator[Individual, Observation, Ascent]:
    """Return a climb whose calls hold only the inputs that the log-in depends on.

    A log-in is the same if its response is, with as much code behind the check.
    """
    for number, call in enumerate(ascent.last.individual.calls):
        for given in call.inputs:
            individual = ascent.last.individual
            if given.location is Location.PATH:
                continue
            shorter = individual.calls[number].without_input(given.key)
            observation = yield individual.with_call(number, shorter)
            if _ends_as(ascent, observation):
                shown = observation.individual
                last = replace(ascent.last, individual=shown, observation=observation)
                ascent = replace(ascent, last=last)
    return ascent


def _ends_as(ascent: Ascent, observation: Observation) -> bool:
    """Say whether a test ends as a climb did."""
    if len(observation.exchanges) < len(ascent.last.individual.calls):
        return False
    last = observation.exchanges[-1]
    is_alike = kind_of_answer(last) == kind_of_answer(ascent.answer)
    return is_alike and last.crash is None and not lost(ascent, observation)


def answers_to_both(
    bases: Iterable[Individual], user: str | None
) -> Generator[Individual, Observation, list[tuple[Exchange, Exchange]]]:
    """Return the responses of each test's last call: to the anonymous caller, and to a user."""
    answers = []
    for base in bases:
        anonymous = yield base.sent_by(None)
        known = yield base.sent_by(user)
        answers.append((anonymous.exchanges[-1], known.exchanges[-1]))
    return answers


def are_served(answers: Iterable[tuple[Exchange, Exchange]]) -> bool:
    """Say whether any request succeeds for a user but not for the anonymous caller."""
    return any(
        anonymous.status >= FIRST_REDIRECT > known.status > 0 for anonymous, known in answers
    )


def answers_alike(one: Exchange, other: Exchange) -> bool:
    """Say whether two responses are equal as far as a caller can tell."""
    return answer_of(one) == answer_of(other)


def has_status_of(one: Exchange, other: Exchange) -> bool:
    """Say whether two responses have one status."""
    return one.status == other.status


def name_sent(step: Step) -> str:
    """Return the user that a log-in names: in a field for names, else in a compared text."""
    sent = [
        (str(path[-1]) if path else given.name, str(leaf.value()))
        for call in step.individual.calls
        for given in call.inputs
        for path, _gene_path, leaf in leaves(given.gene)
    ]
    texts = [text for field, text in sent if LOGIN_NAME.is_meant_by(field)]
    known = {text for _field, text in sent}
    compared = [text for text in step.compared if text in known]
    names = (text for text in (*texts, *compared) if not is_colour(text))
    return next(filter(_NAME.fullmatch, names), "")
