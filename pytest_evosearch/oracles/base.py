"""The seam of every oracle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.problem.http.exchange import Fault


class Oracle(Protocol):
    """Judges one exchange; a pure function of what was exchanged."""

    code: str
    """Stable code of its findings, as users switch them on and off."""

    def judge(self, exchange: Exchange, call: int) -> Iterable[Fault]:
        """Yield what is wrong with `exchange`, the `call`-th of its test."""
        ...
