"""Accounts for what the search covered: each target is shown by a kept test, or has a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.core.targets import FAULT
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.core.targets import kind_of
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.written_suite import WrittenSuite

WITHOUT_REASON = "no reason was noted: please report this"

MOST_NAMED = 2
"""Targets of one reason that a notice names."""

Why = Callable[[TargetId], str]
"""Returns why no test of a target was made; empty where one was, or where that is not known."""


def unshown(
    covered: Collection[TargetId], specimens: Sequence[Specimen], suite: WrittenSuite, why: Why
) -> Mapping[TargetId, str]:
    """Return the covered targets that no kept test shows, each with the reason."""
    shown: set[TargetId] = set()
    reasons: dict[TargetId, str] = {}
    for index, specimen in enumerate(specimens):
        targets = specimen.targets | specimen.covered | specimen.vouched
        if index in suite.test_of:
            shown |= targets
        elif index in suite.reasons:
            reasons |= dict.fromkeys(targets, suite.reasons[index])
    return {
        target: reasons.get(target) or why(target) or WITHOUT_REASON
        for target in sorted(covered)
        if target not in shown
    }


def notices(unshown: Mapping[TargetId, str], told: Collection[str]) -> Iterator[str]:
    """Yield one line for each reason that is not `told` yet; faults have rows of their own."""
    others = {
        target: why
        for target, why in unshown.items()
        if kind_of(target) != FAULT and why not in told
    }
    for why, number in Counter(others.values()).most_common():
        named = [target for target, one in others.items() if one == why][:MOST_NAMED]
        more = ", ..." if number > len(named) else ""
        yield f"{number} covered targets are in no test ({', '.join(named)}{more}): {why}"
