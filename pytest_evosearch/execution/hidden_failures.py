"""Which exceptions that no response shows are worth a report, and where they were raised."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator

from pytest_evosearch.core.http_words import FIRST_REFUSAL
from pytest_evosearch.execution.crash import SourceName
from pytest_evosearch.execution.crash import describe_crash
from pytest_evosearch.execution.crash import is_our_doing
from pytest_evosearch.problem.http.exchanges.seen_inside import Crash
from pytest_evosearch.problem.http.exchanges.seen_inside import HiddenFailure
from pytest_evosearch.sut.watching.background_failures import BackgroundFailure


def hidden_failures(
    failures: Iterable[BackgroundFailure],
    answered: BaseException | None,
    status: int,
    source_name: SourceName,
) -> Iterator[HiddenFailure]:
    """Yield the hidden ones of `failures`, each place once.

    Five kinds are left out: the failure of the call itself (`answered`), failures that the call
    logged and refused with `status`, and failures outside the application's code. The others are
    failures that a missing service explains, and those that would not happen on a server.
    """
    known = _place(describe_crash(answered, source_name)) if answered is not None else None
    seen = {known}
    for failure in failures:
        if failure.in_call and status >= FIRST_REFUSAL:
            continue
        crash = describe_crash(failure.error, source_name)
        place = _place(crash)
        if not crash.path or crash.unreachable or place in seen:
            continue
        if is_our_doing(failure.error):
            continue
        seen.add(place)
        yield HiddenFailure(crash, failure.how, failure.started_by, failure.logger)


def _place(crash: Crash) -> tuple[str, str]:
    return crash.type_name, crash.position
