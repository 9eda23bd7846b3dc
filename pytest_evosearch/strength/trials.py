"""The two kinds of process that a score needs, started and read: see `strength.launcher`."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.strength import launcher
from pytest_evosearch.strength.mutants import Mutant
from pytest_evosearch.write.verification.pytest_process import PytestProcess
from pytest_evosearch.write.verification.recorded_run import TRACES
from pytest_evosearch.write.verification.recorded_run import plugin_arguments

SURVEY_SECONDS = 600.0
"""Seconds for the run that records what each test runs."""

LIMIT_SECONDS = 5.0
"""Seconds for one trial besides its tests: to import the application, on a busy machine."""

LIMIT_FACTOR = 5.0
"""Factor by which a trial may exceed the measured time of its tests and imports."""

HASH_SEED = {"PYTHONHASHSEED": "0"}
"""Sets have one order in every trial, so that the next run fails for these mutants, too."""


@dataclass(frozen=True)
class Survey:
    """What each test of a suite runs."""

    callers: Mapping[Path, Mapping[int, frozenset[str]]]
    """File -> line -> tests that run it, including their set-up."""
    acted: Mapping[Path, frozenset[int]]
    """File -> lines that run during a test's act, not only during its set-up."""
    seconds: Mapping[str, float]
    """Test -> duration."""
    start_up: float
    """Seconds of the run besides its tests."""
    modules: tuple[str, ...] = ()
    """Imported modules that do not belong to the application."""

    def tests_of(self, file: Path, lines: Iterable[int]) -> frozenset[str]:
        """Return the tests that run any of the `lines`."""
        known = self.callers.get(file, {})
        return frozenset[str]().union(*(known.get(line, frozenset()) for line in lines))

    def limit(self, tests: Iterable[str]) -> float:
        """Return the seconds that a trial of `tests` may take."""
        usual = self.start_up + sum(self.seconds[test] for test in tests)
        return LIMIT_SECONDS + LIMIT_FACTOR * usual


@dataclass(frozen=True)
class Trial:
    """The result of one mutant."""

    failed: bool
    """Whether a test failed, or the run did not end."""
    timed_out: bool = False
    failures: tuple[tuple[str, int], ...] = ()
    """Failed tests, each with its line; more than one only on request."""
    seconds: float = 0.0


class Laboratory:
    """Runs one suite in its own scratch space; `paths` are pytest's arguments for collection."""

    def __init__(
        self, process: PytestProcess, paths: Sequence[Path], files: Sequence[Path], scratch: Path
    ) -> None:
        self._process = process
        self._paths = [str(path) for path in paths]
        self._files = [str(file) for file in files]
        self._scratch = scratch
        self._script = Path(shutil.copy(launcher.__file__, scratch / "evosearch_launcher.py"))
        self._number = 0

    def survey(self) -> Survey | str:
        """Run the suite once; return what each test runs, or the reason why this is unknown."""
        answer, output = self._run("survey", {"arguments": self._arguments()}, SURVEY_SECONDS)
        if not answer.exists():
            return f"the suite could not be run under coverage.py: {_last_line(output)}"
        content = json.loads(answer.read_text(encoding="utf-8"))
        if content["failed"] or content["code"] != 0:
            failed = ", ".join(content["failed"][:3]) or f"exit code {content['code']}"
            return f"the tests fail without any change: {failed}"
        return _read_survey(content)

    def trials(
        self,
        mutants: Sequence[tuple[Mutant | None, frozenset[str] | None]],
        survey: Survey,
    ) -> list[Trial]:
        """Try mutants, each against its tests (None: all); the mutant None changes nothing.

        A trial ends with its first failure. The result is shorter than `mutants` when the process
        did not survive.
        """
        described = [
            self._describe(number, mutant, tests, survey)
            for number, (mutant, tests) in enumerate(mutants)
        ]
        job = {
            "arguments": [*self._arguments(), "-x"],
            "modules": list(survey.modules),
            "trials": described,
        }
        seconds = SURVEY_SECONDS + sum(float(trial["seconds"]) for trial in described)
        answer, _ = self._run("trials", job, seconds)
        lines = answer.read_text(encoding="utf-8").splitlines() if answer.exists() else []
        return [_read_trial(json.loads(line)) for line in lines]

    def _describe(
        self, number: int, mutant: Mutant | None, tests: frozenset[str] | None, survey: Survey
    ) -> dict[str, Any]:
        return {
            "name": str(number),
            "file": str(mutant.file) if mutant is not None else "",
            "source": mutant.source if mutant is not None else "",
            "tests": None if tests is None else sorted(tests),
            "paths": self._paths_of(tests),
            "seconds": survey.limit(survey.seconds if tests is None else tests),
        }

    def _paths_of(self, tests: frozenset[str] | None) -> list[str]:
        """Return the modules of the tests, for collection."""
        if tests is None:
            return self._paths
        modules = sorted({test.partition("::")[0] for test in tests})
        return [str(self._process.root / module) for module in modules]

    def _arguments(self) -> list[str]:
        """Return pytest's arguments besides the paths to collect."""
        nothing = self._scratch / "nothing"
        given = self._process.pytest_arguments(nothing, self._scratch)
        traces = plugin_arguments(self._scratch, [TRACES])
        return [*traces, *(argument for argument in given if argument != str(nothing))]

    def _run(self, kind: str, job: Mapping[str, Any], seconds: float) -> tuple[Path, str]:
        self._number += 1
        answer = self._scratch / f"answer-{self._number}.jsonl"
        content = {
            "kind": kind,
            "paths": self._paths,
            "files": self._files,
            "root": str(self._process.root),
            "answer": str(answer),
            "bytecode": str(self._scratch / "bytecode"),
            **job,
        }
        file = self._scratch / f"job-{self._number}.json"
        file.write_text(json.dumps(content), encoding="utf-8")
        extra = {**HASH_SEED, "PYTHONPATH": self._process.search_path(self._scratch)}
        _, output = self._process.run([str(self._script), str(file)], seconds, extra)
        return answer, output


def _read_survey(content: Mapping[str, Any]) -> Survey:
    tests = frozenset(content["seconds"])
    callers: dict[Path, dict[int, frozenset[str]]] = {}
    acted: dict[Path, frozenset[int]] = {}
    for file, lines in content["lines"].items():
        path = Path(file)
        numbers = {int(number): contexts for number, contexts in lines.items()}
        callers[path] = {
            number: frozenset(_tests_of(contexts, tests)) for number, contexts in numbers.items()
        }
        acted[path] = frozenset(
            number
            for number, contexts in numbers.items()
            if any(context.startswith(f"{launcher.CALL} ") for context in contexts)
        )
    start_up = max(0.0, content["elapsed"] - sum(content["seconds"].values()))
    return Survey(callers, acted, content["seconds"], start_up, tuple(content["modules"]))


def _tests_of(contexts: Iterable[str], tests: frozenset[str]) -> Iterator[str]:
    for context in contexts:
        if context == launcher.SHARED:
            yield from tests
        else:
            yield context.partition(" ")[2]


def _read_trial(answer: Mapping[str, Any]) -> Trial:
    failures = tuple((entry["test"], entry["line"]) for entry in answer["failures"])
    code = answer["code"]
    return Trial(code != 0, code is None, failures, answer["seconds"])


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no output"
