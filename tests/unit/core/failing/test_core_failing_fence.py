from __future__ import annotations

import pickle

import pytest

from pytest_evosearch.core.failing.fence import Fence
from pytest_evosearch.core.failing.fence import Mishap
from pytest_evosearch.errors import CutOff
from pytest_evosearch.errors import HookFailed


def fail(times: int = 1) -> int:
    raise KeyError("colour" * times)


def test_what_does_not_fail_is_returned() -> None:
    fence = Fence()
    assert fence.run("sums", max, 1, 2, otherwise=None) == 2
    assert fence.notices() == []


def test_what_fails_is_told_once_with_its_place_number_and_traceback() -> None:
    fence = Fence()
    assert [fence.run("colours", fail, otherwise=n) for n in (1, 2)] == [1, 2]
    (mishap,) = fence.mishaps.values()
    (notice,) = fence.notices()

    assert (mishap.part, mishap.times) == ("colours", 2)
    assert "without colours: KeyError: 'colour'" in notice
    assert "2 times" in notice
    assert "in fail" in mishap.traceback


@pytest.mark.parametrize("error", [HookFailed("the hook"), CutOff(), KeyboardInterrupt()])
def test_what_a_user_can_correct_and_what_ends_a_run_passes(error: BaseException) -> None:
    def stop() -> None:
        raise error

    with pytest.raises(type(error)):
        Fence().run("anything", stop, otherwise=None)


def test_what_failed_in_another_process_is_told_here() -> None:
    fence, other = Fence(), Fence()
    other.run("colours", fail, otherwise=0)
    mishaps: list[Mishap] = pickle.loads(pickle.dumps(list(other.mishaps.values())))
    fence.adopt(mishaps)
    fence.adopt(mishaps)

    assert fence.notices() == other.notices()
