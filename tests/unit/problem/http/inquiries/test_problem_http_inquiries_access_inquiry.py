from __future__ import annotations

from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter
from pytest_evosearch.problem.http.exchanges.individual import NOBODY
from pytest_evosearch.problem.http.exchanges.individual import STRANGER
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.individual import Input
from pytest_evosearch.problem.http.exchanges.links import LinkGene
from pytest_evosearch.problem.http.inquiries.access_inquiry import AccessInquirer

ITEM = "/items/{number}"
PATH = Parameter(Location.PATH, "number", IntegerGene(current=1), True)
ENDPOINTS = (
    Endpoint("GET", ITEM, "read", (PATH,)),
    Endpoint("DELETE", ITEM, "delete", (PATH,)),
    Endpoint("GET", "/items", "list"),
    Endpoint("POST", "/login", "login"),
    Endpoint("GET", "/admin/users", "users"),
    Endpoint("POST", "/admin/purge", "purge"),
)
NUMBER = Input(Location.PATH, "number", IntegerGene(current=4))
CREDENTIALS = ObjectGene((Field("username", TextGene(current="ann")),))
LOGIN = Call("POST /login", (Input(Location.JSON, "", CREDENTIALS),), 1)


def story(individual: Individual) -> list[tuple[str, str | None]]:
    return [(call.endpoint, call.user) for call in individual.calls]


def deleted_by(user: str | None) -> Individual:
    return Individual((Call(f"DELETE {ITEM}", (NUMBER,), 2, user),))


def test_another_user_tries_what_one_user_did_both_ways_round() -> None:
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ("ann", "bob"))
    first, second = inquirer.foreign(deleted_by("ann"))

    assert story(first) == [
        ("GET /items", "ann"),
        ("GET /items", "bob"),
        (f"GET {ITEM}", None),
        (f"GET {ITEM}", "ann"),
        (f"GET {ITEM}", "bob"),
        (f"DELETE {ITEM}", "bob"),
        (f"GET {ITEM}", "ann"),
    ]
    assert story(second)[-2:] == [(f"DELETE {ITEM}", "ann"), (f"GET {ITEM}", "bob")]


def test_administrators_are_no_intruders() -> None:
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ("ann", "admin"))
    (found,) = inquirer.foreign(deleted_by("ann"))

    assert story(found)[-2:] == [(f"DELETE {ITEM}", "ann"), (f"GET {ITEM}", "admin")]


def test_first_of_numbered_users_is_no_intruder() -> None:
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ("user_1", "user_2"))
    (found,) = inquirer.foreign(deleted_by("user_1"))

    assert story(found)[-2][1] == "user_2"


def test_stranger_logs_in_by_the_same_calls_under_another_name() -> None:
    token = Input(Location.HEADER, "Authorization", LinkGene(1, ("json", "token"), TextGene()))
    act = Call(f"DELETE {ITEM}", (NUMBER, token), 2)
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ())
    (found,) = inquirer.foreign(Individual((LOGIN, act)))
    login, intrusion = found.calls[1], found.calls[-2]

    assert login.user == intrusion.user == STRANGER
    assert login.inputs[0].gene.value() == {"username": "strangerann"}
    assert [given.gene.label for given in intrusion.inputs if isinstance(given.gene, LinkGene)] == [
        login.label
    ]
    assert (f"GET {ITEM}", NOBODY) in story(found)


def test_anonymous_applications_are_left_alone() -> None:
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ())

    assert not list(inquirer.foreign(deleted_by(None)))


def test_nobody_shows_no_credentials() -> None:
    token = Input(Location.HEADER, "X-Api-Key", TextGene(current="k"))
    base = Individual((Call(f"DELETE {ITEM}", (NUMBER, token), 2, "ann"),))
    (found,) = AccessInquirer(EndpointModel(ENDPOINTS), ("ann",)).anonymous(base)

    assert story(found) == [(f"GET {ITEM}", None), (f"DELETE {ITEM}", None)]
    assert all(given.location is Location.PATH for call in found for given in call.inputs)


def test_ordinary_users_call_what_is_for_administrators() -> None:
    inquirer = AccessInquirer(EndpointModel(ENDPOINTS), ("root", "ann"))
    purge = Individual((Call("POST /admin/purge", (), 1, "root"),))
    users = Individual((Call("GET /admin/users", (), 1, "root"),))
    (found,) = inquirer.administrative(purge, [users, purge])

    assert story(found) == [
        ("GET /admin/users", "root"),
        ("GET /admin/users", "ann"),
        ("POST /admin/purge", None),
        ("POST /admin/purge", "ann"),
    ]
