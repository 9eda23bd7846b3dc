"""HTTP Basic: an endpoint whose challenge asks for it accepts it.

No name and password is known beforehand, but a test that registers a user knows both. So the header
becomes a gene of its own. Its halves can take the name and password that an earlier call of the
test sent. Endpoints that ask for the header are tried after every call that changes something.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import ClassVar

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import PASSWORD
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.composite import CompositeGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.links import Link

HEADER = "Authorization"

_TEXT = TextGene(current="a")


@dataclass(frozen=True)
class BasicGene(CompositeGene):
    """The header of HTTP Basic authentication (RFC 7617), made of a name and a password."""

    inside: ClassVar[tuple[str, ...]] = ("user", "password")

    user: Gene = _TEXT
    password: Gene = _TEXT

    def value(self) -> str:
        """Return ``Basic am9lOnNlY3JldA==``."""
        pair = f"{_plain(self.user)}:{_plain(self.password)}".encode("utf-8", "surrogatepass")
        return f"Basic {b64encode(pair).decode('ascii')}"

    def sample(self, rng: Random) -> Gene:
        """Sample both halves."""
        return BasicGene(self.user.sample(rng), self.password.sample(rng))

    def adopt(self, value: object) -> Gene | None:
        """Become a plain text, which need not consist of a name and a password."""
        return _TEXT.adopt(value)


def _plain(gene: Gene) -> object:
    """Return the value of a gene; the value of a link is not known here."""
    value = gene.value()
    return value.fallback if isinstance(value, Link) else value


def basic_from(credentials: Mapping[str, Gene]) -> BasicGene | None:
    """Return the header for the usual credentials of an earlier call, None without both."""
    user = next(
        (credentials[name] for name in LOGIN_NAME.words(Certainty.LIKELY) if name in credentials),
        None,
    )
    password = next((credentials[name] for name in PASSWORD.words() if name in credentials), None)
    if user is None or password is None:
        return None
    return BasicGene(user, password)


def learn_challenge(exchange: Exchange, model: EndpointModel) -> bool:
    """Let an endpoint that asks for HTTP Basic accept it; say whether this is new."""
    response, key = exchange.response, exchange.request.endpoint
    if response is None:
        return False
    challenge = response.header("WWW-Authenticate") or ""
    scheme = challenge.partition(" ")[0].lower()
    if scheme != "basic":
        return False
    known = model.parameter(key, (Location.HEADER, HEADER))
    if known is not None and known.source == "challenge":
        return False
    model.put(key, Parameter(Location.HEADER, HEADER, BasicGene(), source="challenge"))
    return True
