"""What was tried in vain, in one line that says what to do."""

from __future__ import annotations

from pytest_evosearch.bridge.applications.attempts import Attempts

NOT_FOUND = RuntimeError("no Flask application found")
REFUSED = ConnectionRefusedError(111, "Connection refused" + ", all servers of the cluster" * 9)


def test_nothing_tried_adds_nothing() -> None:
    assert Attempts().explain(NOT_FOUND) == "no Flask application found"


def test_one_reason_is_told_once() -> None:
    attempts = Attempts()
    for name in ("unittest A", "unittest B", "unittest C"):
        attempts.note(name, "its application has no endpoints")
    attempts.note_failure('fixture "client"', KeyError("TOKEN"))
    assert attempts.explain(NOT_FOUND) == (
        "no Flask application found (also tried unittest A and 2 more "
        "(its application has no endpoints), fixture \"client\" (KeyError: 'TOKEN'))"
    )
    assert not attempts.hopeless


def test_missing_service_comes_first_and_ends_the_attempts() -> None:
    attempts = Attempts()
    attempts.note_failure("unittest A", REFUSED)
    assert not attempts.hopeless
    attempts.note_failure("unittest B", REFUSED)
    assert attempts.hopeless
    line = attempts.explain(NOT_FOUND)
    assert line.startswith(
        "the set-up of the tests needs a service that is not running, start it: "
        "unittest A and unittest B (ConnectionRefusedError: [Errno 111] Connection refused, all"
    )
    assert line.endswith("...); no Flask application found")
    assert len(line) < 350
