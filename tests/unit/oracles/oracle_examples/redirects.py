from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from oracle_examples.example import Example
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.inquiries.inquirer import STRANGE_HOST


def open_redirect() -> Iterator[Example]:
    def going_to(location: str, status: int = 302) -> Response:
        return Response(status, (("Location", location),))

    for url in (f"http://{STRANGE_HOST}/", f"//{STRANGE_HOST}/", f"/\\{STRANGE_HOST}/"):
        request = Request("GET", "/go", query=(("next", url),))
        yield Example((Exchange(request, going_to(url)),), ("query next",))
        yield Example((Exchange(request, going_to("/")),))
        yield Example((Exchange(request, going_to(f"/login?next={url}")),))
        yield Example((Exchange(request, going_to(url, status=201)),))
    form = Request("POST", "/go", form=(("next", f"//{STRANGE_HOST}/"),))
    yield Example((Exchange(form, going_to(f"//{STRANGE_HOST}/")),), ("form next",))
    partner = Request("GET", "/go", query=(("next", "//partner.invalid/"),))
    yield Example((Exchange(partner, going_to("//partner.invalid/")),))
    came_from = Request("GET", "/go", headers=(("Referer", f"http://{STRANGE_HOST}/"),))
    yield Example((Exchange(came_from, going_to(f"http://{STRANGE_HOST}/")),))
    yield Example((Exchange(replace(request, query=()), going_to(f"//{STRANGE_HOST}/")),))
    yield Example((Exchange(request, going_to("http://[broken/")),))
