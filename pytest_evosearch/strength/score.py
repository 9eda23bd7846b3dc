"""The public entry of this package: the share of sampled mutants that fail a written test."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.scratch import scratch_folder
from pytest_evosearch.report.outcome import MutantRow
from pytest_evosearch.report.outcome import MutationScore
from pytest_evosearch.strength.mutants import Mutant
from pytest_evosearch.strength.mutants import MutatedFile
from pytest_evosearch.strength.trials import Laboratory
from pytest_evosearch.strength.trials import Survey
from pytest_evosearch.strength.trials import Trial
from pytest_evosearch.write.verification.pytest_process import PytestProcess

BATCH = 20
"""Mutants tried by one process; the user may stop between two batches."""

UNCHANGED: tuple[None, None] = (None, None)
"""A trial of all tests on the unchanged application."""

UNRELIABLE = "the written tests fail in a forked process although nothing was changed"
LEFT_BEHIND = "a mutant left something behind that makes the written tests fail"


@dataclass(frozen=True)
class Place:
    """One mutant of the population, before its text is made."""

    file: MutatedFile
    index: int
    line: int


def mutation_score(
    folder: Path,
    process: PytestProcess,
    files: Sequence[Path],
    number: int,
    random: Random,
    stop: Callable[[], bool] = lambda: False,
) -> MutationScore | str:
    """Try `number` mutants of `files` against the tests in `folder`; otherwise return the reason.

    `random` chooses them. Fewer are tried when there are not enough, or when `stop` is true.
    """
    with scratch_folder("mutants") as scratch:
        laboratory = Laboratory(process, [folder], files, scratch)
        survey = laboratory.survey()
        if isinstance(survey, str):
            return survey
        population = places(mutated_files(files), reached_functions(survey))
        mutants = sample(population, number, random)
        found = try_all(laboratory, survey, mutants, stop)
    if isinstance(found, str):
        return found
    return _score(found, process.root)


def mutated_files(files: Sequence[Path]) -> list[MutatedFile]:
    """Parse source files; one that is invalid Python has no mutants."""
    parsed = (_parsed(file) for file in sorted(files))
    return [file for file in parsed if file is not None]


def _parsed(file: Path) -> MutatedFile | None:
    try:
        return MutatedFile(file, file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None


def reached_functions(survey: Survey) -> Callable[[MutatedFile, int], bool]:
    """Return a function that says whether a line is in a function that runs during a test's act."""
    lines: dict[Path, set[int]] = {}

    def is_reached(file: MutatedFile, line: int) -> bool:
        if file.file not in lines:
            acted = survey.acted.get(file.file, frozenset())
            reached = (one.lines for one in file.layout.functions if one.lines & acted)
            lines[file.file] = set[int]().union(*reached)
        return line in lines[file.file]

    return is_reached


def places(
    files: Sequence[MutatedFile], is_reached: Callable[[MutatedFile, int], bool]
) -> list[Place]:
    """Return the places of mutants, file by file."""
    return [
        Place(file, index, line)
        for file in files
        for index, line in enumerate(file.lines())
        if is_reached(file, line)
    ]


def sample(population: Sequence[Place], number: int, random: Random) -> list[Mutant]:
    """Choose `number` mutants, and return them in the order of the population."""
    order = random.sample(range(len(population)), len(population))
    chosen: list[tuple[int, Mutant]] = []
    for position in order:
        if len(chosen) == number:
            break
        place = population[position]
        mutant = place.file.mutant(place.index)
        if mutant is not None:
            chosen.append((position, mutant))
    return [mutant for _, mutant in sorted(chosen, key=lambda pair: pair[0])]


def try_all(
    laboratory: Laboratory,
    survey: Survey,
    mutants: Sequence[Mutant],
    stop: Callable[[], bool] = lambda: False,
) -> list[tuple[Mutant, Trial | None]] | str:
    """Try mutants against the tests that run them; None where no test does.

    Before the first one and after each batch, the whole suite must pass on the unchanged
    application: effects that a mutant leaves behind would make later trials fail.
    """
    if not _holds(laboratory, survey):
        # Something that was imported early does not work in a fork.
        survey = replace(survey, modules=())
        if not _holds(laboratory, survey):
            return UNRELIABLE
    found: list[tuple[Mutant, Trial | None]] = []
    for batch in _batches(mutants):
        if stop():
            break
        asked = [(mutant, tests_of(mutant, survey)) for mutant in batch]
        answers = laboratory.trials([*(pair for pair in asked if pair[1]), UNCHANGED], survey)
        if len(answers) <= sum(bool(tests) for _, tests in asked):
            return "a process that tried mutants crashed"
        if answers.pop().failed:
            return LEFT_BEHIND
        tried = iter(answers)
        found += [(mutant, next(tried) if tests else None) for mutant, tests in asked]
    return found


def tests_of(mutant: Mutant, survey: Survey) -> frozenset[str]:
    """Return the tests that run the statement of a mutant."""
    return survey.tests_of(mutant.file, mutant.statement)


def _holds(laboratory: Laboratory, survey: Survey) -> bool:
    trials = laboratory.trials([UNCHANGED], survey)
    return bool(trials) and not trials[0].failed


def _batches(mutants: Sequence[Mutant]) -> Iterator[Sequence[Mutant]]:
    for start in range(0, len(mutants), BATCH):
        yield mutants[start : start + BATCH]


def _score(found: Sequence[tuple[Mutant, Trial | None]], root: Path) -> MutationScore:
    survivors = [
        MutantRow(
            _shown(mutant.file, root),
            mutant.line,
            mutant.function,
            mutant.operator,
            mutant.diff,
            is_reached=trial is not None,
        )
        for mutant, trial in found
        if trial is None or not trial.failed
    ]
    timed_out = sum(trial is not None and trial.timed_out for _, trial in found)
    return MutationScore(len(found), len(found) - len(survivors), timed_out, tuple(survivors))


def _shown(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.as_posix()
