"""The run as JUnit XML, which continuous integration shows without further settings.

There are two suites.  One has a case for each written test, which fails when the test fails its own
verification.  The other has a failed case for each fault.  The dialect is the one that Jenkins and
pytest share (``junit-10.xsd`` of Jenkins' xUnit plugin): no ``file``, no ``line``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import plain

_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot express (section 2.2)."""


def junit_report(outcome: Outcome) -> str:
    """Return `outcome` as a JUnit XML document."""
    suites = [_tests(outcome), _faults(outcome.faults)]
    root = ElementTree.Element("testsuites", name="evosearch")
    for suite in suites:
        root.append(suite)
    root.set("tests", str(sum(int(suite.get("tests", "0")) for suite in suites)))
    root.set("failures", str(sum(int(suite.get("failures", "0")) for suite in suites)))
    root.set("errors", "0")
    root.set("time", f"{outcome.effort.seconds:.3f}")
    ElementTree.indent(root)
    text: str = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _tests(outcome: Outcome) -> ElementTree.Element:
    failing = set(outcome.suite.unverified)
    cases = [_written(row, row.name in failing) for row in outcome.suite.generated]
    suite = _suite("evosearch.generated", cases)
    suite.set("time", f"{outcome.effort.seconds:.3f}")
    return suite


def _faults(faults: Sequence[FaultRow]) -> ElementTree.Element:
    suite = _suite("evosearch.faults", [_fault(fault) for fault in faults])
    suite.set("time", "0.000")
    return suite


def _suite(name: str, cases: Sequence[ElementTree.Element]) -> ElementTree.Element:
    failures = sum(1 for case in cases if case.find("failure") is not None)
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(failures),
        errors="0",
        skipped="0",
    )
    suite.extend(cases)
    return suite


def _written(row: GeneratedRow, failing: bool) -> ElementTree.Element:
    module = row.file.removesuffix(".py").replace("/", ".")
    case = _case(module, row.function)
    if failing:
        message = "fails its own verification"
        ElementTree.SubElement(case, "failure", message=message).text = legal(row.source)
    return case


def _fault(fault: FaultRow) -> ElementTree.Element:
    name = f"{fault.endpoint} {fault.kind} {fault.position}"
    case = _case(f"evosearch.faults.{fault.code}", name)
    message = legal(f"{fault.kind}: {fault.message}" if fault.message else fault.kind)
    failure = ElementTree.SubElement(case, "failure", message=message, type=legal(fault.kind))
    shown_by = [fault.test_note] if fault.test_note else []
    lines = [f"at {fault.position}", *shown_by, fault.curl, fault.traceback]
    failure.text = legal("\n".join(lines).strip())
    return case


def _case(classname: str, name: str) -> ElementTree.Element:
    return ElementTree.Element(
        "testcase", classname=legal(classname), name=legal(name), time="0.000"
    )


def legal(text: str) -> str:
    """Return `text` without characters that XML cannot express."""
    return _ILLEGAL.sub("?", plain(text))
