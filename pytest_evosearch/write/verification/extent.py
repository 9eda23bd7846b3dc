"""Records how the tests were verified, where the time was too short for everything."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.verification.circumstances import PLAIN
from pytest_evosearch.write.verification.circumstances import Circumstances


@dataclass
class Extent:
    """The circumstances in which tests were run, each with the tests that were left out."""

    proven: AbstractSet[str] = frozenset()
    """Fingerprints of tests that have held before: they run only once, in the whole suite."""
    _left_out: dict[str, int] = field(default_factory=dict)

    def note(self, one: Circumstances, left_out: int) -> None:
        """Note a run, and how many tests it left out."""
        for single in one.members or (one,):
            self._left_out[single.name] = max(left_out, self._left_out.get(single.name, 0))

    def described(
        self, possible: Sequence[Circumstances], tests: int, why: str = "no time to run them"
    ) -> str:
        """Describe which tests did not run in all `possible` circumstances.

        The result is one sentence; empty when all did. `why` begins the phrase about those left
        out.
        """
        others = [one.name for one in possible if one is not PLAIN]
        run = {name: tests - self._left_out.get(name, tests) for name in others}
        partly = [
            f"{run[name]} of {tests} tests {name}" for name in others if 0 < run[name] < tests
        ]
        never = [name for name in others if run[name] <= 0]
        if not partly and not never:
            return ""
        described = ", ".join(["verified in a fresh interpreter", *partly])
        return f"{described}; {why} {', '.join(never)}" if never else described
