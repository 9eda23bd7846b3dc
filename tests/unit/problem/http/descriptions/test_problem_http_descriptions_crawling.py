from __future__ import annotations

from collections.abc import Mapping

import pytest

from pytest_evosearch.problem.http.descriptions.crawling import PAGES_PER_TEMPLATE
from pytest_evosearch.problem.http.descriptions.crawling import Crawler
from pytest_evosearch.problem.http.descriptions.crawling import endpoint_at
from pytest_evosearch.problem.http.exchanges.exchange import Response

HTML = (("Content-Type", "text/html; charset=utf-8"),)
JSON = (("Content-Type", "application/json"),)


def page(text: str) -> Response:
    return Response(200, HTML, text.encode())


def crawled(pages: Mapping[str, Response]) -> tuple[list[str], list[str]]:
    """Return the endpoints that the pages of a server lead to, and what was asked for."""
    asked: list[str] = []

    def ask(address: str) -> Response | None:
        asked.append(address)
        return pages.get(address)

    crawler = Crawler("http://shop:5000")
    crawler.crawl(ask)
    return [endpoint.key for endpoint in crawler.endpoints], asked


def test_links_and_forms_lead_to_endpoints() -> None:
    keys, asked = crawled(
        {
            "/": page('<a class="x" href="books/7?full=1&amp;page=2">Emma</a><a href="/about">'),
            "/books/7?full=1&page=2": page('<form method="post" action="/books/7/stock"></form>'),
            "/about": page('<form action="/search"></form>'),
            "/search": page(""),
        }
    )
    assert keys == [
        "GET /",
        "GET /books/{book_id}",
        "POST /books/{book_id}/stock",
        "GET /about",
        "GET /search",
    ]
    assert asked == ["/", "/books/7?full=1&page=2", "/about", "/search"]


def test_a_form_without_an_action_leads_back_to_its_page() -> None:
    keys, _asked = crawled({"/": page('<form method="POST"><input name="a"></form>')})
    assert keys == ["GET /", "POST /"]


def test_redirects_and_addresses_in_json_are_followed() -> None:
    keys, _asked = crawled(
        {
            "/": Response(302, (("Location", "http://shop:5000/api"),)),
            "/api": Response(200, JSON, b'{"orders": "/api/orders", "text": "a / b"}'),
            "/api/orders": Response(200, JSON, b"[]"),
        }
    )
    assert keys == ["GET /", "GET /api", "GET /api/orders"]


def test_other_servers_assets_and_broken_links_are_left_alone() -> None:
    links = ("http://other:5000/a", "//other/a", "/style.css", "mailto:ann@example.org", "http://[")
    page_of_links = page("".join(f'<a href="{link}">' for link in links))
    assert crawled({"/": page_of_links}) == (["GET /"], ["/"])


def test_a_page_that_is_not_there_is_no_endpoint() -> None:
    assert crawled({"/": Response(404, HTML)}) == ([], ["/"])
    assert crawled({}) == ([], ["/"])


def test_a_long_list_is_not_read_to_its_end() -> None:
    pages = {f"/books/{number}": page("a book") for number in range(50)}
    pages["/"] = page("".join(f'<a href="{path}">' for path in pages))
    keys, asked = crawled(pages)
    assert keys == ["GET /", "GET /books/{book_id}"]
    assert len(asked) == 1 + PAGES_PER_TEMPLATE


@pytest.mark.parametrize(
    ("address", "template"),
    [
        ("/", "/"),
        ("/books/7/", "/books/{book_id}/"),
        ("/users/7/posts/9", "/users/{user_id}/posts/{post_id}"),
        ("/7/8", "/{id}/{id_2}"),
        ("/files/0b5a7e1e-3d1c-4c8f-9a55-0f5c7f9a1b2c", "/files/{file_id}"),
        ("/v2/books", "/v2/books"),
    ],
)
def test_numbers_are_parameters(address: str, template: str) -> None:
    assert endpoint_at("GET", address).template == template


def test_parameters_begin_with_what_the_address_says() -> None:
    endpoint = endpoint_at("GET", "/books/7?q=emma")
    found = {parameter.name: parameter.gene.value() for parameter in endpoint.parameters}
    assert found == {"book_id": 7, "q": "emma"}


def test_several_addresses_of_an_endpoint_are_one() -> None:
    crawler = Crawler("http://shop:5000")
    links = page('<a href="/books?q=a"><a href="/books?page=2">')
    crawler.crawl({"/": links, "/books?q=a": page(""), "/books?page=2": page("")}.get)
    (_index, books) = crawler.endpoints
    assert [parameter.name for parameter in books.parameters] == ["q", "page"]
