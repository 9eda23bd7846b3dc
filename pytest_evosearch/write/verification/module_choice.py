"""Chooses the modules of a written suite that are run: changed ones, failing ones, in parts."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.verification.verdicts import Verdict


def modules_of(folder: Path) -> list[Path]:
    """Return the modules of a written suite."""
    return sorted(folder.glob(f"{PREFIX}*.py"))


def texts_of_suite(folder: Path) -> dict[Path, bytes]:
    """Return what stands in the files of a written suite."""
    return {path: path.read_bytes() for path in folder.glob("*.py")}


def failing_modules(verdict: Verdict, modules: Sequence[Path]) -> list[Path]:
    """Return the modules with failures, all where a run says nothing about single tests."""
    names = {failure.file for failure in verdict.failures}
    unclear = verdict.broken or any(failure.hung for failure in verdict.failures)
    return [path for path in modules if unclear or path.name in names]


def has_other_fixtures(texts: Mapping[Path, bytes], held: Mapping[Path, bytes]) -> bool:
    """Say whether the fixtures beside the modules were not run as they are now."""
    support = [path for path in texts if not path.name.startswith(PREFIX)]
    return any(held.get(path) != texts[path] for path in support)


def changed_modules(texts: Mapping[Path, bytes], held: Mapping[Path, bytes]) -> list[Path]:
    """Return the modules that were not run as they are now; all when their fixtures changed."""
    modules = sorted(path for path in texts if path.name.startswith(PREFIX))
    if has_other_fixtures(texts, held):
        return modules
    return [path for path in modules if held.get(path) != texts[path]]


def dealt_out(modules: Sequence[Path], most: int) -> list[tuple[Path, ...]]:
    """Deal `modules` out into at most `most` parts of about the same size."""
    parts: list[list[Path]] = [[] for _ in range(min(most, len(modules)))]
    sizes = [0] * len(parts)
    for module in sorted(modules, key=lambda path: -path.stat().st_size):
        smallest = sizes.index(min(sizes))
        parts[smallest].append(module)
        sizes[smallest] += module.stat().st_size
    return [tuple(sorted(part)) for part in parts]
