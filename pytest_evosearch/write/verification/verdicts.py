"""Results of a run of the written tests: failures, read from its log, and conclusions."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.collecting import left_unfinished
from pytest_evosearch.write.verification.fixture_trial import FixtureFailure
from pytest_evosearch.write.verification.recorded_run import Entry
from pytest_evosearch.write.verification.recorded_run import Sight
from pytest_evosearch.write.verification.recorded_run import sight_of


@dataclass(frozen=True)
class Failure:
    """One test that did not pass."""

    file: str
    """Name of the module, without folders; the test is empty when the whole module failed."""
    test: str
    row: int | None
    reason: str
    hung: bool = False
    late: bool = False
    """Whether it was not run because there was no time."""
    line: int = 0
    """Line of the failed assertion; 0 when no assertion failed."""
    sight: Sight | None = None
    """The values of that assertion."""
    warning: str = ""
    """Class of the warning that was an error, in the syntax of filters; empty otherwise."""


@dataclass(frozen=True)
class Verdict:
    """The result of verification."""

    failures: tuple[Failure, ...] = ()
    broken: str = ""
    """Why the runs have no results for single tests; empty otherwise."""
    notices: tuple[str, ...] = ()
    """Messages for the user for which no single test is to blame."""
    crowded: bool = False
    """Whether tests only fail when two processes run at once: they share something."""
    left_out: int = 0
    """Number of tests for which there was no time."""
    unfinished: str = ""
    """The warning that makes pytest end with an error although all tests pass; empty for none."""
    is_last: bool = False
    """Whether there is no time for another verification: failing tests are dropped."""
    extent: str = ""
    """How tests were verified, as one sentence; empty where all were, in all circumstances."""
    fixtures: tuple[FixtureFailure, ...] = ()
    """Failures of written fixtures that several tests share: no test is to blame for them."""
    in_fixtures: bool = False
    """Whether a test failed in set-up or tear-down of its fixtures."""

    @property
    def is_late(self) -> bool:
        """Say whether lack of time is the only reason for tests that did not pass."""
        return not self.broken and all(one.late for one in self.failures)


def without_failures(texts: Mapping[Path, bytes], verdicts: Sequence[Verdict]) -> dict[Path, bytes]:
    """Return the files of a suite without failures; none when some test was not run.

    A run that hung was cut off, so the results of tests after the hanging one are unknown.
    """
    failures = [failure for verdict in verdicts for failure in verdict.failures]
    if any(verdict.broken for verdict in verdicts) or any(one.hung for one in failures):
        return {}
    failing = {failure.file for failure in failures}
    return {path: text for path, text in texts.items() if path.name not in failing}


Test = tuple[str, str, int | None]
"""Names of the module and of the test, and its row."""


def test_of(failure: Failure) -> Test:
    """Return the module, the name and the row of a test."""
    return failure.file, failure.test, failure.row


def unexplained(
    joint: Verdict, members: Sequence[Verdict], known: AbstractSet[Test] = frozenset()
) -> Verdict:
    """Return the failures of a joint run that none of its members has or explains.

    Other runs at that time may have disturbed it, or chance caused the failure. `known` are tests
    that fail in another run, which may have shared its interpreter.
    """
    if any(one.failures or one.crowded or one.notices or one.broken for one in members):
        return Verdict()
    doubtful = (one for one in joint.failures if not one.warning and test_of(one) not in known)
    return Verdict(tuple(doubtful))


def name_of(failure: Failure) -> tuple[str, str]:
    """Return the module and the name of a test."""
    return failure.file, failure.test


def blamable(verdict: Verdict) -> set[tuple[str, str]]:
    """Return the tests with a kind of failure that fixtures may have caused."""
    return {name_of(one) for one in verdict.failures if one.test and not one.hung}


def tests_of(failures: Sequence[Failure]) -> set[Test]:
    """Return the tests that failed."""
    return set(map(test_of, failures))


def joined_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the combination of all `verdicts`."""
    return Verdict(
        tuple(failure for verdict in verdicts for failure in verdict.failures),
        next((verdict.broken for verdict in verdicts if verdict.broken), ""),
        tuple(notice for verdict in verdicts for notice in verdict.notices),
        any(verdict.crowded for verdict in verdicts),
        sum(verdict.left_out for verdict in verdicts),
        next((verdict.unfinished for verdict in verdicts if verdict.unfinished), ""),
        fixtures=tuple(one for verdict in verdicts for one in verdict.fixtures),
        in_fixtures=any(verdict.in_fixtures for verdict in verdicts),
    )


def with_causes(plain: Verdict, watched: Verdict) -> Verdict:
    """Return the failures of a plain run, with what a run with plugins says of them.

    Where the plugins see more (a process left behind, a file changed), this counts, too. They know
    which test has ended the process, so what the plain run says of that counts no more.
    """
    known = {name_of(one) for one in watched.failures}
    only = tuple(one for one in plain.failures if one.late or name_of(one) not in known)
    failures = (*watched.failures, *only)
    return replace(
        watched,
        failures=failures,
        broken="" if failures else watched.broken or plain.broken,
        notices=(*watched.notices, *(() if watched.failures else plain.notices)),
        unfinished="" if failures else watched.unfinished or plain.unfinished,
        left_out=watched.left_out + plain.left_out,
    )


def judged(one: Circumstances, verdicts: Sequence[Verdict], tests: int) -> Verdict:
    """Return the common result of several runs in one circumstance."""
    joined = joined_verdicts(verdicts)
    failures = joined.failures
    if one is TOGETHER and failures:
        return _verdict_of(failures)
    warned = {(failure.file, failure.test) for failure in failures if failure.warning}
    if one is STRICT and len(warned) >= tests > 1:
        return Verdict()  # the project itself warns: no test can avoid that
    return replace(joined, broken="", unfinished="") if one.optional else joined


def _verdict_of(failures: Sequence[Failure]) -> Verdict:
    """Blame the project for failures only in two processes: they share a file or a port."""
    tests = {(failure.file, failure.test) for failure in failures}
    first = failures[0]
    return Verdict(
        notices=(f"{len(tests)} written tests share something: {first.test} {first.reason}",),
        crowded=True,
    )


TESTS_FAILED = 1
LARGEST_CODE = 5
"""Largest exit code of pytest itself: no tests were collected."""

NO_TIME = "there was no time to verify it"


def too_late(modules: Sequence[Path]) -> Verdict:
    """Return the verdict on modules of which no test was run in time."""
    late = (Failure(path.name, "", None, NO_TIME, late=True) for path in modules)
    return Verdict(tuple(late), left_out=len(modules))


def without_the_late(verdict: Verdict) -> Verdict:
    """Return `verdict` with only the number of the tests that were not run."""
    return replace(verdict, failures=tuple(one for one in verdict.failures if not one.late))


def read_verdict(
    entries: Sequence[Entry], code: int | None, output: str, circumstances: Circumstances
) -> Verdict:
    """Return the verdict from the log of one run; `code` is None when the run was cut off.

    Tests that were left out because of lack of time fail as `late`.
    """
    items = {str(entry["item"]): entry for entry in entries if "item" in entry}
    compared = {str(entry["compared"]): entry for entry in entries if "compared" in entry}
    failures: dict[str, Failure] = {}
    for entry in entries:
        if entry.get("outcome") == "failed":
            nodeid = str(entry["report"])
            unstable = "unstable: " if circumstances.unstable else ""
            reason = f"{unstable}fails {circumstances.name}: {entry.get('reason')}"
            failure = _failure(nodeid, items, reason)
            failures.setdefault(nodeid, _with_details(failure, entry, compared.get(nodeid)))
        elif "uncollected" in entry:
            nodeid = str(entry["uncollected"])
            reason = f"cannot be collected: {entry.get('reason')}"
            failures.setdefault(nodeid, Failure(Path(nodeid).name, "", None, reason))
    late = [str(entry["left out"]) for entry in entries if "left out" in entry]
    for nodeid in late:
        failures.setdefault(nodeid, replace(_failure(nodeid, items, NO_TIME), late=True))
    running = _unfinished(entries)
    if running and (code is None or _has_died(code)):
        reason = "does not end" if code is None else f"ends the process ({ending_of(code)})"
        failures[running] = _failure(running, items, reason, hung=True)
    if failures:
        return Verdict(tuple(failures.values()), left_out=len(late))
    if code == TESTS_FAILED and (unfinished := _unfinished_business(entries, items, output)):
        return Verdict(unfinished=unfinished)
    if code not in (0, 5) or (code == 5 and not items):
        return Verdict(broken="" if code == 5 else explained(code, output, circumstances.name))
    return Verdict()


def _unfinished_business(entries: Sequence[Entry], items: Mapping[str, Entry], output: str) -> str:
    """Return the warning with which pytest ends, when every test was run and passed."""
    ended = {entry["ended"] for entry in entries if "ended" in entry}
    return left_unfinished(output) if items and ended.issuperset(items) else ""


def _has_died(code: int) -> bool:
    """Say whether pytest was ended from outside."""
    return not 0 <= code <= LARGEST_CODE


def ending_of(code: int) -> str:
    """Return the name of the signal, or the code, with which a process has ended."""
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"exit code {code}"


def _with_details(failure: Failure, entry: Entry, compared: Entry | None) -> Failure:
    failure = replace(failure, warning=str(entry.get("warning", "")))
    if compared is None:
        return failure
    line = compared["line"]
    return replace(failure, line=line if isinstance(line, int) else 0, sight=sight_of(compared))


def _unfinished(entries: Sequence[Entry]) -> str:
    ended = {entry["ended"] for entry in entries if "ended" in entry}
    started = [str(entry["started"]) for entry in entries if "started" in entry]
    return next((nodeid for nodeid in reversed(started) if nodeid not in ended), "")


def _failure(nodeid: str, items: Mapping[str, Entry], reason: str, hung: bool = False) -> Failure:
    item = items.get(nodeid)
    if item is None:
        return Failure(Path(nodeid.partition("::")[0]).name, "", None, reason, hung)
    row = item["row"]
    place = row if isinstance(row, int) else None
    return Failure(str(item["file"]), str(item["test"]), place, reason, hung)


NEEDS_PLUGIN = "without pytest-evosearch a run of pytest stops here, so the tests ran with it"
OPTIONAL = "mark the hook with @pytest.hookimpl(optionalhook=True)"


def refused(output: str) -> str:
    """Say why pytest does not begin without this plugin, and what to do about a hook."""
    lines = [line.strip() for line in output.splitlines() if "rror" in line]
    said = (lines or output.strip().splitlines() or ["no output"])[-1].partition("Error: ")
    reason = (said[2] or said[0])[:160]
    return f"{NEEDS_PLUGIN} ({reason}{f'; {OPTIONAL}' if 'unknown hook' in reason else ''})"


def explained(code: int | None, output: str, circumstances: str) -> str:
    """Say how a run without results has ended."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1][:200] if lines else "no output"
    if code is None:
        return f"the verification {circumstances} did not end: {last}"
    return f"the verification {circumstances} ended with exit code {code}: {last}"
