from __future__ import annotations

import gc
import sys

from pytest_evosearch.execution.garbage import GarbageCollector


class Forgotten:
    """Something in a cycle that complains when it is collected."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        raise ResourceWarning("unclosed")


def test_what_the_application_forgot_troubles_nobody() -> None:
    hook = sys.unraisablehook
    garbage = GarbageCollector()
    with garbage.installed():
        assert not gc.isenabled()
        Forgotten()
        garbage.after_refusal()
        Forgotten()
    assert sys.unraisablehook is hook
    assert gc.isenabled()


def test_garbage_of_the_last_test_is_gone_before_the_next() -> None:
    collected: list[int] = []

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            collected.append(1)

    garbage = GarbageCollector()
    with garbage.installed():
        Cycle()
        assert collected == []
        garbage.before_test()
        assert collected == [1]
