"""The two tiers of the tests: those of the README's command, and those that only `.ci/run` adds.

A test is in the slow tier if it has the mark ``slow``, with a reason: what it needs time for.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

QUICK = "not slow"
"""The expression of marks that `pyproject.toml` gives to every run; ``-m ""`` asks for all."""

SLOW = "slow"
"""The expression that chooses the other tier."""

LEAST_WORDS = 3
"""A reason says more than that the test is slow."""


def refuse_without_reason(test: str, marks: Iterable[pytest.Mark]) -> None:
    """Raise `pytest.UsageError` if a test has the mark ``slow`` without a reason."""
    for mark in marks:
        reason = mark.args[0] if len(mark.args) == 1 and not mark.kwargs else ""
        if not isinstance(reason, str) or len(reason.split()) < LEAST_WORDS:
            raise pytest.UsageError(f'{test}: say why it is slow: @pytest.mark.slow("...")')
