"""Needles that a blind search does not find: hints, links and learning find them soon."""

from __future__ import annotations

import datetime

import pytest
from toy_application import Probe
from toy_application import ToyApplication
from toy_application import answer
from toy_application import climb
from toy_application import path_endpoint

from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.exchange import Request
from pytest_evosearch.problem.http.exchanges.exchange import Response
from pytest_evosearch.problem.http.http_problem import HttpProblem

SEEDS = range(1, 6)


def _median(problem_and_application, needle, budget):
    found = []
    for seed in SEEDS:
        problem, application = problem_and_application()
        found.append(climb(application, problem, needle, budget, seed) or budget * 10)
    return sorted(found)[len(found) // 2]


def _single(template, handler):
    def make():
        endpoint = path_endpoint(template)
        return HttpProblem([endpoint]), ToyApplication({endpoint.key: handler})

    return make


def test_constant_after_lower_and_strip_is_found():
    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        text = str(request.path["s"]).strip().lower()
        probe.equal("1", text, "open sesame!")
        return answer(200)

    assert _median(_single("/door/{s}", handler), "branch toy.py:1 true", 200) < 25


def test_64_bit_integer_is_found():
    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        text = str(request.path["n"])
        try:
            number = int(text)
        except ValueError:
            probe.branch("1", False, "parse", text, "int")
            return answer(400)
        probe.branch("1", True, "parse", text, "int")
        probe.equal("2", number, 7_244_019_458_077_122_842)
        return answer(200)

    assert _median(_single("/n/{n}", handler), "branch toy.py:2 true", 300) < 40


def test_day_window_is_found():
    low, high = datetime.date(2031, 3, 14), datetime.date(2031, 3, 15)

    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        text = str(request.path["day"])
        try:
            day = datetime.date.fromisoformat(text)
        except ValueError:
            probe.branch("1", False, "parse", text, "date.fromisoformat")
            return answer(400)
        probe.branch("1", True, "parse", text, "date.fromisoformat")
        if not probe.branch("2", day >= low, ">=", day, low, 0.3 if day < low else 0.1):
            return answer(200)
        probe.branch("3", day < high, "<", day, high, 0.3)
        return answer(200)

    assert _median(_single("/on/{day}", handler), "branch toy.py:3 true", 400) < 60


def test_three_conditions_on_three_inputs_are_met_one_after_the_other():
    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        name, value, site = (str(request.path[key]).lower() for key in ("name", "val", "site"))
        if (
            probe.equal("1", name, "session")
            and probe.equal("2", value, "am")
            and probe.equal("3", site, "abc.com")
        ):
            return answer(201)
        return answer(200)

    assert (
        _median(_single("/cookie/{name}/{val}/{site}", handler), "branch toy.py:3 true", 300) < 60
    )


def test_part_of_a_split_value_is_replaced():
    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        parts = str(request.path["file"]).split(".")
        if probe.less("1", len(parts), 2):
            return answer(200)
        probe.equal("2", parts[-1], "pdf")
        return answer(200)

    assert _median(_single("/suffix/{file}", handler), "branch toy.py:2 true", 600) < 200


def test_member_of_a_container_is_found():
    countries = tuple(f"country-{number}" for number in range(247))

    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        text = str(request.path["country"])
        known = text in countries
        probe.branch("1", known, "in", text, countries, 0.2)
        return answer(200)

    assert _median(_single("/news/{country}", handler), "branch toy.py:1 true", 200) < 20


def test_pattern_is_matched():
    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        import re

        pattern = r"(mon|tue)[0-9]{2}(jan|feb)"
        text = str(request.path["txt"])
        matched = re.fullmatch(pattern, text) is not None
        probe.branch("1", matched, "match", text, pattern, 0.2)
        return answer(200)

    assert _median(_single("/pat/{txt}", handler), "branch toy.py:1 true", 200) < 20


def test_absent_query_parameter_is_sent_with_the_wanted_value():
    endpoint = Endpoint("GET", "/find", "toy")

    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        given = dict(request.query)
        mode = given.get("mode", "plain")
        probe.read("query", "mode", present="mode" in given, default="plain")
        probe.equal("1", mode, "exhaustive")
        return answer(200)

    def make():
        return HttpProblem([endpoint]), ToyApplication({endpoint.key: handler})

    assert _median(make, "branch toy.py:1 true", 100) < 20


def test_json_fields_are_learnt_and_solved():
    endpoint = Endpoint("POST", "/orders", "toy")

    def handler(request: Request, probe: Probe, _state: dict) -> Response:
        probe.read("json", present=request.has_json)
        if not isinstance(request.json, dict):
            return answer(400)
        document = request.json
        customer = document.get("customer")
        probe.read("json", "customer", present="customer" in document)
        if not isinstance(customer, dict):
            return answer(400)
        probe.read("json", "customer", "tier", present="tier" in customer)
        if not probe.equal("1", customer.get("tier"), "gold"):
            return answer(200)
        probe.read("json", "total", present="total" in document)
        probe.equal("2", document.get("total"), 123_456)
        return answer(201)

    def make():
        return HttpProblem([endpoint]), ToyApplication({endpoint.key: handler})

    # The object below "customer" shows itself only by the read of its key.
    def handler_reading_first(request: Request, probe: Probe, state: dict) -> Response:
        if isinstance(request.json, dict) and not isinstance(request.json.get("customer"), dict):
            probe.read("json", "customer", "tier", present=False)
        return handler(request, probe, state)

    def make_reading():
        return HttpProblem([endpoint]), ToyApplication({endpoint.key: handler_reading_first})

    assert _median(make_reading, "branch toy.py:2 true", 400) < 120
    assert make is not None


def _store() -> dict:
    create, read = Endpoint("POST", "/things", "toy"), path_endpoint("/things/{id}")
    change = path_endpoint("/things/{id}", "PUT")
    delete = path_endpoint("/things/{id}", "DELETE")

    def creating(request: Request, probe: Probe, state: dict) -> Response:
        number = 70_000 + len(state)
        state[str(number)] = 0
        return answer(201, {"id": number})

    def on_existing(action):
        def handler(request: Request, probe: Probe, state: dict) -> Response:
            key = str(request.path["id"])
            if not probe.branch(action, key in state, "in", key, tuple(state), 0.05):
                return answer(404)
            if action == "9" and probe.equal("needle", state.get("updates", 0), 2):
                return answer(500)
            if action == "8":
                state["updates"] = state.get("updates", 0) + 1
            if action == "7":
                del state[key]
            return answer(200)

        return handler

    return {
        create: creating,
        read: on_existing("9"),
        change: on_existing("8"),
        delete: on_existing("7"),
    }


def _store_problem():
    handlers = _store()
    return HttpProblem(list(handlers)), ToyApplication(
        {endpoint.key: handler for endpoint, handler in handlers.items()}
    )


def test_identifiers_flow_from_creation_to_use():
    assert _median(_store_problem, "branch toy.py:7 true", 200) < 60


def test_two_updates_before_the_read_are_found():
    assert _median(_store_problem, "branch toy.py:needle true", 1500) < 700


@pytest.mark.parametrize(
    ("name_of_header", "scheme"),
    [
        ("Authorization", "Bearer "),
        ("Authorization", ""),
        ("Authorization", "Token "),
        ("X-Access-Token", ""),
    ],
)
def test_branch_behind_registration_and_login(name_of_header, scheme):
    register, login, secret = (
        Endpoint("POST", "/register", "toy"),
        Endpoint("POST", "/login", "toy"),
        Endpoint("GET", "/secret", "toy"),
    )

    def fields(request: Request, probe: Probe) -> tuple[object, object]:
        given = dict(request.form)
        probe.read("form", "username", present="username" in given)
        probe.read("form", "password", present="password" in given)
        return given.get("username"), given.get("password")

    def registering(request: Request, probe: Probe, state: dict) -> Response:
        name, password = fields(request, probe)
        if not name or not password:
            return answer(400)
        state.setdefault("users", {})[name] = password
        return answer(201)

    def logging_in(request: Request, probe: Probe, state: dict) -> Response:
        name, password = fields(request, probe)
        if name is None or state.get("users", {}).get(name) != password:
            return answer(401)
        state["token"] = f"t-{name}-{len(str(password))}"
        return answer(200, {"access_token": state["token"]})

    def telling(request: Request, probe: Probe, state: dict) -> Response:
        header = dict(request.headers).get(name_of_header)
        probe.read("header", name_of_header, present=header is not None)
        allowed = header is not None and header == f"{scheme}{state.get('token')}"
        probe.branch("1", allowed, "==", None, None, 0.1)
        return answer(200 if allowed else 401)

    def make():
        return HttpProblem([register, login, secret]), ToyApplication(
            {register.key: registering, login.key: logging_in, secret.key: telling}
        )

    # The toy makes no climbs, which find the scheme of a header sooner.
    assert _median(make, "branch toy.py:1 true", 600) < 250


@pytest.mark.parametrize("seed", [1, 2])
def test_equal_seeds_give_equal_searches(seed):
    runs = []
    for _ in range(2):
        problem, application = _store_problem()
        climb(application, problem, "never", 150, seed)
        runs.append((sorted(application.covered), repr(problem.known.model.endpoints)))
    assert runs[0] == runs[1]
