"""Finds the endpoints of a running server on its pages, as each user and anonymously."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.problem.http.descriptions.crawling import Crawler
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.sut.clients.client import send
from pytest_evosearch.sut.handle import AppHandle
from pytest_evosearch.sut.handle import User


def endpoints_of_pages(handle: AppHandle, others: bool = False) -> list[Endpoint]:
    """Return the endpoints to which the pages of the server lead.

    Raise `InvalidSetting` when there are none, and no `others` are known.
    """
    crawler = Crawler(handle.description)
    for user in (None, *handle.users.values()):
        crawler.crawl(_asking(handle, user))
    if not crawler.endpoints and not others:
        raise InvalidSetting(
            f"{handle.description} serves neither an OpenAPI document at the usual places nor a "
            "page at /: name the document, a file or a route, with --evosearch-schema"
        )
    return crawler.endpoints


def _asking(handle: AppHandle, user: User | None) -> Callable[[str], Response | None]:
    """Return a function that requests pages as `user`; None means an anonymous caller."""
    client = handle.make_client()
    headers = list(user.headers.items()) if user is not None else []
    if user is not None and user.login is not None:
        with suppress(Exception):  # a log-in that fails leaves an anonymous client
            user.login(client)

    def ask(address: str) -> Response | None:
        answer = send(client, method="GET", path=address, headers=headers)
        return Response(answer.status, answer.headers, answer.body) if answer.status else None

    return ask
