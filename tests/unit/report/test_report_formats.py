"""JSON, SARIF and GitHub: valid whatever the application put into them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import report_samples as samples
from npm_package import NpmFile

from pytest_evosearch.report.github import annotation_lines
from pytest_evosearch.report.github import is_github_actions
from pytest_evosearch.report.identity import fault_identities
from pytest_evosearch.report.json_report import json_report
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SourceFile
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.sarif import sarif_report

SCHEMAS = Path(__file__).parent / "schemas"
OUTCOMES = {
    "empty": samples.EMPTY,
    "ordinary": samples.ordinary(),
    "many": samples.ordinary(120, 30, 5),
    "hostile": samples.hostile(),
}


@pytest.fixture(params=OUTCOMES.values(), ids=OUTCOMES.keys())
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return request.param


def schema(name: str) -> dict[str, object]:
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def test_sarif_log_is_valid(outcome: Outcome) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    log = json.loads(sarif_report(outcome))
    jsonschema.validate(log, schema("sarif-essentials.json"))
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(outcome.faults)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


PUBLISHED_SARIF = NpmFile(
    "@microsoft/jest-sarif@1.0.0-beta.0",
    "package/lib/schemas/sarif-2.1.0-rtm.5.json",
    "2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8",
)


def test_sarif_log_is_valid_under_the_published_schema(
    outcome: Outcome, pytestconfig: pytest.Config
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    published = json.loads(PUBLISHED_SARIF.text(pytestconfig))
    jsonschema.validate(json.loads(sarif_report(outcome)), published)


def test_sarif_places_a_fault_on_its_line() -> None:
    log = json.loads(sarif_report(samples.ordinary()))
    (location,) = log["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "shop/pricing.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 10},
    }


def test_json_report_is_plain_ascii_and_complete(outcome: Outcome) -> None:
    text = json_report(outcome)
    content = json.loads(text)
    assert text.isascii()
    assert content["version"] == 1
    assert len(content["faults"]) == len(outcome.faults)
    assert len(content["tests"]) == len(outcome.suite.generated)
    assert len(content["uncovered"]) == len(outcome.targets.uncovered)
    assert len(content["timeline"]) == len(outcome.effort.timeline)


def test_github_annotation_stands_at_the_faulty_line() -> None:
    (line,) = annotation_lines(samples.ordinary())
    assert line == (
        "::warning file=shop/pricing.py,line=10,"
        "title=POST /api/orders/{id}/discount ZeroDivisionError"
        "::ZeroDivisionError: division by zero%0Ashown by "
        "tests/evosearch/test_evosearch_faults.py::test_post_discount_crashes"
    )


def test_no_text_smuggles_a_workflow_command() -> None:
    (line,) = annotation_lines(samples.hostile())
    assert "\n" not in line
    assert "\r" not in line
    properties = line.removeprefix("::warning ").partition("::")[0]
    assert "%3A%3Aerror%3A%3Ax" in properties


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("false", False), (None, False)])
def test_github_actions_are_recognised(value: str | None, expected: bool) -> None:
    environment = {} if value is None else {"GITHUB_ACTIONS": value}
    assert is_github_actions(environment) is expected


def test_identity_outlives_edits_above_and_tells_two_lines_apart() -> None:
    source = samples.pricing()
    first, second = samples.fault(1), samples.fault(3)
    outcome = Outcome(
        samples.EMPTY.reason,
        seed=1,
        faults=(first, second),
        targets=TargetSummary(sources=(source,)),
    )
    moved = Outcome(
        samples.EMPTY.reason,
        seed=1,
        faults=(samples.fault(3), samples.fault(5)),
        targets=TargetSummary(sources=(type(source)(source.path, f"\n\n{source.text}"),)),
    )
    assert len(set(fault_identities(outcome))) == 2
    assert fault_identities(moved) == fault_identities(outcome)


def test_faults_that_look_alike_have_identities_of_their_own() -> None:
    fault = samples.fault()
    outcome = Outcome(samples.EMPTY.reason, seed=1, faults=(fault, fault, fault))
    assert len(set(fault_identities(outcome))) == 3


def test_identity_of_equal_lines_depends_on_no_order_and_no_other_fault() -> None:
    source = SourceFile("shop/pricing.py", "total = 1 / n\nelse_ = 2\ntotal = 1 / n\n")
    upper, lower = (replace(samples.fault(), position=f"shop/pricing.py:{line}") for line in (1, 3))

    def identities(*faults: FaultRow) -> list[str]:
        return fault_identities(
            Outcome(
                samples.EMPTY.reason,
                seed=1,
                faults=faults,
                targets=TargetSummary(sources=(source,)),
            )
        )

    both = identities(upper, lower)
    assert len(set(both)) == 2
    assert identities(lower, upper) == both[::-1]
    assert identities(lower) == both[1:]


def test_a_crash_of_many_endpoints_is_the_same_at_whichever_it_shows() -> None:
    one, other = (
        replace(samples.fault(), endpoint=endpoint, way="shop/hooks.py authorize")
        for endpoint in ("GET /a", "GET /b")
    )
    apart = replace(one, way="shop/views.py show > shop/hooks.py authorize")

    def identities(*faults: FaultRow) -> list[str]:
        return fault_identities(Outcome(samples.EMPTY.reason, seed=1, faults=faults))

    assert identities(one) == identities(other)
    assert identities(one) != identities(apart)
