"""What became of a suite: its modules, and the tests that are not in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import field

from pytest_evosearch.core.failing.fence import Mishap
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.write.content.specimen import Specimen
from pytest_evosearch.write.modules.module_texts import PREFIX
from pytest_evosearch.write.modules.suite_assembly import Assembly
from pytest_evosearch.write.verification.verdicts import Failure


@dataclass(frozen=True)
class WrittenSuite:
    """The written and the unwritten tests."""

    files: list[str]
    """Generated modules relative to the root folder, with forward slashes."""
    tests: int
    """Number of test functions; a table counts once."""
    dropped: list[tuple[str, str]]
    """(name, reason) of every test that was not written or not kept."""
    unverified: list[str]
    """``file::test`` of tests that could not be verified; empty when all could."""
    test_of: Mapping[int, str]
    """Specimen -> ``file::test`` that shows it."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Specimen -> why it is not written or not kept."""
    notice: str = ""
    """Why the suite could not be verified, one line; empty when it was."""
    extent: str = ""
    """How tests were verified; empty where all were, in all circumstances."""
    mishaps: tuple[Mishap, ...] = ()
    """What failed among names and texts of tests."""


def names_by_module(addresses: Iterable[str]) -> dict[str, set[str]]:
    """Return module (without prefix, suffix and number) -> names of its tests."""
    names: dict[str, set[str]] = {}
    for address in addresses:
        module = re.sub(r"(_\d+)?\.py$", "", address.partition("::")[0].removeprefix(PREFIX))
        names.setdefault(module, set()).add(test_of(address))
    return names


def test_of(address: str) -> str:
    """Return the name of the function in ``file::test``."""
    return address.partition("::")[2]


def story_of(specimen: Specimen) -> str:
    """Return the calls of a specimen, as a name of a test that was never written."""
    return " then ".join(exchange.request.endpoint for exchange in specimen.exchanges)


def specimens_of(failure: Failure, assembly: Assembly) -> tuple[int, ...]:
    """Return the specimens of a failure; () for a failure outside our tests."""
    if not failure.test:
        return tuple(
            index
            for (file, _), specimens in assembly.functions.items()
            if file == failure.file
            for index in specimens
        )
    specimens = assembly.functions.get((failure.file, failure.test), ())
    if failure.row is not None and failure.row < len(specimens):
        return (specimens[failure.row],)
    return specimens
