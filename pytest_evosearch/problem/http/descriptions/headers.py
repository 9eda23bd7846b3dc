"""Formats of well-known request headers, which standards define.

RFC 9110 (HTTP semantics), RFC 7239 and common practice for ``X-`` headers. A handler that parses a
header by hand (``split("=")``, ``int``) refuses nearly every other text at once.
"""

from __future__ import annotations

from string import ascii_lowercase
from string import digits

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.formats import UrlGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.guesses import TEXT
from pytest_evosearch.problem.http.exchanges.address import HOST
from pytest_evosearch.problem.http.exchanges.address import SCHEME

_PATTERNS = {
    "range": r"bytes=[0-9]{1,4}-[0-9]{0,4}",
    "content-range": r"bytes [0-9]{1,4}-[0-9]{1,4}/[0-9]{1,4}",
}

_LONG_AGO = "Sat, 29 Oct 1994 19:43:31 GMT"
_FAR_AHEAD = "Thu, 31 Dec 2099 23:59:59 GMT"
_DATES = (_LONG_AGO, _FAR_AHEAD)
_TAGS = ('"a"', 'W/"a"', "*")
_ADDRESSES = ("127.0.0.1", "10.0.0.1", "203.0.113.7", "::1")

_VALUES: dict[str, tuple[str, ...]] = {
    "accept": (
        *("*/*", "application/json", "text/html", "text/plain", "application/xml", "text/csv"),
        *("image/*", "application/octet-stream", "text/html;q=0.5, application/json"),
    ),
    "accept-charset": ("utf-8", "iso-8859-1"),
    "accept-encoding": ("gzip", "identity", "br", "deflate"),
    "accept-language": ("en", "de", "fr-CA, fr;q=0.8", "*"),
    "access-control-request-headers": ("Content-Type", "X-Custom"),
    "access-control-request-method": ("GET", "POST", "PUT", "DELETE"),
    "cache-control": ("no-cache", "max-age=0"),
    "date": _DATES,
    "hx-request": ("true",),
    "if-match": _TAGS,
    "if-modified-since": _DATES,
    "if-none-match": _TAGS,
    "if-range": (*_TAGS, *_DATES),
    "if-unmodified-since": _DATES,
    "prefer": ("return=minimal", "return=representation", "respond-async"),
    "user-agent": (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0 Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1",
        "curl/8.0",
        "Googlebot/2.1",
    ),
    "x-forwarded-for": _ADDRESSES,
    "x-forwarded-proto": ("https",),
    "x-http-method-override": ("PUT", "DELETE", "PATCH"),
    "x-real-ip": _ADDRESSES,
    "x-requested-with": ("XMLHttpRequest",),
}

_ADDRESSED = frozenset({"origin", "referer"})


_HOST_CHARACTERS = f"{ascii_lowercase}{digits}.-"

_SET_BY_SERVER: dict[str, Gene] = {
    SCHEME: EnumGene(("https",)),
    HOST: TextGene(1, current="localhost", alphabet=_HOST_CHARACTERS),
}


def variable_gene(name: str) -> Gene:
    """Return a gene for a variable that the server sets; any text for an unknown one."""
    return _SET_BY_SERVER.get(name, TEXT)


def header_gene(name: str) -> Gene:
    """Return a gene for the request header `name`; any text for an unknown header."""
    known = name.lower()
    if known in _PATTERNS:
        return ChoiceGene((RegexGene.compile(_PATTERNS[known]), TEXT))
    if known in _VALUES:
        return ChoiceGene((EnumGene(_VALUES[known]), TEXT))
    return UrlGene() if known in _ADDRESSED else TEXT
