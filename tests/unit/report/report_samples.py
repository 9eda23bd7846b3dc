"""Outcomes to render: an ordinary one of any size, and one whose every text is hostile."""

from __future__ import annotations

from pytest_evosearch.report.outcome import Answer
from pytest_evosearch.report.outcome import BranchSide
from pytest_evosearch.report.outcome import Discovery
from pytest_evosearch.report.outcome import DroppedRow
from pytest_evosearch.report.outcome import Effort
from pytest_evosearch.report.outcome import EndpointRow
from pytest_evosearch.report.outcome import ExitReason
from pytest_evosearch.report.outcome import FaultRow
from pytest_evosearch.report.outcome import GeneratedRow
from pytest_evosearch.report.outcome import MeasuredCoverage
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.outcome import SourceFile
from pytest_evosearch.report.outcome import SourceLine
from pytest_evosearch.report.outcome import SuiteSummary
from pytest_evosearch.report.outcome import TargetSummary
from pytest_evosearch.report.outcome import UncoveredRow

EMPTY = Outcome(ExitReason.BUDGET, seed=7)

PRICING = '''\
"""Prices and discounts."""

from decimal import Decimal


def discount(order, code):
    if code is None:
        return Decimal(0)
    if code == "SUMMER-2024" and order.total > 100:
        return order.total / order.items
    for line in order.lines:
        if line.price < 0:
            raise ValueError("negative price")
    return Decimal(5)
'''

HOSTILE = (
    "</script></style><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{7*7}}&amp;"
    "\x00\x1b[31m\u202e\ud800]]>\n::error::x"
)


def pricing(path: str = "shop/pricing.py") -> SourceFile:
    """A file in every state: covered, half a branch, not covered, ran while loading."""

    def sides(
        line: int, of_true: float, of_false: float, ordinal: int = 1
    ) -> tuple[BranchSide, ...]:
        name = f"branch {path}:{line}" + (f"#{ordinal}" if ordinal > 1 else "")
        return (
            BranchSide(f"{name} true", "true", of_true, ordinal),
            BranchSide(f"{name} false", "false", of_false, ordinal),
        )

    return SourceFile(
        path,
        PRICING,
        (
            SourceLine(3, True, imported=True),
            SourceLine(6, True, imported=True),
            SourceLine(7, True, sides=sides(7, 1.0, 1.0)),
            SourceLine(8, True),
            SourceLine(9, True, sides=(*sides(9, 0.62, 1.0), *sides(9, 0.0, 0.0, 2))),
            SourceLine(10, False),
            SourceLine(11, True),
            SourceLine(12, True, sides=sides(12, 0.31, 1.0)),
            SourceLine(13, False),
            SourceLine(14, True),
        ),
    )


TRACEBACK = """\
Traceback (most recent call last):
  File "shop/pricing.py", line 10, in discount
    return order.total / order.items
ZeroDivisionError: division by zero
"""


def fault(number: int = 1) -> FaultRow:
    return FaultRow(
        code="crash",
        endpoint="POST /api/orders/{id}/discount",
        kind="ZeroDivisionError",
        position=f"shop/pricing.py:{number + 9}",
        message="division by zero",
        test="tests/evosearch/test_evosearch_faults.py::test_post_discount_crashes",
        traceback=TRACEBACK,
        curl="curl -i -X POST http://localhost:5000/api/orders/1/discount --data-raw '{}'",
        user="alice",
    )


TEST_TEXT = """\
def test_post_{name}_returns_{status}(client):
    created = client.post("/api/orders", json={{"items": {number}}})

    response = client.get(f"/api/orders/{{created.json['id']}}")

    assert response.status_code == {status}
    assert response.json == {{"id": 1, "items": {number}, "total": "{number}.00"}}
"""

STATUSES = (200, 201, 204, 302, 400, 401, 404, 409)
RESOURCES = ("orders", "customers", "products", "invoices", "carts", "reviews", "payments")


def generated(number: int) -> GeneratedRow:
    resource = RESOURCES[number % len(RESOURCES)]
    status = STATUSES[number % len(STATUSES)]
    return GeneratedRow(
        name=f"tests/evosearch/test_evosearch_{resource}.py::test_post_{resource}_{number}_returns_{status}",
        source=TEST_TEXT.format(name=f"{resource}_{number}", status=status, number=number),
        first_line=10 * number + 1,
        last_line=10 * number + 7,
        answers=(
            Answer(f"POST /api/{resource}", 201),
            Answer(f"GET /api/{resource}/{{id}}", status),
        ),
        covered=40 + number % 17,
        only=tuple(f"line shop/pricing.py:{line}" for line in range(number % 4)),
        shows_fault=number % 40 == 39,
    )


def ordinary(tests: int = 5, faults: int = 1, files: int = 1) -> Outcome:
    """An outcome like that of a real run, with so many tests, faults and source files."""
    rows = tuple(generated(number) for number in range(tests))
    shown = GeneratedRow(
        fault().test or "",
        TEST_TEXT.format(name="discount", status=500, number=3),
        5,
        11,
        (Answer("POST /api/orders/{id}/discount", 500),),
        12,
        (),
        shows_fault=True,
    )
    keys = dict.fromkeys(answer.endpoint for row in (*rows, shown) for answer in row.answers)
    sources = tuple(
        pricing("shop/pricing.py" if number == 0 else f"shop/part_{number}.py")
        for number in range(files)
    )
    return Outcome(
        ExitReason.BUDGET,
        seed=1843572,
        faults=tuple(fault(number) for number in range(1, faults + 1)),
        notices=("pytest-cov slows the search down",),
        reproduce="pytest --evosearch=1m --evosearch-seed=1843572",
        algorithm="mio",
        report=".pytest_cache/d/evosearch/report.html",
        effort=Effort(
            evaluations=12_804,
            requests=41_377,
            seconds=61.4,
            timeline=tuple(
                (0.2 * step**1.6, 20 * step, int(412 * (1 - 0.93**step))) for step in range(1, 36)
            ),
        ),
        targets=TargetSummary(
            covered=412,
            reached=431,
            known=498,
            uncovered=tuple(
                row
                for file in sources
                for row in (
                    UncoveredRow(
                        f"branch {file.path}:12 true",
                        0.31,
                        "evaluated, but never true, at best 31% of the way",
                        "condition",
                        'saw 3 < 0; POST /api/orders {"items": 3} -> 201',
                    ),
                    UncoveredRow(
                        f"branch {file.path}:9 true",
                        0.62,
                        "evaluated, but never true, at best 62% of the way",
                        "condition",
                        "saw 'SUMMER' == 'SUMMER-2024'; POST /api/orders as alice -> 200",
                    ),
                    UncoveredRow(
                        f"line {file.path}:10",
                        0.0,
                        "line 9: evaluated, but never true, at best 62% of the way",
                        "behind",
                    ),
                    UncoveredRow(
                        f"line {file.path}:13",
                        0.0,
                        "DELETE /api/orders/{id} answered only 401, 403",
                        "needs-user",
                    ),
                )
            ),
            sources=sources,
        ),
        discovery=Discovery(
            endpoints=(
                *(
                    EndpointRow(
                        key,
                        STATUSES[: 2 + index % 5],
                        900 - 7 * index,
                        3,
                        answers={
                            status: 2400 // 6**place
                            for place, status in enumerate(STATUSES[: 2 + index % 5])
                        },
                    )
                    for index, key in enumerate(keys)
                ),
                EndpointRow("DELETE /api/orders/{id}", (), 0, 1),
            ),
            skipped=(
                DroppedRow("GET /static/{filename}", "endpoint left out (--evosearch-skip)"),
                DroppedRow("look up mail.example.com at shop/mail.py:12", "blocked by the sandbox"),
            ),
            findings={
                "app": 'shop.create_app()              fixture "app" (tests/conftest.py:8)',
                "source": "shop (4 modules, 142 branches)",
                "state": "1 SQLite file, restored from memory (0.2 ms)",
            },
        ),
        suite=SuiteSummary(
            files=tuple(dict.fromkeys(row.file for row in (*rows, shown))),
            tests=tests + 1,
            dropped=(
                DroppedRow("GET /api/clock", "its status changes with the clock"),
                DroppedRow("POST /api/slow", "the handlers sleep 2.0 seconds"),
                DroppedRow("POST /api/slower", "the handlers sleep 2.0 seconds"),
            ),
            coverage=MeasuredCoverage(239, 242, 63, 66),
            generated=(*rows, shown),
        ),
    )


def hostile() -> Outcome:
    """An outcome in which every text tries to break out."""
    row = FaultRow(
        HOSTILE, HOSTILE, HOSTILE, f"{HOSTILE}:3", HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE
    )
    side = BranchSide(f"branch {HOSTILE}:1 {HOSTILE}", HOSTILE, 0.5)
    return Outcome(
        ExitReason.INTERRUPTED,
        seed=1,
        faults=(row,),
        notices=(HOSTILE,),
        reproduce=HOSTILE,
        algorithm=HOSTILE,
        discovery=Discovery(
            endpoints=(EndpointRow(HOSTILE, (200, 999), 1, 1),),
            findings={HOSTILE: HOSTILE, "app": HOSTILE},
        ),
        suite=SuiteSummary(
            files=(HOSTILE,),
            tests=1,
            dropped=(DroppedRow(HOSTILE, HOSTILE),),
            unverified=(HOSTILE,),
            generated=(
                GeneratedRow(HOSTILE, HOSTILE, 1, 2, (Answer(HOSTILE, 999),), 1, (HOSTILE,)),
            ),
        ),
        targets=TargetSummary(
            uncovered=(UncoveredRow(HOSTILE, 0.5, HOSTILE, HOSTILE, HOSTILE),),
            sources=(SourceFile(HOSTILE, HOSTILE, (SourceLine(1, False, sides=(side,)),)),),
        ),
        effort=Effort(timeline=((0.0, 1, 1),)),
    )
