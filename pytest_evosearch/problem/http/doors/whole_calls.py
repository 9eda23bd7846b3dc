"""Adds inputs to calls that are climbed: all that are known, or those of the page's own form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytest_evosearch.core.randomness import Random
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import is_safe
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.links import is_linked
from pytest_evosearch.problem.http.filling.call_maker import CallMaker


def completion(model: EndpointModel, maker: CallMaker, rng: Random) -> Callable[[Call], Call]:
    """Return a function that adds all inputs that an endpoint is now known to take."""
    known: dict[Call, tuple[object, Call]] = {}

    def complete(call: Call) -> Call:
        """Draw values only when inputs are new: otherwise each look would differ."""
        parameters = model.endpoint(call.endpoint).parameters
        if call not in known or known[call][0] != parameters:
            known[call] = parameters, maker.completed(call, rng, whole=True)
        return known[call][1]

    return complete


def beginning(model: EndpointModel, complete: Callable[[Call], Call]) -> Callable[[Call], Call]:
    """Return a function that gives a call the inputs to begin with.

    These are what the page's own form sends, else all: code may handle other buttons first.
    """

    def begin(call: Call) -> Call:
        forms = [] if is_safe(call.endpoint) else model.forms.sent_to(call.endpoint)
        whole = complete(call)
        if not forms:
            return whole
        linked = (*forms[0], *(given.key for given in whole.inputs if is_linked(given)))
        inputs = (
            given
            for given in whole.inputs
            if given.key in linked or given.location is Location.PATH
        )
        return replace(whole, inputs=tuple(inputs))

    return begin
