"""Lets tests request a token, instead of sending one from an earlier test.

A token signed with the application's key is valid in every test of a search, so the shortest test
only sends its text. But the token contains the time of its issue, and will have expired tomorrow.
So this kind of test must not be written.

    for each text that looks random, and that no response contains in a repetition of the tests
        where a response contains such a text under the same name
            the calls up to that response, and a link to it, replace the text
"""

from __future__ import annotations

from collections.abc import Container
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.visit import leaves
from pytest_evosearch.harvest.arranging.fetched_keys import OTHERWISE
from pytest_evosearch.harvest.arranging.fetched_keys import drawn_values
from pytest_evosearch.harvest.arranging.fetched_keys import is_drawn
from pytest_evosearch.oracles.sent import sent_texts
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Selector
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.learning.recipes import spliced

_REFUSALS = 400


@dataclass(frozen=True)
class _Issue:
    """The calls up to one that returns a token, and the place of the token in the last response."""

    calls: tuple[Call, ...]
    selector: Selector


@dataclass
class ReissuedTokens:
    """Ways to get a token, by the name under which it is returned."""

    constants: Container[object] = frozenset()
    """Literals in the application's code, which do not expire."""
    _today: set[object] = field(default_factory=set)
    """Values that responses return when the tests are executed again."""
    _issues: dict[str, _Issue] = field(default_factory=dict)

    def note(self, individual: Individual, exchanges: Sequence[Exchange]) -> None:
        """Remember the values that an executed test receives, and after how many calls."""
        sent: set[str] = set()
        for at, exchange in enumerate(exchanges):
            sent |= {text for _place, text in sent_texts(exchange.request)}
            if exchange.status >= _REFUSALS:
                continue
            for selector, value in drawn_values(exchange):
                if value not in sent:
                    self._today.add(value)
                    self._note_issue(_Issue(individual.calls[: at + 1], selector))

    def _note_issue(self, issue: _Issue) -> None:
        name = str(issue.selector[-1])
        known = self._issues.get(name)
        if known is None or len(issue.calls) < len(known.calls):
            self._issues[name] = issue

    def reissued(self, individual: Individual) -> Individual:
        """Return the test with links in place of tokens from earlier tests."""
        added: list[Call] = []
        calls: list[Call] = []
        for call in individual:
            for index, path, issue in self._stale(call):
                present = (*added, *calls)
                added += spliced(present, issue.calls, individual.calls[len(calls) :])
                link = LinkGene(_issuing((*added, *calls), issue), issue.selector, OTHERWISE)
                given = call.inputs[index]
                given = replace(given, gene=replaced(given.gene, path, link))
                call = _with_input(call, index, given)
            calls.append(call)
        return Individual((*added, *calls)).sent_by(calls[0].user) if added else individual

    def _stale(self, call: Call) -> Iterator[tuple[int, Path, _Issue]]:
        for index, given in enumerate(call.inputs):
            for value_path, path, leaf in leaves(given.gene):
                text = leaf.value()
                names = [given.name, *(step for step in value_path if isinstance(step, str))]
                issue = self._issues.get(names[-1])
                if issue is not None and is_drawn(text) and not self._lasts(text):
                    yield index, path, issue

    def _lasts(self, text: object) -> bool:
        return text in self.constants or text in self._today


def _issuing(calls: Sequence[Call], issue: _Issue) -> int:
    """Return the label of the call that returns the token; see `spliced`."""
    endpoint = issue.calls[-1].endpoint
    number = sum(call.endpoint == endpoint for call in issue.calls)
    return [call.label for call in calls if call.endpoint == endpoint][number - 1]


def _with_input(call: Call, index: int, given: Input) -> Call:
    return replace(call, inputs=(*call.inputs[:index], given, *call.inputs[index + 1 :]))
