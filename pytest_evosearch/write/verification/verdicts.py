"""What a run of the written tests says: failures, read from its log, and what becomes of them."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.write.verification.circumstances import STRICT
from pytest_evosearch.write.verification.circumstances import TOGETHER
from pytest_evosearch.write.verification.circumstances import Circumstances
from pytest_evosearch.write.verification.collecting import left_unfinished
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
    """It was not run: there was no time."""
    line: int = 0
    """Of the assertion that does not hold; 0 when it was none."""
    sight: Sight | None = None
    """What that assertion compared."""
    warning: str = ""
    """Class of the warning that was an error, as a filter names it; empty for anything else."""


@dataclass(frozen=True)
class Verdict:
    """What verification found."""

    failures: tuple[Failure, ...] = ()
    broken: str = ""
    """Why the runs say nothing about single tests; empty when they do."""
    notices: tuple[str, ...] = ()
    """What is worth telling though no single test is to blame."""
    crowded: bool = False
    """Tests fail only where two processes run at once: something is shared."""
    left_out: int = 0
    """Tests for which there was no time."""
    unfinished: str = ""
    """The warning for which pytest ends with an error, though every test passes; empty for none."""
    is_last: bool = False
    """There is no time for another verification: what fails is dropped."""
    extent: str = ""
    """Which tests were verified how, as one sentence; empty where all were in all circumstances."""

    @property
    def is_late(self) -> bool:
        """Say whether nothing but the lack of time is in the way of what did not pass."""
        return not self.broken and all(one.late for one in self.failures)


def without_failures(texts: Mapping[Path, bytes], verdicts: Sequence[Verdict]) -> dict[Path, bytes]:
    """Return the files of a suite that hold; none when not every test was run.

    A run that hung was cut off: what came after the test that hangs is not known to hold.
    """
    failures = [failure for verdict in verdicts for failure in verdict.failures]
    if any(verdict.broken for verdict in verdicts) or any(one.hung for one in failures):
        return {}
    failing = {failure.file for failure in failures}
    return {path: text for path, text in texts.items() if path.name not in failing}


Test = tuple[str, str, int | None]
"""Name of the module and of the test, and its row."""


def test_of(failure: Failure) -> Test:
    """Return the module, the name and the row of a test."""
    return failure.file, failure.test, failure.row


def unexplained(
    joint: Verdict, members: Sequence[Verdict], known: AbstractSet[Test] = frozenset()
) -> Verdict:
    """Return the failures of a joint run that none of its members has, nor explains.

    The neighbours of that run may have disturbed it, or it was chance.  Tests are `known` that
    fail in another run, which may have shared its interpreter.
    """
    if any(one.failures or one.crowded or one.notices or one.broken for one in members):
        return Verdict()
    doubtful = (one for one in joint.failures if not one.warning and test_of(one) not in known)
    return Verdict(tuple(doubtful))


def name_of(failure: Failure) -> tuple[str, str]:
    """Return the module and the name of a test."""
    return failure.file, failure.test


def blamable(verdict: Verdict) -> set[tuple[str, str]]:
    """Return the tests that fail in a way for which fixtures may be to blame."""
    return {name_of(one) for one in verdict.failures if one.test and not one.hung}


def tests_of(failures: Sequence[Failure]) -> set[Test]:
    """Return the tests that failed."""
    return set(map(test_of, failures))


def joined_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Return what all `verdicts` say together."""
    return Verdict(
        tuple(failure for verdict in verdicts for failure in verdict.failures),
        next((verdict.broken for verdict in verdicts if verdict.broken), ""),
        tuple(notice for verdict in verdicts for notice in verdict.notices),
        any(verdict.crowded for verdict in verdicts),
        sum(verdict.left_out for verdict in verdicts),
        next((verdict.unfinished for verdict in verdicts if verdict.unfinished), ""),
    )


def judged(one: Circumstances, verdicts: Sequence[Verdict], tests: int) -> Verdict:
    """Return what the runs under the same circumstances say about the tests."""
    joined = joined_verdicts(verdicts)
    failures = joined.failures
    if one is TOGETHER and failures:
        return _told(failures)
    warned = {(failure.file, failure.test) for failure in failures if failure.warning}
    if one is STRICT and len(warned) >= tests > 1:
        return Verdict()  # the project itself warns: no test can help that
    return replace(joined, broken="", unfinished="") if one.optional else joined


def _told(failures: Sequence[Failure]) -> Verdict:
    """Blame the project for what fails only in two processes: they share a file or a port."""
    tests = {(failure.file, failure.test) for failure in failures}
    first = failures[0]
    return Verdict(
        notices=(f"{len(tests)} written tests share something: {first.test} {first.reason}",),
        crowded=True,
    )


TESTS_FAILED = 1
LARGEST_CODE = 5
"""Exit code of pytest itself: no tests were collected."""

NO_TIME = "there was no time to verify it"


def too_late(modules: Sequence[Path]) -> Verdict:
    """Return what is known of modules of which nothing was run in time."""
    late = (Failure(path.name, "", None, NO_TIME, late=True) for path in modules)
    return Verdict(tuple(late), left_out=len(modules))


def without_the_late(verdict: Verdict) -> Verdict:
    """Return `verdict` without the tests that were not run, which it counts."""
    return replace(verdict, failures=tuple(one for one in verdict.failures if not one.late))


def read_verdict(
    entries: Sequence[Entry], code: int | None, output: str, circumstances: Circumstances
) -> Verdict:
    """Return what the log of one run says; `code` is None when the run was cut off.

    Tests that were left out for want of time fail, as `late`.
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
        reason = "does not end" if code is None else f"ends the process ({_ending(code)})"
        failures[running] = _failure(running, items, reason, hung=True)
    if failures:
        return Verdict(tuple(failures.values()), left_out=len(late))
    if code == TESTS_FAILED and (unfinished := _unfinished_business(entries, items, output)):
        return Verdict(unfinished=unfinished)
    if code not in (0, 5) or (code == 5 and not items):
        return Verdict(broken="" if code == 5 else _explain(code, output, circumstances.name))
    return Verdict()


def _unfinished_business(entries: Sequence[Entry], items: Mapping[str, Entry], output: str) -> str:
    """Return the warning that pytest ends with, where every test was run and passed."""
    ended = {entry["ended"] for entry in entries if "ended" in entry}
    return left_unfinished(output) if items and ended.issuperset(items) else ""


def _has_died(code: int) -> bool:
    """Say whether pytest did not end by itself."""
    return not 0 <= code <= LARGEST_CODE


def _ending(code: int) -> str:
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


def _explain(code: int | None, output: str, circumstances: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1][:200] if lines else "no output"
    if code is None:
        return f"the verification {circumstances} did not end: {last}"
    return f"the verification {circumstances} ended with exit code {code}: {last}"
