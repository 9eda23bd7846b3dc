from __future__ import annotations

import pytest

from pytest_evosearch.write.plugins.perturbation import _Pauses


@pytest.mark.parametrize(
    ("allowed", "pauses"), [(None, 20), ("30", 6), ("1000", 20)], ids=["no limit", "short", "long"]
)
def test_pauses_take_a_share_of_the_seconds_that_a_run_has(
    monkeypatch: pytest.MonkeyPatch, allowed: str | None, pauses: int
) -> None:
    monkeypatch.setenv("EVOSEARCH_VERIFY_PAUSE", "1")
    monkeypatch.delenv("EVOSEARCH_VERIFY_SECONDS", raising=False)
    if allowed is not None:
        monkeypatch.setenv("EVOSEARCH_VERIFY_SECONDS", allowed)
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    monkeypatch.setattr(
        "pytest_evosearch.write.plugins.perturbation._has_busy_threads", lambda: True
    )

    given = _Pauses()
    for _ in range(50):
        given.before_call()

    assert len(slept) == pauses
