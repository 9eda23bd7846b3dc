"""HTTP Basic is learnt from its challenge, with the name and password of who registered."""

from __future__ import annotations

from base64 import b64encode
from random import Random

from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.filling.pool import ValuePool
from pytest_evosearch.problem.http.learning.addresses import AddressBook
from pytest_evosearch.problem.http.learning.challenges import BasicGene
from pytest_evosearch.problem.http.learning.challenges import basic_from
from pytest_evosearch.problem.http.learning.challenges import learn_challenge
from pytest_evosearch.problem.http.learning.forgery import ForgeryTokens
from pytest_evosearch.problem.http.learning.linking import Linker
from pytest_evosearch.problem.http.learning.producers import ProducerCatalog

BASIC = (("WWW-Authenticate", 'Basic realm="shop"'),)
KEY = "GET /orders"


def text(value: str) -> TextGene:
    """Return a gene that holds a text."""
    return TextGene(current=value)


def model(*parameters: Parameter) -> EndpointModel:
    """Return what is known of one guarded endpoint."""
    return EndpointModel([Endpoint("GET", "/orders", "orders", parameters=parameters)])


def answered(status: int, headers: tuple[tuple[str, str], ...]) -> Exchange:
    """Return an answer of that endpoint."""
    return Exchange(Request("GET", "/orders"), Response(status, headers))


def encoded(pair: str) -> str:
    """Return the header for a name and a password."""
    return f"Basic {b64encode(pair.encode()).decode()}"


def test_header_of_a_name_and_a_password():
    """Texts of any script."""
    assert BasicGene(text("jo"), text("ü:x")).value() == encoded("jo:ü:x")


def test_halves_vary_and_get_simpler():
    """Like any other value."""
    gene, rng = BasicGene(text("joseph"), text("secret")), Random(1)

    assert any(gene.mutate(rng).value() != gene.value() for _ in range(5))
    assert isinstance(gene.sample(rng), BasicGene)
    assert all(isinstance(each, BasicGene) for each in gene.simpler())
    assert [gene.with_child(key, child) for key, child in gene.children()] == [gene, gene]


def test_a_challenge_makes_a_parameter_in_place_of_what_was_read():
    """Flask-HTTPAuth reads the header before it refuses."""
    known = model(Parameter(Location.HEADER, "Authorization", text("a"), source="read"))

    assert learn_challenge(answered(401, BASIC), known)
    assert not learn_challenge(answered(401, BASIC), known)

    (parameter,) = known.endpoint(KEY).parameters
    assert isinstance(parameter.gene, BasicGene)


def test_other_refusals_teach_nothing():
    """Bearer wants a token, and without a challenge nothing is known."""
    known = model()

    assert not learn_challenge(answered(401, (("WWW-Authenticate", "Bearer"),)), known)
    assert not learn_challenge(answered(401, ()), known)
    assert not learn_challenge(answered(403, ()), known)
    assert known.endpoint(KEY).parameters == ()


def test_a_challenge_counts_whatever_its_status():
    assert learn_challenge(answered(400, BASIC), model())


def test_both_halves_are_needed():
    """A name alone is no log-in."""
    assert basic_from({"email": text("a@b.c")}) is None
    gene = basic_from({"email": text("a@b.c"), "pwd": text("x"), "colour": text("red")})
    assert gene is not None
    assert gene.value() == encoded("a@b.c:x")


def test_the_header_repeats_what_an_earlier_call_registered():
    """Nearly always; now and then something else."""
    known = model()
    pool = ValuePool()
    addresses = AddressBook(known)
    catalog = ProducerCatalog(known, pool, addresses)
    linker = Linker(known, catalog, ForgeryTokens(known))
    form = (
        Input(Location.FORM, "Email", text("jo@example.org")),
        Input(Location.FORM, "password", ChoiceGene(alternatives=(text("pw"), text("other")))),
    )
    register = Call("POST /users", form, label=0)
    guarded = Call(KEY, (Input(Location.HEADER, "Authorization", BasicGene()),), label=1)
    rng = Random(3)

    sent = [linker.connected(guarded, [register], rng).inputs[0].gene.value() for _ in range(20)]

    assert sent.count(encoded("jo@example.org:pw")) >= 15
