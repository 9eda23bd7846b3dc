"""Reads what callers send: the keys that let them in, and the requests of their log-ins."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.execution.transport import client_arguments
from pytest_evosearch.genes.base import replaced
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.doors.callers import pair_of
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import links_in
from pytest_evosearch.problem.http.exchanges.request import build_request
from pytest_evosearch.sut.users.client_actions import FieldOfPage
from pytest_evosearch.sut.users.client_actions import LogIn
from pytest_evosearch.sut.users.found_users import HeldKey
from pytest_evosearch.sut.watching.signed_tokens import Signed


@dataclass(frozen=True)
class SentByCallers:
    """Turns calls and inputs into what fixtures of users send."""

    tokens: Mapping[str, Signed]
    """Tokens that were signed with keys of the application."""
    endpoint: Callable[[str], Endpoint]

    def log_ins(self, way: Iterable[Call]) -> Iterator[LogIn]:
        """Yield the requests of calls; what they take from forms is read from earlier pages."""
        pages: dict[int, int] = {}
        for number, call in enumerate(way):
            read: dict[str, FieldOfPage] = {}
            for given in call.inputs:
                for path, link in links_in(given.gene):
                    field_of_page = FieldOfPage(pages[link.label], str(link.selector[-1]))
                    read[field_of_page.mark] = field_of_page
                    gene = replaced(given.gene, path, TextGene(current=field_of_page.mark))
                    call = call.with_input(replace(given, gene=gene))
            pages[call.label] = number
            yield replace(self._log_in(call), read=read)

    def _log_in(self, call: Call) -> LogIn:
        request = build_request(call, self.endpoint(call.endpoint), {})
        arguments = client_arguments(request, ())
        if request.headers:
            arguments["headers"] = dict(request.headers)
        if request.query:
            arguments["query_string"] = {name: str(value) for name, value in request.query}
        if isinstance(arguments.get("data"), Mapping):  # forms may send a name twice, rarely do
            arguments["data"] = {
                name: value[0] if isinstance(value, list) and len(value) == 1 else value
                for name, value in arguments["data"].items()
            }
        return LogIn(arguments.pop("method"), arguments)

    def key(self, given: Input) -> HeldKey:
        """Return an input that lets a caller in, renewed where it is valid only for a moment."""
        value = str(given.gene.value())
        made = self.tokens.get(value)
        again = made.again if made is not None else None
        return HeldKey(given.location.value, given.name, value, pair_of(given), again)
